"""Places that a question names ("bottom right"), and questions about the whole picture."""

import re
from typing import NamedTuple

import numpy as np

from homunculus.shapes import Float


class Place(NamedTuple):
    """A soft blob in fractions of the picture; None runs along the whole side."""

    y: float | None
    x: float | None
    spread: float = 0.35


TOP, BOTTOM = Place(0.0, None), Place(1.0, None)
LEFT, RIGHT = Place(None, 0.0), Place(None, 1.0)
CENTRE = Place(0.5, 0.5)
HEADER, FOOTER = Place(0.0, None, 0.15), Place(1.0, None, 0.15)
BACKGROUND, FOREGROUND = Place(0.2, None, 0.5), Place(1.0, None, 0.5)  # scenes recede upwards

_PICTURE = (
    r"(?:images?|pictures?|photos?|photographs?|pages?|documents?|screen|screenshot|paper|form|"
    r"receipt|invoice|letter|slide|poster|chart|graph|figure|diagram|plot|map|scan|frame|scene|"
    r"sheet|shot|infographic|flyer|panel)\b"
)
_ITS = rf"(?:(?:the|this|that|a|an|your) )?(?:\w+ )?{_PICTURE}"
_OF, _IN = rf"(?: of {_ITS})", rf"(?: (?:in|on) {_ITS})"
"""... of the page, in this bar chart: the phrase speaks of the picture."""
_END = (
    r"(?=\s*(?:$|[?.!,;:)\"'~]|(?:is|are|was|were|has|have|had|say|says|read|reads|show|shows|"
    r"do|does|did|wearing|holding|standing|sitting|called|written|printed|with|who|that|which|"
    r"and (?!wrong)|or (?!wrong))\b))"
)
"""Nothing follows that the phrase could belong to, as in "on the right track"."""
_WHOLE = rf"(?:{_OF}|{_IN}|{_END})"
_REGION = r"(?:half|part|portion|section|third|quarter|edge|margin|corner|row|area)"
_THING = rf"(?:{_PICTURE}|(?:numbers?|text|logo|words?|box|cell|icon|date|stamp|button|window)\b)"


def _corner(vertical: str, side: str) -> str:
    """Any of the ways to name one corner: top-left, upper left hand side, left bottom corner."""
    region = r"(?:side|corner|part|area|section|quadrant|portion|edge|half)"
    ahead = (
        rf"{vertical}[ -]?(?:most )?{side}(?:[ -]?hand)?(?:[ -]?{region})?(?:{_WHOLE}| {_THING})"
    )
    return rf"\b(?:{ahead}|{side}[ -]{vertical} ?{region}{_WHOLE})"


def _band(vertical: str, end: str) -> str:
    """At the top, top of the page, top half; ``end`` is the plain word, top or bottom."""
    return (
        rf"\b(?:the (?:very )?{vertical} {_REGION}{_WHOLE}|{end} (?:line|{_REGION}){_OF}|{end}{_OF}"
        rf"|(?:at|near|along|across) the (?:very )?{end}{_END})"
    )


def _flank(side: str) -> str:
    """On the left, left-hand side, left edge of the page, leftmost."""
    return (
        rf"\b(?:{side}-?most\b|{side} ?-?(?:side )?margin\b"
        rf"|(?:on|at|near|along) the (?:far |very |extreme )?{side}{_WHOLE}"
        rf"|to the far {side}{_END}"
        rf"|the (?:far |very )?{side}(?:[ -]?hand)?[ -]?(?:side|half|edge|corner|third){_WHOLE}"
        rf"|{side}(?:[ -]?hand)? ?(?:part|portion|section|area|column|panel){_OF}"
        rf"|in the {side}(?:[ -]hand)? (?:column|panel){_END})"
    )


def _strip(strip: str, ordinal: str) -> str:
    """The page's header or footer, its first or last line."""
    text = r"(?: of (?:(?:the|this) )?(?:text|passage)\b)"
    return (
        rf"\b(?:(?:page|document|letter) {strip}\b|(?<!score )(?<!scored )the {strip}{_WHOLE}"
        rf"|the (?:very )?{ordinal} (?:line|sentence|paragraph)(?:{text}|{_WHOLE}))"
    )


def _depth(ground: str) -> str:
    nouns = (
        r"(?:checks?|noise|music|colou?rs?|process|processes|information|story|tasks?|apps?|jobs?)"
    )
    verbs = "".join(rf"(?<!{verb} )" for verb in ("running", "run", "playing", "working", "work"))
    return rf"\b{verbs}in the {ground}\b(?! {nouns}\b)"


_UP, _DOWN = "(?:top|upper)", "(?:bottom|lower)"
# Corners first: what a line has matched is taken out of the question for the lines below it.
TABLE: tuple[tuple[str, Place], ...] = (
    (_corner(_UP, "left"), Place(0.0, 0.0)),
    (_corner(_UP, "right"), Place(0.0, 1.0)),
    (_corner(_DOWN, "left"), Place(1.0, 0.0)),
    (_corner(_DOWN, "right"), Place(1.0, 1.0)),
    (rf"\bletterhead\b|{_strip('header', 'first')}", HEADER),
    (_strip("(?:footer|footnotes?)", "last"), FOOTER),
    (_band(_UP, "top"), TOP),
    (_band(_DOWN, "bottom"), BOTTOM),
    (_flank("left"), LEFT),
    (_flank("right"), RIGHT),
    (rf"\b(?:in|at|near) the (?:very |exact )?(?:middle|cent(?:er|re)){_WHOLE}", CENTRE),
    (rf"\bthe (?:middle|cent(?:er|re)|central) (?:part|portion|section){_WHOLE}", CENTRE),
    (_depth("background"), BACKGROUND),
    (_depth("foreground"), FOREGROUND),
)
_WORDS = (
    "top", "upper", "bottom", "lower", "left", "right", "letterhead", "header", "footer",
    "footnote", "first", "last", "middle", "cent", "background", "foreground",
)  # fmt: skip
"""Every line of the table needs one of them."""


def hint(question: str, grid: tuple[int, int]) -> Float[np.ndarray, "rows cols"] | None:
    """Where the question's own words point, 1 at the point and falling off smoothly; or None.

    Several hints are joined by their maximum. A phrase relative to a thing ("left of the car") is
    no hint: only pixels know where the car is.

    >>> hint("What is in the top-left corner?", (2, 2)).round(4)
    array([[1.    , 0.1299],
           [0.1299, 0.0169]], dtype=float32)
    >>> hint("How much time is left?", (2, 2)) is None
    True
    """
    if min(grid) < 1:
        raise ValueError(
            f"hint: a grid has 1 or more rows and cols, got {grid}. Pass (rows, cols)."
        )
    blobs = [_blob(place, grid) for place in places(question)]
    return np.max(blobs, 0) if blobs else None


def places(question: str) -> list[Place]:
    """The places a question names, each once, in the order of the table."""
    text = " ".join(re.sub(r"[\u2010-\u2015]", "-", question.lower()).split())
    named: list[Place] = []
    if not any(word in text for word in _WORDS):
        return named  # most questions: the patterns take longer to compile than numpy to load
    for pattern, place in TABLE:
        text, count = re.subn(pattern, " ~ ", text)
        if count and place not in named:
            named.append(place)
    return named


def _blob(place: Place, grid: tuple[int, int]) -> Float[np.ndarray, "rows cols"]:
    """A Gaussian around the place, scaled so that the best cell is 1 on every grid."""
    off = [
        np.zeros(cells, np.float32) if point is None else _middles(cells) - point
        for cells, point in zip(grid, (place.y, place.x), strict=True)
    ]
    distance = off[0][:, None] ** 2 + off[1] ** 2
    return np.exp((distance.min() - distance) / (2 * place.spread**2))


def _middles(cells: int) -> Float[np.ndarray, " cells"]:
    """Where the middles of cells are, in fractions of the picture."""
    return (np.arange(cells, dtype=np.float32) + 0.5) / cells


# ---- questions about the whole picture -----------------------------------------------------------

# A summary, a translation, a list of everything: no place is better than another for them, so
# windows only take tokens from the rest. They are known by how they begin, in four languages; a
# request that names a part ("translate the second line") is not one of them.

_LEAD = (
    r"^\W*(?:(?:please|kindly|can you|could you|would you|i want you to|help me|bitte|kannst du|"
    r"können sie|s'il (?:te|vous) plaît|peux-tu|pouvez-vous|por favor|puedes|podrías?)\W+)*"
)
_PAGE = (
    r"(?:page|document|image|picture|photo|screenshot|text|letter|e-?mail|article|invoice|receipt|"
    r"slide|chart|graph|diagram|table|spreadsheet|form|menu|contract|report|paper|statement|label|"
    r"pdf|file|scan|screen|website|message|conversation|code|contents?|data)"
)
_THIS = rf"(?:(?:this|the|that|my|these|those)\s+)?(?:(?:whole|entire|full|attached)\s+)?{_PAGE}s?"
_SEITE = (
    r"(?:seiten?|dokument\w*|bild(?:e?s|er)?|foto\w*|texte?s?|brief\w*|e-?mail|artikels?|rechnung|"
    r"quittung|folien?|diagramm\w*|tabelle|formular\w*|speisekarte|vertrag\w*|berichts?|inhalts?|"
    r"bildschirm\w*)"
)
_CETTE = (
    r"(?:page|document|image|photo|capture|texte|lettre|courriel|article|facture|reçu|diapositive|"
    r"graphique|tableau|formulaire|menu|contrat|rapport|contenu)"
)
_ESTA = (
    r"(?:página|documento|imagen|foto|captura|texto|carta|correo|artículo|factura|recibo|"
    r"diapositiva|gráfic[oa]|tabla|formulario|menú|contrato|informe|contenido)"
)
_STOP = r"\s*(?:[?.!:,;].*|$|\b(?:for me|in|into|to|to me|as|briefly|shortly|please|and)\b.*)$"
_ENDE = r"\s*(?:[?.!:,;].*|$|\b(?:ins?|auf|als|kurz|bitte|zusammen|für mich|und)\b.*)$"
_FIN = r"\s*(?:[?.!:,;].*|$|\b(?:en|au|pour moi|como|para mí|al|y|et|brièvement|brevemente)\b.*)$"
_ALL = r"(?:all|every|everything|each)"

_FORMS = (
    # English
    r"(?:tl;?dr|ocr this)\b",
    rf"(?:summari[sz]e|describe|transcribe|translate|paraphrase|proofread|caption|digiti[sz]e|"
    rf"explain|convert)(?:\s+(?:{_THIS}|this|it|everything|what you see|what is (?:here|shown)))?"
    rf"{_STOP}",
    rf"(?:extract|list|read out|read|copy|transcribe|translate|give me|show me|write down)\s+{_ALL}"
    r"\b",
    rf"(?:extract|copy|read(?: out)?)\s+{_THIS}{_STOP}",
    rf"(?:(?:give|write|make|provide)\s+(?:me\s+)?)?(?:an?|the)?\s*(?:\w+\s+)?(?:summary|overview|"
    rf"gist|transcript(?:ion)?|translation)(?:\s+(?:of|for)\s+(?:{_THIS}|this|it))?"
    rf"{_STOP}",
    rf"what(?:'s| is| are)\s+(?:{_THIS}|this|it)\s+(?:all\s+)?about\W*$",
    rf"what(?:'s| is) (?:this|that) {_PAGE}\W*$",
    rf"what does (?:this|that) {_PAGE} (?:say|show|contain)\W*$",
    rf"what(?:'s| is| can you see| do you see)\s+(?:in|on)\s+(?:this|that) {_PAGE}\W*$",
    r"what(?:'s| is)\s+in\s+the\s+(?:picture|image|photo|screenshot)\W*$",
    # German
    rf"(?:fasse?|beschreibe?|übersetze?|transkribiere?|erkläre?|lies|lese)\s+(?:mir\s+)?(?:(?:das|die|den|"
    rf"dies(?:e|es|en)?|alles)(?:\s+(?:ganze[ns]?|gesamte[ns]?))?(?:\s+{_SEITE})?|{_SEITE}){_ENDE}",
    r"(?:liste|zähle|gib|schreibe?|extrahiere)\s+(?:mir\s+)?(?:alles?|alle[nr]?|sämtliche)\b",
    rf"(?:eine?\s+)?(?:zusammenfassung|übersetzung|überblick)\b{_ENDE}",
    r"wo(?:rum|rüber) geht es\b",
    # French
    rf"(?:résume[rz]?|décri[st]|décrivez|décrire|tradui[st]|traduisez|traduire|transcri[st]|transcrivez|"
    rf"explique[rz]?)(?:-moi)?(?:\s+(?:(?:ce|cet|cette|le|la|tout|toute|tout le|toute la)\s+|l['’])"
    rf"{_CETTE}|\s+(?:tout|ça|cela|ceci))?{_FIN}",
    r"(?:liste[rz]?|extrai[st]|extrayez|donne[rz]?(?:-moi)?|énumère[rz]?)\s+(?:tou[st]|toutes?)\b",
    rf"(?:un\s+)?résumé\b{_FIN}",
    r"de quoi (?:parle|s'agit)\b",
    # Spanish
    rf"(?:resum[ea]|resumir|resúmeme|describ[ae]|describir|descríbeme|traduc[ei]\w*|traduzca|transcrib\w+|"
    rf"explic\w+)(?:\s+(?:(?:est[ae]|el|la|todo|toda|todo el|toda la)\s+){_ESTA}|\s+(?:todo|esto))"
    rf"{_FIN}",
    r"(?:lista|enumera|extrae|dame|haz una lista de)\s+(?:tod[oa]s?)\b",
    r"(?:un\s+)?resumen\s+(?:de|del)\b",
    r"de qué (?:trata|se trata)\b",
)
_FOR_ALL = re.compile(f"{_LEAD}(?:{'|'.join(_FORMS)})", re.IGNORECASE)


def asks_for_all(question: str) -> bool:
    """Whether a question is about the whole picture, and no place answers it.

    >>> asks_for_all("Please summarize this page."), asks_for_all("Übersetze den Brief")
    (True, True)
    >>> asks_for_all("Translate the second line"), asks_for_all("What is the total?")
    (False, False)
    """
    return bool(_FOR_ALL.match(" ".join(question.split())[:300]))
