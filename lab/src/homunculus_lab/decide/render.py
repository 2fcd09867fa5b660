# pyright: basic
"""Blocks as one self-contained HTML page, and as Markdown."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from homunculus_lab.decide.blocks import (
    Answer,
    Bullets,
    Heading,
    Panels,
    Plots,
    ReportBlock,
    Table,
    Text,
    Verdict,
)

STYLE = """
:root{--ink:#1a1a1a;--soft:#5c5c5c;--line:#d9d9d9;--wash:#f6f6f4;--good:#00694e;--bad:#a33500}
*{box-sizing:border-box}
body{font:15px/1.45 system-ui,-apple-system,"Segoe UI",sans-serif;color:var(--ink);background:#fff;
 margin:0 auto;max-width:79rem;padding:.3rem 1rem 4rem;overflow-wrap:break-word}
h1{font-size:.88rem;margin:.1rem 0 .15rem;color:var(--soft);font-weight:600}
h2{font-size:1.02rem;margin:.8rem 0 .2rem}
p,ul{max-width:54rem;margin:.5rem 0}
ul{padding-left:1.2rem} li{margin:.25rem 0}
code{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:.88em;background:var(--wash);
 padding:.05em .15em;border-radius:3px;overflow-wrap:anywhere}
.first{font-size:14px;line-height:1.4} .first p,.first ul{max-width:none}
.answer{border-left:.5rem solid;padding:.3rem .7rem .3rem;background:var(--wash)}
.answer h2{font-size:1.25rem;line-height:1.25;margin:0 0 .25rem}
.answer h2 b{margin-right:.3rem}
.answer dl{display:grid;grid-template-columns:max-content 1fr;gap:.05rem .9rem;margin:0}
.answer dt{font-weight:600} .answer dd{margin:0}
.rules{border-top:1px solid var(--line);margin:.35rem 0 0;padding-top:.3rem;font-size:13px}
.rules b.outcome{font-size:1rem;margin:0 .15rem} .rules .met{color:var(--good);font-weight:600}
.rules .not{color:var(--bad);font-weight:600}
.words{font-size:13px;color:#333;margin:.1rem 0 .3rem}
.verdict{border-left:.5rem solid;padding:.5rem 1rem;margin:1rem 0;background:var(--wash)}
.verdict b{display:block;font-size:1.6rem;line-height:1.2;letter-spacing:.02em}
.go{border-color:var(--good)} .go b{color:var(--good)} .no{border-color:var(--bad)}
.no b{color:var(--bad)} .open{border-color:#5c5c5c} .open b{color:#5c5c5c}
.warning{border:2px solid var(--bad);padding:.4rem .8rem;font-weight:600;background:#fff7f2}
.panels{display:grid;grid-template-columns:repeat(4,1fr);gap:.15rem 1rem;margin:.1rem 0}
.panels svg{width:100%;height:auto;display:block}
.panels svg:only-child{grid-column:1/-1;max-width:28rem}
.scroll{overflow-x:auto;margin:.3rem 0 1.2rem}
table{border-collapse:collapse;font-size:.8rem;font-variant-numeric:tabular-nums}
th,td{padding:.26rem .55rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{border-bottom:1.5px solid var(--ink)} td.tight{white-space:nowrap}
td.wide{min-width:9rem} td code{padding:0;background:none}
table.compact{width:100%;font-size:13px;line-height:1.2}
.compact td,.compact th{padding:.07rem .5rem}
.compact+p,.first .scroll{margin:.1rem 0 .4rem}
.up{color:var(--good);font-weight:600} .down{color:var(--bad);font-weight:600}
td.even{color:var(--soft)}
.caption{color:var(--soft);font-size:13px;margin:.3rem 0 .1rem;max-width:none}
.plots{display:flex;flex-wrap:wrap;align-items:flex-start;gap:1.2rem;margin:.6rem 0}
.plots svg{flex:1 1 22rem;min-width:0;max-width:34rem;width:100%;height:auto}
.bullets h2{margin:.3rem 0 0} .bullets ul{font-size:13px;margin:.05rem 0}
.bullets li{margin:0}
nav{border-top:1px solid var(--line);margin-top:1.2rem}
nav>ol{columns:3 18rem;column-gap:2rem;margin:.3rem 0 1rem;padding-left:1.3rem;font-size:.9rem}
nav ol ol{padding-left:1rem;list-style:none} nav li{break-inside:avoid-column}
a{color:#0057a3}
details{border-top:1px solid var(--line);margin:0} details details{margin-left:.6rem}
summary{cursor:pointer;padding:.5rem 0;font-weight:600} details>summary{font-size:1.08rem}
details details>summary{font-size:.98rem;padding:.35rem 0}
.inside{padding:0 0 1rem;scroll-margin-top:3rem}
@media(max-width:60rem){.panels{grid-template-columns:repeat(2,1fr)}}
@media(max-width:44rem){
 body{padding:.5rem .8rem 3rem} .answer dl{display:block} .answer dd{margin:0 0 .35rem}
 .answer h2{font-size:1.12rem} .panels{gap:.5rem .7rem} .plots svg{flex-basis:100%}
 details details{margin-left:0} .scroll{overflow:visible}
 table,tbody,tr,td{display:block;width:100%} thead{display:none}
 tr{border-bottom:1.5px solid #999;padding:.4rem 0} td,td.tight,td.wide{border:0;padding:.1rem 0;
  white-space:normal;min-width:0;overflow-wrap:anywhere;display:flex;gap:.6rem}
 td::before{content:attr(data-head);color:var(--soft);flex:0 0 40%;overflow-wrap:anywhere}
 td:first-child{font-weight:600} td:first-child::before{display:none}
 td>span{flex:1 1 0;min-width:0}
 .panels svg text{font-size:15px} .panels svg text.small{font-size:12px}
 .compact tr{display:grid;grid-template-columns:repeat(5,1fr);gap:0 .2rem;padding:.35rem 0}
 .compact td{display:block;padding:0;line-height:1.35;font-size:11px;font-weight:400}
 .compact td:first-child,.compact td:nth-child(2){grid-column:1/-1}
 .compact td:first-child{font-size:14px;font-weight:600} .compact td::before{display:block}
 .compact td:first-child::before{display:none} .compact td:nth-child(2)::before{display:inline;
  content:attr(data-head) " "}
}
@page{margin:14mm}
@media print{body{max-width:none;font-size:10pt;padding:0}.scroll{overflow:visible}nav{display:none}
 table{font-size:7.5pt}td.tight{white-space:normal}td.wide{min-width:0}
 .plots,.panels,tr,.answer,.verdict{break-inside:avoid}
 details::details-content{content-visibility:visible;display:block}}
"""
TIGHT = 34
"""Table cells of up to so many characters stay on one line."""


COLUMNS = 5
"""Tables of more columns may break their lines anywhere."""
SIDES = {"▲": "up", "▼": "down", "○": "even"}
"""Classes of cells that begin with a mark."""


# ---- sections ------------------------------------------------------------------------------------


@dataclass
class Section:
    """A heading, what stands under it, and the sections in it."""

    title: str
    anchor: str
    blocks: list[ReportBlock] = field(default_factory=list)
    inside: list["Section"] = field(default_factory=list)


def sections(blocks: Sequence[ReportBlock]) -> Section:
    """The report as a tree: what stands before the first heading is the first screen."""
    first = Section("", "first")
    path = [first]
    for block in blocks:
        if not isinstance(block, Heading):
            path[-1].blocks.append(block)
            continue
        path = path[: block.level - 1]
        parent = path[-1]
        anchor = f"{'s' if parent is first else parent.anchor}-{len(parent.inside) + 1}"
        parent.inside.append(Section(block.text, anchor))
        path.append(parent.inside[-1])
    return first


# ---- HTML ----------------------------------------------------------------------------------------


def html_page(blocks: Sequence[ReportBlock], title: str) -> str:
    """One HTML file: style and plots inside, nothing to download."""
    first = sections(blocks)
    screen = "\n".join(map(_html, first.blocks))
    details = "\n".join(map(_details, first.inside))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body><h1>{escape(title)}</h1>\n"
        f'<div class="first">{screen}</div>\n{_contents(first)}\n{details}\n</body></html>\n'
    )


def _contents(first: Section) -> str:
    """A list of links; a browser opens the section that a link leads to."""
    if not first.inside:
        return ""
    return f"<nav><h2>Contents</h2>{_links(first.inside, depth=2)}</nav>"


def _links(each: Sequence[Section], depth: int) -> str:
    items = []
    for one in each:
        more = _links(one.inside, depth - 1) if one.inside and depth > 1 else ""
        items.append(f'<li><a href="#{one.anchor}">{_inline(one.title)}</a>{more}</li>')
    return f"<ol>{''.join(items)}</ol>"


def _details(section: Section) -> str:
    body = "\n".join([*map(_html, section.blocks), *map(_details, section.inside)])
    return (
        f"<details><summary>{_inline(section.title)}</summary>\n"
        f'<div class="inside" id="{section.anchor}">{body}</div></details>'
    )


def _inline(text: str) -> str:
    """Backticks and double stars as tags, after everything else is escaped."""
    safe = re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text, quote=False))
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", safe)


def _html(block: ReportBlock) -> str:
    if isinstance(block, Answer):
        return _answer(block)
    if isinstance(block, Verdict):
        return (
            f'<div class="verdict {_side(block.decision)}"><b>{block.decision}</b>'
            f"{_inline(block.reason)}</div>"
        )
    if isinstance(block, Heading):
        return f"<h{block.level}>{_inline(block.text)}</h{block.level}>"
    if isinstance(block, Text):
        return f"<p{' class=warning' if block.warning else ''}>{_inline(block.text)}</p>"
    if isinstance(block, Bullets):
        items = "".join(f"<li>{_inline(one)}</li>" for one in block.items)
        title = f"<h2>{_inline(block.title)}</h2>" if block.title else ""
        return (
            f'<div class="bullets">{title}<ul>{items}</ul></div>' if title else f"<ul>{items}</ul>"
        )
    if isinstance(block, Panels):
        return f'{_caption(block.caption)}<div class="panels">{"".join(block.svg)}</div>'
    if isinstance(block, Plots):
        return f'{_caption(block.caption)}<div class="plots">{"".join(block.svg)}</div>'
    return _table(block)


def _side(decision: str) -> str:
    return {"GO": "go", "NO-GO": "no"}.get(decision, "open")


def _answer(answer: Answer) -> str:
    pairs = "".join(
        f"<dt>{_inline(head)}</dt><dd>{_inline(text)}.</dd>" for head, text in answer.sentences
    )
    rules = "; ".join(
        f"<b>{_inline(one.name)}</b> {_inline(one.asks)}: "
        f"<span class={'met' if one.state == 'met' else 'not'}>{one.state}</span>"
        for one in answer.rules
    )
    judged = (
        f"<p class=rules>By rules set before measuring, <b class=outcome>{answer.outcome}</b> "
        f"({_inline(answer.outcome_rule)}). {rules}.</p>"
    )
    return (
        f'<section class="answer {_side(answer.outcome)}">'
        f"<h2>{_inline(answer.question)} <b>{answer.short}.</b></h2>"
        f"<p class=words>{_inline(answer.words)}</p><dl>{pairs}</dl>"
        f"{judged if answer.rules else ''}</section>"
    )


def _caption(text: str) -> str:
    return f'<p class="caption">{_inline(text)}</p>' if text else ""


def _table(table: Table) -> str:
    """Every cell knows its head: on a phone a row becomes a list."""
    head = "".join(f"<th>{_inline(one)}</th>" for one in table.head)
    rows = "".join(
        "<tr>" + "".join(map(_cell, row, table.head, [len(row)] * len(row))) + "</tr>\n"
        for row in table.rows
    )
    style = ' class="compact"' if table.compact else ""
    if table.compact:  # a difference and its interval stay whole
        rows = re.sub(r"(?<=[▲▼○]) |(?<=,) (?=[+−.\d])", "\u00a0", rows)
    grid = f"<table{style}><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"
    return f'{_caption(table.caption)}<div class="scroll">{grid}</div>'


def _cell(text: str, head: str, columns: int) -> str:
    style = SIDES.get(text[:1], "")
    if not style and columns <= COLUMNS:
        style = "tight" if len(text) <= TIGHT else "wide"
    label = escape(head.replace("`", "").replace("*", ""))
    return f'<td class="{style}" data-head="{label}"><span>{_inline(text)}</span></td>'


# ---- Markdown ------------------------------------------------------------------------------------


def markdown(blocks: Sequence[ReportBlock], title: str) -> str:
    """The same without plots; sections below the second level are folded."""
    first = sections(blocks)
    links = "\n".join(f"- [{one.title}](#{_slug(one.title)})" for one in first.inside)
    contents = f"## Contents\n\n{links}" if links else ""
    parts = [*map(_markdown, first.blocks), contents, *map(_section_markdown, first.inside)]
    return f"# {title}\n\n" + "\n\n".join(filter(None, parts)) + "\n"


def _section_markdown(section: Section) -> str:
    body = [*map(_markdown, section.blocks), *map(_folded, section.inside)]
    return "\n\n".join(filter(None, [f"## {section.title}", *body]))


def _folded(section: Section) -> str:
    summary = f"<details><summary>{_inline(section.title)}</summary>"
    body = [*map(_markdown, section.blocks), *map(_folded, section.inside)]
    return "\n\n".join([summary, *filter(None, body), "</details>"])


def _slug(title: str) -> str:
    """The anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _markdown(block: ReportBlock) -> str:
    if isinstance(block, Answer):
        return _answer_markdown(block)
    if isinstance(block, Verdict):
        return f"**{block.decision}.** {block.reason}"
    if isinstance(block, Heading):
        return f"{'#' * block.level} {block.text}"
    if isinstance(block, Text):
        return f"> **{block.text}**" if block.warning else block.text
    if isinstance(block, Bullets):
        title = f"**{block.title}**\n\n" if block.title else ""
        return title + "\n".join(f"- {one}" for one in block.items)
    if isinstance(block, Panels):
        return _markdown(block.fallback)
    if isinstance(block, Plots):
        return ""
    lines = [_line(block.head), _line(["---"] * len(block.head)), *map(_line, block.rows)]
    return "\n\n".join(filter(None, [block.caption, "\n".join(lines)]))


def _answer_markdown(answer: Answer) -> str:
    pairs = "\n".join(f"- **{head}:** {text}." for head, text in answer.sentences)
    rules = "; ".join(f"**{one.name}** {one.asks}: **{one.state}**" for one in answer.rules)
    outcome = f"By rules set before measuring, **{answer.outcome}** ({answer.outcome_rule})."
    first = f"**{answer.question} {answer.short}.**"
    judged = f"{outcome} {rules}." if answer.rules else ""
    return "\n\n".join(filter(None, [first, answer.words, pairs, judged]))


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(one.replace("|", "\\|") or " " for one in cells) + " |"
