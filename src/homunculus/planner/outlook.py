"""What to expect of a plan, in words: how likely it shows the answer, and whether it is a guess."""

from dataclasses import dataclass

from homunculus.core.pipeline import OF_THING, Sight, probabilities, resize_map
from homunculus.planner.acuity import THING, Acuity


@dataclass(frozen=True, eq=False)
class Outlook:
    """What a scout found and a plan is worth, ready to be told."""

    question: str
    sight: Sight
    acuity: Acuity

    def __repr__(self) -> str:
        return f"<Outlook of {self.question!r}: {self.sight.origin}, {self.acuity.name}>"

    @property
    def guess(self) -> bool:
        """Whether nothing that the question names was found, so that the plan is a guess."""
        return self.sight.guess

    @property
    def absent(self) -> tuple[str, ...]:
        """The things that were looked for, where nothing that the question names was found."""
        names = (one.text for one in self.sight.matches if one.text.endswith(OF_THING))
        return tuple(name.removesuffix(OF_THING) for name in names) if self.guess else ()

    @property
    def of_thing(self) -> bool:
        """Whether the answer is more likely a thing than print."""
        if self.sight.thing is None:
            return False
        grid = (int(self.sight.logit.shape[0]), int(self.sight.logit.shape[1]))
        thing = resize_map(self.sight.thing.float(), grid)
        return float((probabilities(self.sight.logit) * thing).sum()) > 0.5

    def why_whole(self) -> str:
        """Why there are no windows, where nobody knows where to look."""
        if not self.question.strip():
            return "There is no question, so the whole picture is resized."
        told = "The scout does not know where to look, so the whole picture is resized."
        return f"{told} {self.sight.unsure}".rstrip()

    def promise(self, value: float) -> str:
        """How likely the answer is shown well enough."""
        if self.absent:  # how large it would be shown says nothing if it is not there
            return (
                f"Not seen: {', '.join(self.absent)}. So this is a guess, and how likely the "
                f"answer is in it cannot be told.{self._unread()}"
            )
        if self.of_thing:
            shown = f"what is asked about is shown large enough, {THING:g} px or more"
            told = f"{shown}, with probability {value:.2f}."
        else:
            told = f"the answer can be read with probability {value:.2f}, by {self.acuity.reader}."
        if self.guess:
            nothing = (
                "Nothing that the question names" if self.of_thing else "No word of the question"
            )
            told = f"{nothing} was found, so this is a guess: {told}"
        return f"{told[0].upper()}{told[1:]}{self._compares()}{self._unread()}"

    def _compares(self) -> str:
        """A warning where its words hardly say where to look."""
        if not self.sight.facts.get("compares"):
            return ""
        return " The question compares or counts, so windows may miss what it is about."

    def _unread(self) -> str:
        """Words that nobody looked for."""
        words = self.sight.facts.get("unsupported") or ()
        return (
            f" Not looked for, in a script that is not known: {', '.join(words)}." if words else ""
        )
