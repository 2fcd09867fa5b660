# pyright: basic
"""Blocks as one self-contained HTML page, and as Markdown."""

import re
from collections.abc import Sequence
from html import escape

from homunculus.lab.decide.blocks import (
    Bullets,
    Heading,
    Plots,
    ReportBlock,
    Table,
    Text,
    Verdict,
)

STYLE = """
:root{--ink:#1a1a1a;--soft:#5c5c5c;--line:#d9d9d9;--wash:#f6f6f4}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;color:var(--ink);background:#fff;
 margin:0 auto;max-width:66rem;padding:1rem 1rem 4rem}
h1{font-size:1.5rem;margin:.5rem 0 1rem}
h3{font-size:1.05rem;margin:1.8rem 0 .3rem}
h2{font-size:1.25rem;margin:2.4rem 0 .6rem;padding-top:.6rem;border-top:1px solid var(--line)}
p,ul{max-width:44rem;margin:.5rem 0}
ul{padding-left:1.2rem} li{margin:.4rem 0}
code{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:.88em;background:var(--wash);
 padding:.05em .15em;border-radius:3px;overflow-wrap:anywhere}
.verdict{border-left:.6rem solid;padding:.6rem 1rem;margin:1rem 0;background:var(--wash)}
.verdict b{display:block;font-size:2.2rem;line-height:1.2;letter-spacing:.02em}
.go{border-color:#00795a} .go b{color:#00795a} .no{border-color:#b03a00} .no b{color:#b03a00}
.open{border-color:#5c5c5c} .open b{color:#5c5c5c}
.warning{border:2px solid #b03a00;padding:.4rem .8rem;font-weight:600;background:#fff7f2}
.scroll{overflow-x:auto;margin:.4rem 0 1.2rem;-webkit-overflow-scrolling:touch}
table{border-collapse:collapse;font-size:.82rem;font-variant-numeric:tabular-nums}
th,td{padding:.28rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{border-bottom:1.5px solid var(--ink);white-space:nowrap} td.tight{white-space:nowrap}
td.wide{min-width:12rem} td code{padding:0;background:none}
td:first-child,th:first-child{position:sticky;left:0;background:#fff}
.caption{color:var(--soft);font-size:.88rem;margin:.6rem 0 .2rem}
.plots{display:flex;flex-wrap:wrap;align-items:flex-start;gap:1.2rem;margin:.6rem 0}
.plots svg{flex:1 1 24rem;min-width:0;max-width:34rem;width:100%;height:auto}
@media(max-width:34rem){body{font-size:15px;padding:.6rem .8rem 3rem}.plots svg{flex-basis:100%}}
@page{margin:14mm}
@media print{body{max-width:none;font-size:10pt;padding:0}.scroll{overflow:visible}
 table{font-size:7.5pt}td.tight,th{white-space:normal}td.wide{min-width:0}.plots,tr,.verdict{break-inside:avoid}
 h2{break-after:avoid}td:first-child,th:first-child{position:static}}
"""
TIGHT = 34
"""Table cells of up to so many characters stay on one line."""


# ---- HTML ----------------------------------------------------------------------------------------


def html_page(blocks: Sequence[ReportBlock], title: str) -> str:
    """One HTML file: style and plots inside, nothing to download."""
    body = "\n".join(map(_html, blocks))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body><h1>{escape(title)}</h1>\n{body}\n</body></html>\n"
    )


def _inline(text: str) -> str:
    """Backticks and double stars as tags, after everything else is escaped."""
    safe = re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text, quote=False))
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", safe)


def _html(block: ReportBlock) -> str:
    if isinstance(block, Verdict):
        side = {"GO": "go", "NO-GO": "no"}.get(block.decision, "open")
        return f'<div class="verdict {side}"><b>{block.decision}</b>{_inline(block.reason)}</div>'
    if isinstance(block, Heading):
        return f"<h{block.level}>{_inline(block.text)}</h{block.level}>"
    if isinstance(block, Text):
        return f"<p{' class=warning' if block.warning else ''}>{_inline(block.text)}</p>"
    if isinstance(block, Bullets):
        return "<ul>" + "".join(f"<li>{_inline(one)}</li>" for one in block.items) + "</ul>"
    if isinstance(block, Plots):
        return f'{_caption(block.caption)}<div class="plots">{"".join(block.svg)}</div>'
    return _table(block)


def _caption(text: str) -> str:
    return f'<p class="caption">{_inline(text)}</p>' if text else ""


def _table(table: Table) -> str:
    head = "".join(f"<th>{_inline(one)}</th>" for one in table.head)
    rows = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>\n" for row in table.rows)
    grid = f"<table><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"
    return f'{_caption(table.caption)}<div class="scroll" tabindex="0">{grid}</div>'


def _cell(text: str) -> str:
    return f"<td class={'tight' if len(text) <= TIGHT else 'wide'}>{_inline(text)}</td>"


# ---- Markdown ------------------------------------------------------------------------------------


def markdown(blocks: Sequence[ReportBlock], title: str) -> str:
    """The same without plots."""
    return f"# {title}\n\n" + "\n\n".join(filter(None, map(_markdown, blocks))) + "\n"


def _markdown(block: ReportBlock) -> str:
    if isinstance(block, Verdict):
        return f"**{block.decision}.** {block.reason}"
    if isinstance(block, Heading):
        return f"{'#' * block.level} {block.text}"
    if isinstance(block, Text):
        return f"> **{block.text}**" if block.warning else block.text
    if isinstance(block, Bullets):
        return "\n".join(f"- {one}" for one in block.items)
    if isinstance(block, Plots):
        return ""
    lines = [_line(block.head), _line(["---"] * len(block.head)), *map(_line, block.rows)]
    return "\n\n".join(filter(None, [block.caption, "\n".join(lines)]))


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(one.replace("|", "\\|") or " " for one in cells) + " |"
