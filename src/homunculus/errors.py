"""The root of the errors that this package raises for its callers."""


class HomunculusError(Exception):
    """The root of the errors that depend on what came in: pictures, requests, what is installed.

    An argument that cannot be right raises a plain `ValueError` or `TypeError` instead.

    >>> import homunculus
    >>> try: homunculus.views("nowhere.png")
    ... except homunculus.HomunculusError as error: print(type(error).__name__)
    MissingPictureError
    """
