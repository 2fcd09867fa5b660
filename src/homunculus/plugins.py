"""What other packages offer as entry points: one that cannot be loaded takes no other down."""

import warnings
from collections.abc import Callable
from importlib.metadata import entry_points


def load(group: str, add: Callable[[object], None]) -> list[tuple[str, str]]:
    """Hand every object of a group to ``add``; a name and a reason for each that failed.

    ``add`` refuses an object by raising. Each failure is also a warning.
    """
    failed: list[tuple[str, str]] = []
    for point in entry_points(group=group):
        try:
            add(point.load())
        except (Exception, SystemExit) as error:  # importing their module may do anything
            package = point.dist.name if point.dist else "an unknown package"
            reason = (
                f"entry point {point.name!r} of {package} ({point.value}) could not be loaded: "
                f"{type(error).__name__}: {error}. Update or uninstall {package}."
            )
            failed.append((point.name, reason))
            warnings.warn(reason, RuntimeWarning, stacklevel=3)
    return failed
