"""Pages that are made of words and boxes alone, with questions as people ask them."""
