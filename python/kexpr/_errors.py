"""The exceptions of kexpr: each is also the builtin that users expect."""

from __future__ import annotations

import errno
import os


class Error(Exception):
    """What kexpr refuses.

    Attributes
    ----------
    code : int
        The number of C's `kexpr_error_code`.
    message : str
        One sentence.
    text : str or None
        The expression or file that the fault is in.
    span : tuple of int or None
        First and last character of the fault in `text`, half-open.
    """

    code: int
    message: str
    text: str | None
    span: tuple[int, int] | None

    def __init__(self, message: str = "", code: int = 0,
                 text: str | None = None,
                 span: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.text, self.span = (code, message, text,
                                                         span)
        self._where = text, span

    def __str__(self) -> str:
        return self.message + self._place()

    def _place(self) -> str:
        """The line of the fault, cut around it, with a caret under it."""
        if self.text is None or self.span is None:
            return ""
        begin, end = self.span
        first = self.text.rfind("\n", 0, begin) + 1
        last = self.text.find("\n", begin)
        last = len(self.text) if last < 0 else last
        first, last = max(first, begin - 60), min(last, begin + 60)
        line = "".join(c if c.isprintable() else " "
                       for c in self.text[first:last])
        length = max(1, min(end, last) - begin)
        return f"\n  {line}\n  {' ' * (begin - first)}^{'~' * (length - 1)}"

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.message, self.code, *self._where))


class ExpressionError(Error, SyntaxError):
    """The text is no expression, or passes a limit. Interpreters draw the
    caret themselves: `lineno` and `offset` are set, and `text`, in which `span`
    is, is the faulty line."""

    text: str | None
    span: tuple[int, int] | None
    filename: str | None
    lineno: int | None
    offset: int | None
    end_lineno: int | None
    end_offset: int | None

    def __init__(self, message: str = "", code: int = 0,
                 text: str | None = None,
                 span: tuple[int, int] | None = None) -> None:
        super().__init__(message, code, text, span)
        self.msg = message
        if text is None or span is None:
            return
        begin, end = span
        start = text.rfind("\n", 0, begin) + 1
        self.text = text[start:].partition("\n")[0]
        begin -= start
        end = max(begin, min(end - start, len(self.text)))
        self.span = begin, end
        self.filename = "<expression>"
        self.lineno = self.end_lineno = text.count("\n", 0, start) + 1
        self.offset = begin + 1
        self.end_offset = max(end, begin + 1) + 1


class UnknownName(Error, NameError):
    """A name that is no operand, function or constant."""


class ArityError(Error, TypeError):
    """Too few or too many arguments of a function, or arrays of a call."""


class DTypeError(Error, TypeError):
    """An element type that an operator, or kexpr, has no meaning for."""


class ShapeError(Error, ValueError):
    """Shapes that do not broadcast, or an output of another shape."""


class ArgumentError(Error, ValueError):
    """An option or argument that cannot be."""


class OverlapError(Error, ValueError):
    """An output that shares memory with what it may not."""


class Unsupported(Error, NotImplementedError):
    """Understood, but there is nothing that computes it."""


class CompileError(Error, RuntimeError):
    """Code generation or linking failed."""


class FileError(Error, OSError):
    """A file could not be read or written. `errno` is set where the system
    said why."""
    errno: int | None
    strerror: str | None

    def __init__(self, message: str = "", code: int = 0,
                 text: str | None = None,
                 span: tuple[int, int] | None = None) -> None:
        super().__init__(message, code, text, span)
        for number in errno.errorcode:
            if message.endswith(f": {os.strerror(number)}"):
                self.errno, self.strerror = number, os.strerror(number)


# By kexpr::ErrorCode.
_CLASSES: dict[int, type[Error]] = {
    1: ExpressionError, 2: ExpressionError, 3: UnknownName, 4: ArityError,
    5: DTypeError, 6: ShapeError, 7: ArityError, 8: ArgumentError,
    9: OverlapError, 10: Unsupported, 11: CompileError, 13: FileError,
}

# Where users find them.
for _class in (Error, *_CLASSES.values()):
    _class.__module__ = "kexpr"


def about(error: BaseException, what: str) -> None:
    """Says in an exception what it is about: "operand 'x'"."""
    if isinstance(error, Error):
        error.message = f"{what}: {error.message}"
        error.args = (error.message,)
    else:
        error.add_note(f"  {what} of a call of kexpr")


def make(code: int, message: str, text: str | None, begin: int,
         end: int) -> Error:
    """The exception of an error of the library."""
    return _CLASSES.get(code, Error)(message, code, text,
                                     None if text is None else (begin, end))
