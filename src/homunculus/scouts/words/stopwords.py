"""Words of questions that say nothing about the page, in the languages that are known.

A list counts only for questions in its language: `hat` and `die` are German function words, and
things and verbs in English. Accents are dropped, since people leave them out.
"""

import re
import unicodedata
from collections.abc import Mapping


def word_set(words: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(words.split())


def unaccented(text: str) -> str:
    """Lower case without accents; marks between letters stay.

    >>> unaccented("Où"), unaccented("CUÁNTO"), unaccented("U.S.")
    ('ou', 'cuanto', 'u.s.')
    """
    plain = unicodedata.normalize("NFKD", text.lower())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


EMPTY = word_set("""
    a an the of and or to in on at is are was were be been being am by for from with as it its
    this that these those does do did done has have had having there their they them he she his her
    him you your i we our us me my any some can could will would shall should might must not
    than then so if but about into onto over under between within per each all more most such also
    via please tell find give show look answer answers question using use single phrase only just
    here both either other same very too up out off s t
""")
"""English function words, and what instructions to models say."""
ASKING = word_set("what which who whom whose where when why how many much")
"""English question words."""

_OTHERS: Mapping[str, frozenset[str]] = {
    "german": word_set(
        unaccented("""
        wer wen wem wessen was wann wo woher wohin warum wieso weshalb wie viel viele vieles wieviel
        wieviele welche welcher welches welchen welchem
        der die das den dem des ein eine einer eines einen einem kein keine keiner keinen keinem
        und oder aber auch als wenn ob dass weil denn doch noch nur schon sehr so zu zum zur
        in im ins an am ans auf aus bei beim bis durch für gegen mit nach ohne seit über um unter
        von vom vor wegen zwischen ab pro
        ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen sich man
        mein meine meinem meinen meiner dein deine sein seine seinem seinen seiner ihre ihrem ihren
        ihrer unser unsere euer eure dies diese dieser dieses diesen diesem jede jeder jedes
        bin bist ist sind seid war waren warst gewesen wird werden wurde wurden worden
        habe hast hat haben hatte hatten kann kannst können konnte muss müssen soll sollen darf
        dürfen will wollen möchte mag lässt gibt hier da dort nicht bitte
    """)
    ),
    "french": word_set(
        unaccented("""
        qui que quoi quel quelle quels quelles quand où comment combien pourquoi lequel laquelle
        lesquels lesquelles dont est-ce
        le la les l un une des du de d au aux ce cet cette ces c
        et ou mais donc or ni car si comme aussi ne pas n plus
        à dans en sur sous par pour avec sans chez vers entre depuis pendant jusque
        je j tu il elle on nous vous ils elles me m te t se s lui leur leurs y
        mon ma mes ton ta tes son sa ses notre nos votre vos
        suis es est sommes êtes sont étais était étaient été être sera
        ai as a avons avez ont avais avait avaient eu avoir peut peux peuvent doit dois doivent
        faut fait ici là quelqu qu jusqu lorsqu puisqu plaît
    """)
    ),
    "spanish": word_set(
        unaccented("""
        qué quién quiénes cuál cuáles cuándo dónde adónde cómo cuánto cuánta cuántos cuántas
        el la los las lo un una unos unas al del
        y e o u pero ni que si como también no sí más muy
        a ante bajo con contra de desde en entre hacia hasta para por según sin sobre tras
        yo tú él ella ello nosotros vosotros ellos ellas usted ustedes me te se nos os le les
        mi mis su sus tu tus nuestro nuestra vuestro vuestra este esta estos estas ese esa esos esas
        eso esto aquel aquella soy eres es somos son era eran fue fueron ser sido está están estaba
        he has ha hemos han había haber hay tengo tiene tienen tener puedo puede pueden debo debe
        deben hace aquí allí favor
    """)
    ),
}
_ALSO_ENGLISH = (
    EMPTY
    | ASKING
    | word_set("""
    die war hat man bin will mag du er es des den da pro ob ab um
    son sur pour plus or car on me te tu ma ton ta sera fait y l d m n c j
    el no sin has o u e las los ante contra favor lo os le
""")
)
"""Words of the other lists that an English question may look for: they do not show its language."""
_WORD = re.compile(r"[^\W_]+")
_ELISION = re.compile(r"\b(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quelqu)'(?=\w)", re.IGNORECASE)


def language(text: str) -> str:
    """The language whose function words a text has most of; English where none has more.

    >>> language("Wie viel habe ich bezahlt?"), language("What colour is the hat?")
    ('german', 'english')
    """
    words = set(_WORD.findall(unaccented(text)))
    best, lead = "english", 0
    for name, known in _OTHERS.items():
        ahead = len(words & (known - _ALSO_ENGLISH)) - len(words & ((EMPTY | ASKING) - known))
        if ahead > lead:
            best, lead = name, ahead
    return best


def split_elisions(text: str) -> str:
    """A French text with the articles and pronouns taken off that stand before an apostrophe.

    >>> split_elisions("Quelle est l'adresse ?")
    'Quelle est adresse ?'
    """
    return _ELISION.sub("", text)


def is_stopword(word: str, spoken_in: str) -> bool:
    """Whether a word, or each part of one with hyphens, is a function word of a language.

    >>> [is_stopword(word, "french") for word in ("Combien", "ai-je", "adresse")]
    [True, True, False]
    """
    known = _OTHERS.get(spoken_in, EMPTY | ASKING)
    return all(part in known for part in unaccented(word).split("-"))
