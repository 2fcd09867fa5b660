"""What may not be there: optional libraries, and plugins that other packages offer.

A library that is missing names the extra that brings it; a plugin that cannot be loaded takes no
other down.
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType

from homunculus.errors import HomunculusError


class MissingExtra(HomunculusError, ImportError):  # noqa: N818 - it is what happened
    """An optional library cannot be imported; the message says what to install.

    >>> try: need("no_such_module", extra="studio", who="homunculus studio")
    ... except MissingExtra as error: print(error)
    homunculus studio needs no_such_module: pip install -c constraints.txt '.[studio]' (in a \
checkout of homunculus)
    """


class BrokenExtra(MissingExtra):
    """An optional library is installed, but its own import fails; that error is the cause."""


def need(module: str, extra: str, who: str, project: str = "") -> ModuleType:
    """Import ``module`` now, or say which extra brings it; ``project`` is a folder of the checkout.

    >>> need("math", extra="studio", who="homunculus studio").sqrt(4.0)
    2.0
    """
    top = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        absent = (error.name or top).partition(".")[0]
        if absent == top and error.name != top:  # a part of it: another version has it
            raise _broken(module, who, error) from error
        through = f"{top}, and {top} needs {absent}" if absent != top else top
        hint = f"{who} needs {through}: {how_to_install(extra, project)}"
        kind = BrokenExtra if absent != top else MissingExtra
        raise kind(hint, name=absent) from error
    except Exception as error:  # a build that does not fit raises what it likes
        raise _broken(module, who, error) from error


def need_torch(who: str) -> None:
    """Import what engines are made of, or say which extra brings it."""
    need("torch", "transformers", who)
    need("einops", "transformers", who)
    need("jaxtyping", "transformers", who)


def how_to_install(extra: str, project: str = "") -> str:
    """The command that brings an extra, or a whole ``project``; neither is on an index yet.

    >>> how_to_install("studio")
    "pip install -c constraints.txt '.[studio]' (in a checkout of homunculus)"
    """
    wish = (f"./{project}" if project else ".") + (f"[{extra}]" if extra else "")
    return f"pip install -c constraints.txt '{wish}' (in a checkout of homunculus)"


def _broken(module: str, who: str, error: Exception) -> BrokenExtra:
    """No extra helps: the library is there, in a version or a build that does not fit."""
    top = module.partition(".")[0]
    return BrokenExtra(
        f"{who} needs {module}; {top} is installed, but its import fails: {error}. "
        f"Install a version of {top} that fits the other packages: `pip check` lists conflicts.",
        name=top,
    )


def load_plugins(group: str, add: Callable[[str, object], None]) -> list[tuple[str, str]]:
    """Hand every entry point of a group to ``add``; a name and a reason for each that failed.

    ``add`` gets its name and its object, and refuses it by raising. Each failure is also a warning.
    """
    failed: list[tuple[str, str]] = []
    for point in entry_points(group=group):
        try:
            add(point.name, point.load())
        except (Exception, SystemExit) as error:  # importing their module may do anything
            package = point.dist.name if point.dist else "an unknown package"
            reason = (
                f"entry point {point.name!r} of {package} ({point.value}) could not be loaded: "
                f"{type(error).__name__}: {error}. Update or uninstall {package}."
            )
            failed.append((point.name, reason))
            warnings.warn(reason, RuntimeWarning, stacklevel=3)
    return failed


def not_found(
    kind: str,
    name: str,
    names: Iterable[str],
    failed: Sequence[tuple[str, str]],
    instead: str,
    near: int = 1,
) -> str:
    """The message for a name that no plugin has: why it could not be loaded, or the nearest ones.

    >>> not_found("method", "gird", ["grid", "cut"], [], "There are two.")
    "no method 'gird'. Did you mean 'grid'? There are two."
    """
    for point, reason in failed:
        if point == name:
            return f"no {kind} {name!r}: {reason}"
    close = [repr(one) for one in get_close_matches(name, list(names), n=near)]
    hint = f" Did you mean {' or '.join(close)}?" if close else ""
    return f"no {kind} {name!r}.{hint} {instead}"
