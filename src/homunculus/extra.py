"""Optional libraries: imported late, and missed politely."""

from importlib import import_module
from types import ModuleType


class MissingExtra(ImportError):  # noqa: N818 - it is what happened, and reads so in a traceback
    """An optional library is not installed; the message names the command that installs it."""


def need(module: str, extra: str, who: str) -> ModuleType:
    """Import ``module`` now, or say which extra of this distribution brings it.

    A library that is there but fails inside itself raises its own error.

    >>> need("math", extra="view", who="homunculus.view").sqrt(4.0)
    2.0
    """
    top = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != top:
            raise
        hint = f"{who} needs {top}: pip install 'homunculus-vlm[{extra}]'"
        raise MissingExtra(hint, name=top) from error
