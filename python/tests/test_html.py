"""What notebooks show."""

import html.parser

import numpy as np

import kexpr as kx
from kexpr import _html

VOID = {"br", "hr", "img", "input", "meta", "link"}


class Page(html.parser.HTMLParser):
    """Its tags, which must nest, its attributes, and its text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.names, self.words = [], set(), set(), []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.names.update(name for name, _ in attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    def text(self):
        return "".join(self.words)


def squeezed(text):
    """What tables leave out does not count."""
    return "".join(text.replace(",", "").split())


def page(text):
    read = Page(text)
    assert read.tags <= {"div", "table", "tr", "th", "td", "pre", "span", "b"}
    assert read.names <= {"style"}
    assert "http" not in text
    return read


def test_an_explanation_has_all_its_facts():
    said = kx.compile("where(x < 0, exp(x), x*w + 1)", dtypes="f4 f4",
                      tier="optimized").explain()
    shown = page(said._repr_html_()).text()
    for line in said.splitlines():
        for word in line.split():
            if "(" not in word and ")" not in word and "," not in word:
                assert word.removesuffix("...") in shown, word
    assert "vectors" in shown and "cycles" in shown


def test_reductions_have_a_table_for_each_sweep():
    said = kx.compile("softmax(x, axis=-1)", dtypes="f4").explain()
    shown = page(said._repr_html_()).text()
    assert shown.count("Main loop for") == said.count("Main loop for")


def test_kernels():
    k = kx.compile("x < w and x > 0")
    assert "x < w and x > 0" in page(k._repr_html_()).text()
    k(np.zeros(3, "f4"), 1)
    shown = page(k._repr_html_()).text()
    assert "float32" in shown and "x < w and x > 0" in shown


def test_hostile_texts_are_escaped():
    evil = ["<script>alert(1)</script>", "'><img src=x onerror=alert(1)>",
            "\"' onmouseover='x", "</pre></table></div><b>", "&lt;b&gt;",
            "a 1.00, <i>b 2.00</i> 3.00 (4)", "<!--", "]]>", "\u202e<u>",
            "</style><style>*{}"]
    for text in evil:
        for form in (text, f"  {text}", f"  operators     {text} 1.00, b 2.00",
                     f"  units   a 1.00, {text} 2.00 (3 instructions)",
                     f"  {text}      {text}", f"Plan\n  %0 = {text}"):
            shown = page(kx._kernel.Explanation(form)._repr_html_())
            assert squeezed(text) in squeezed(shown.text())
        shown = page(_html.code(text) + _html.table([(text, "x")]))
        assert shown.text().count(text) == 2
