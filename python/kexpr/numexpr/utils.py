"""Threads, as numexpr's `utils`; what is of VML alone answers None."""

from __future__ import annotations

import logging
import os

from . import interpreter
from .interpreter import MAX_THREADS, _get_num_threads, _set_num_threads

log: logging.Logger = logging.getLogger("numexpr.utils")


def get_vml_version() -> str | None:
    """There is no VML."""
    return None


def set_vml_accuracy_mode(mode: str | None) -> str | None:
    """There is no VML: `kexpr.options(precision=...)` is what says this."""
    return None


def set_vml_num_threads(nthreads: int) -> None:
    """There is no VML."""


def get_vml_num_threads() -> int | None:
    """There is no VML."""
    return None


def set_num_threads(nthreads: int) -> int:
    """Sets how many threads a call takes at most; returns what it was."""
    return _set_num_threads(nthreads)


def get_num_threads() -> int:
    """How many threads a call takes at most."""
    return _get_num_threads()


def detect_number_of_cores() -> int:
    """The processors of the machine."""
    return os.cpu_count() or 1


def detect_number_of_threads() -> int:
    """Deprecated, as in numexpr."""
    log.warning("Deprecated, use `init_num_threads` instead.")
    for name in ("NUMEXPR_NUM_THREADS", "OMP_NUM_THREADS"):
        try:
            return min(int(os.environ.get(name, "")), MAX_THREADS)
        except ValueError:
            pass
    return min(detect_number_of_cores(), MAX_THREADS)


def _init_num_threads() -> int:
    """The number of threads that the environment asks for, or that of the
    processors, up to 16. Where it asks for none, kexpr chooses, which knows of
    control groups, too."""
    for name in ("NUMEXPR_NUM_THREADS", "OMP_NUM_THREADS"):
        if os.environ.get(name):
            number = int(os.environ[name])
            set_num_threads(number)
            return number
    if os.environ.get("NUMEXPR_MAX_THREADS"):
        set_num_threads(MAX_THREADS)
        return MAX_THREADS
    number = min(detect_number_of_cores(), MAX_THREADS, 16)
    set_num_threads(number)
    interpreter.limit = None
    return number
