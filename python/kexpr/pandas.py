"""kexpr under pandas.

`enable()` lets pandas compute `pd.eval`, `DataFrame.query` and `eval`, and its
own arithmetic of large arrays, on kexpr. Functions of rows and elements are
compiled by ``engine=kexpr.jit``, which needs no `enable`.
"""

from __future__ import annotations

from .numexpr import install, uninstall

__all__ = ["disable", "enable"]


def enable(min_elements: int | None = None) -> None:
    """Lets pandas compute on kexpr, imported before or later.

    It is `kexpr.numexpr.install`, so that ``import numexpr`` gives
    `kexpr.numexpr`, too.

    Parameters
    ----------
    min_elements : int, optional
        How large the arrays are whose arithmetic pandas hands on; a million
        unless given.
    """
    install(min_elements)


def disable() -> None:
    """Undoes `enable`."""
    uninstall()
