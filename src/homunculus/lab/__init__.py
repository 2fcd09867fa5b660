"""The laboratory: whatever measures, trains or decides. The product never imports it."""
