# pyright: basic
"""One name for all spellings of a company, so that no vendor is both trained on and tested."""

import re
from collections.abc import Iterable
from functools import cache

from homunculus.eyes.readers import distance


def alike(names: Iterable[str]) -> dict[str, str]:
    """Each spelling of a company to one name for all its spellings.

    >>> name = alike(["MR. D.I.Y. SDN BHD", "MR DIY (KUCHAI) SDN. BHD.", "99 SPEED MART S/B"])
    >>> list(name.values())
    ['mrdiy', 'mrdiy', '99speedmart', '']
    """
    groups: list[list[str]] = []
    for plain in sorted({_plain(name) for name in names}):
        near = [group for group in groups if any(_same(plain, other) for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append([*(name for group in near for name in group), plain])
    head = {plain: min(group) for group in groups for plain in group}
    return {name: head[_plain(name)] for name in names} | {"": ""}


def _plain(name: str) -> str:
    """Letters and digits, without the legal tail."""
    letters = re.sub(r"[^a-z0-9]", "", name.lower())
    return re.sub(r"(sdnbhd|sdnbd|bhd|sb)$", "", letters)


@cache
def _same(name: str, other: str) -> bool:
    """Nearly the same letters, or one begins with the other as branches of a chain do."""
    short, long = sorted((name, other), key=len)
    if len(short) >= 5 and long.startswith(short):
        return True
    return distance(name, other) <= 0.25 * max(len(name), len(other), 1)
