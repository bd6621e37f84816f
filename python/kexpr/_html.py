"""Kernels and explanations as HTML for notebooks: self-contained, without
scripts, and with all texts escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

# Colours are the notebook's own, so that dark themes work.
_CELL = "text-align:left;vertical-align:top;padding:1px 12px 1px 0"
_NAME = f"{_CELL};opacity:.65;font-weight:normal;white-space:nowrap"
_CODE = ("margin:2px 0 6px;padding:4px 8px;border-left:3px solid #8884;"
         "background:none;overflow-x:auto;font-size:.9em;line-height:1.35")
_BAR = ("display:inline-block;height:.7em;background:#4a90d9;"
        "vertical-align:baseline;margin-right:6px;min-width:1px")
# "exp 28.50 (51 instructions)", "Zn4FP1 33.67".
_SHARE = re.compile(r"(.+) (\d+(?:\.\d+)?)(?: \((\d+)(?: instructions?)?\))?")
_ROW = re.compile(r"  (\S+(?: \S+)*)\s{2,}(\S.*)")


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Rows of a name and a value that is HTML already."""
    return "<table style='border:none;margin:0 0 6px'>" + "".join(
        f"<tr style='background:none'><th style='{_NAME}'>{html.escape(name)}"
        f"</th><td style='{_CELL}'>{value}</td></tr>"
        for name, value in rows) + "</table>"


def code(text: str) -> str:
    return f"<pre style='{_CODE}'>{html.escape(text)}</pre>"


def _shares(value: str) -> str | None:
    """Names and cycles as bars; None where the value is something else."""
    parts = value.removesuffix("...").split(", ")
    found = [_SHARE.fullmatch(part) for part in parts]
    known = [one for one in found if one]
    if len(known) < 2 or len(known) != len(found):
        return None
    most = max(float(one[2]) for one in known) or 1.0
    lines = []
    for one in known:
        more = f", {one[3]} instructions" if one[3] else ""
        lines.append(
            f"<tr style='background:none'><td style='{_CELL}'>"
            f"{html.escape(one[1])}</td><td style='{_CELL}'>"
            f"<span style='{_BAR};width:{8 * float(one[2]) / most:.2f}em'>"
            f"</span>{one[2]}{more}</td></tr>")
    rest = "..." if value.endswith("...") else ""
    return ("<table style='border:none;margin:0'>" + "".join(lines)
            + f"</table>{rest}")


def _value(name: str, value: str) -> str:
    if name in ("units", "operators"):
        bars = _shares(value)
        if bars is not None:
            return bars
    return html.escape(value)


def explanation(text: str) -> str:
    """What `explain` says, as tables."""
    parts: list[str] = []
    rows: list[tuple[str, str]] = []
    listing: list[str] = []

    def flush() -> None:
        if listing:
            parts.append(code("\n".join(listing)))
            listing.clear()
        if rows:
            parts.append(table(rows))
            rows.clear()

    for line in text.splitlines():
        row = _ROW.fullmatch(line)
        if row and not line.startswith("  %"):
            if listing:
                flush()
            rows.append((row[1], _value(row[1], row[2])))
        elif line.startswith("  "):
            if rows:
                flush()
            listing.append(line[2:])
        elif line:
            flush()
            parts.append(f"<div style='font-weight:bold;margin-top:4px'>"
                         f"{html.escape(line)}</div>")
    flush()
    return f"<div style='max-width:60em'>{''.join(parts)}</div>"
