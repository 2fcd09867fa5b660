"""Documents: one budget over all pages, the right page and lines, any source, and no surprises."""

import json
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from PIL import Image

import homunculus
from homunculus import Document, DocumentViews, Planner, Views
from homunculus.messages.pictures import is_view
from homunculus.pages import open_picture
from homunculus.planner.bill import least
from homunculus.planner.counting import LevelRule, TokenRule
from homunculus.planner.labels import text_tokens
from homunculus.planner.models import token_rule
from pdfs import LETTER, letter, pdf_of_pages

MODELS = ("qwen3-vl", "claude", "gpt-4o", "gemini-2.5", "gemini-3")
TOWNS = (
    "Aberdeen", "Bergen", "Cadiz", "Dresden", "Esbjerg", "Florence", "Geneva", "Hamburg",
    "Innsbruck", "Jakarta", "Kyoto", "Lisbon", "Malmo", "Nairobi", "Oslo", "Prague", "Quito",
    "Rotterdam", "Santiago", "Tallinn", "Utrecht", "Valencia", "Warsaw", "Xanten", "Yerevan",
    "Zurich", "Boston", "Chicago", "Denver", "Seattle",
)  # fmt: skip
KEEPERS = (
    "Ashworth", "Barlow", "Crane", "Dunmore", "Elwood", "Fairfax", "Gribble", "Hobson", "Ingram",
    "Jessop", "Kellogg", "Lockwood", "Mayhew", "Norwood", "Osgood", "Pickett", "Quimby",
    "Radcliffe", "Sotheby", "Thorpe", "Underhill", "Varley", "Whitlock", "Yardley", "Zeller",
    "Boswell", "Cartwright", "Drummond", "Everett", "Fogarty",
)  # fmt: skip


def facts(page: int) -> list[str]:
    """The lines of a page, one of which no other page has."""
    town, keeper = TOWNS[page - 1], KEEPERS[page - 1]
    rows = [f"Report on the harbour office, part {page} of all"]
    rows += LETTER[1:4] * (1 + page % 3)
    return [*rows, f"The lighthouse of {town} is kept by {keeper}", *LETTER[4:]]


def question(page: int) -> str:
    return f"Who keeps the lighthouse of {TOWNS[page - 1]}?"


@cache
def data(pages: int) -> bytes:
    return pdf_of_pages([letter(facts(page)) for page in range(1, pages + 1)])


@cache
def document(pages: int = 30) -> Document:
    return homunculus.open(data(pages), keep=False)


@cache
def shown() -> DocumentViews:
    return document(5).views(question(3), 200)


def price(views: Views) -> int:
    """What the pictures of a page cost by the model's own count, at the setting that they need."""
    rule, sizes = views.rule, [view.size for view in views]
    if isinstance(rule, LevelRule):
        assert views.bill.setting is not None
        return len(sizes) * dict(rule.values)[views.bill.setting[1]]
    if rule.unit and views.bill.setting == rule.unit.setting:
        assert max(map(max, sizes)) <= rule.unit.side
        return len(sizes) * rule.unit.tokens
    assert isinstance(rule, TokenRule) or views.bill.setting is None
    return sum(rule.prices(sizes))


# ---- what it costs -------------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
def test_pictures_and_their_lines_cost_no_more_than_the_budget(model) -> None:
    for tokens in (16, 273, 600):
        seen = document(5).views(question(4), tokens, model=model)
        assert seen.limit == tokens or (seen.note and tokens < least(seen.rule) + 8)
        assert sum(price(page.views) for page in seen.pages) == seen.tokens
        assert sum(map(text_tokens, seen.labels())) <= seen.label_tokens
        assert 0 < seen.tokens + seen.label_tokens <= seen.limit
        assert len(seen) == len(seen.labels()) == len(seen.images()) <= 12
        assert seen.untouched == 5 * token_rule(model).count((2200, 1700))
        assert 0 <= seen.value + seen.absent <= 1


def test_a_budget_that_buys_no_picture_is_raised_or_refused() -> None:
    seen = document(5).views(question(4), 70, model="gpt-4o")
    assert seen.limit == seen.tokens + seen.label_tokens
    assert seen.tokens == 85
    assert seen.limit > 85
    assert (
        f"The budget of 70 tokens was raised: the smallest picture and its line cost {seen.limit}"
        in seen.message
    )
    with pytest.raises(
        ValueError, match=f"70 tokens are too few: .* cost {seen.limit} with gpt-4o"
    ):
        document(5).views(question(4), 70, model="gpt-4o", strict=True)


def same(first: DocumentViews, second: DocumentViews) -> bool:
    pairs = zip(first.images(), second.images(), strict=True)
    return (first.to_json(), first.views) == (second.to_json(), second.views) and all(
        one.tobytes() == other.tobytes() for one, other in pairs
    )


@pytest.mark.parametrize("model", ["qwen3-vl", "gpt-4o"])
def test_the_same_question_has_the_same_views_whatever_was_asked_before(model) -> None:
    fresh = homunculus.open(data(5), keep=False).views(question(4), 120, model=model)
    document(5).views(question(2), 190, model=model)
    assert same(fresh, document(5).views(question(4), 120, model=model))
    assert same(fresh, homunculus.views(data(5), question(4), tokens=120, model=model))


@pytest.mark.parametrize("model", ["qwen3-vl", "claude", "gemini-3"])
@pytest.mark.parametrize("asked", [question(2), "What is the total due and who is the keeper?"])
def test_the_value_never_falls_from_a_power_of_two_to_the_next(model, asked) -> None:
    budgets = (512, 1024, 2048) if model == "gemini-3" else (16, 32, 64, 128, 256)
    values = [document(5).views(asked, tokens, model=model).value for tokens in budgets]
    assert all(small <= large + 1e-6 for small, large in pairwise(values))
    assert values[-1] > values[0]


@pytest.mark.parametrize("model", ["qwen3-vl", "gpt-4o", "gemini-3"])
def test_a_document_of_one_page_has_the_plan_of_its_picture(model) -> None:
    one = homunculus.open(data(1), keep=False)
    tokens = 150
    given: Any = {"model": model, "label": False}
    seen = one.views(question(1), tokens, **given)
    alone = Planner(open_picture(data(1), longest=8192), question(1), **given).views(tokens)
    assert [page.views.bill for page in seen.pages] == [alone.bill]
    assert seen.views == alone.views
    pairs = zip(seen.images(), alone.images(), strict=True)
    assert all(one.tobytes() == other.tobytes() for one, other in pairs)
    labelled = one.views(question(1), tokens, model=model)
    assert labelled.tokens + labelled.label_tokens <= labelled.limit


# ---- what is shown -------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [1, 8, 17, 30])
def test_the_right_page_and_line_are_shown(page) -> None:
    ranking = document().rank(question(page))
    assert ranking.best(1) == [page]
    words = document().lines(page)
    assert words is not None
    x0, y0, x1, y1 = words.boxes[words.words.index(KEEPERS[page - 1])].tolist()
    for tokens in (64, 273):
        seen = document().views(question(page), tokens)
        (here,) = [each for each in seen.pages if each.number == page]
        assert here.probability == max(each.probability for each in seen.pages)
        assert here.probability == pytest.approx(float(ranking.page[page - 1]))
        assert any(
            view.box.x0 <= x0 + 1 and view.box.y0 <= y0 + 1
            and view.box.x1 >= x1 - 1 and view.box.y1 >= y1 - 1
            and view.scale > 0.25
            for view in here.views
        )  # fmt: skip
        assert seen.basis == "found"
        assert str(page) in seen.message


def test_labels_name_pages_and_boxes_lie_on_them() -> None:
    seen = document().views(question(12), 300, label="long")
    assert [page.number for page in seen.pages] == sorted({view.page for view in seen})
    assert len(seen.labels()) == len(seen) == len(seen.views)
    for view, label, image in zip(seen, seen.labels(), seen.images(), strict=True):
        kind = "the whole picture" if view.name == "whole" else "detail"
        assert label.startswith(f"Page {view.page}, {kind}")
        high, wide = document().picture_size(view.page)
        assert 0 <= view.box.x0 < view.box.x1 <= wide
        assert 0 <= view.box.y0 < view.box.y1 <= high
        assert image.size[::-1] == view.size
    assert document().views(question(12), 200, label=False).labels() == []
    assert seen[0] is seen.views[0]


def test_pixels_are_those_of_the_page() -> None:
    seen = shown()
    for view, image in zip(seen, seen.images(), strict=True):
        page = document(5).picture(view.page).image().crop(tuple(map(int, view.box)))
        expected = np.asarray(page.resize(image.size, Image.Resampling.LANCZOS), int)
        assert np.abs(expected - np.asarray(image, int)).mean() < 2
    assert document(5).picture(3).page == 3
    assert document(5).picture(3).pages == 5


def test_every_api_is_given_all_pictures() -> None:
    seen = shown()
    count = len(seen)
    assert count > 1
    kinds = (("openai", "image_url"), ("responses", "input_image"), ("anthropic", "image"))
    for name, kind in kinds:
        assert sum(part["type"] == kind for part in getattr(seen, name)()) == count
        assert sum(part["type"] != kind for part in getattr(seen, name)()) == count
    assert len(seen.gemini()) == 2 * count
    assert len(seen.ollama()["images"]) == count
    bundle = seen.bundle()
    assert [part.label for part in bundle.parts] == seen.labels()
    assert (bundle.tokens, bundle.label_tokens) == (seen.tokens, seen.label_tokens)
    with pytest.raises(ValueError, match="planned without numbers"):
        seen.openai(2)


def test_one_of_several_documents_says_which_it_is() -> None:
    seen = document(5).views(question(3), 200, numbered=True)
    first = next(iter(seen)).page
    assert seen.labels(2)[0].startswith(f"Document 2, page {first}")
    assert seen.labels()[0].startswith(f"Page {first}")
    assert seen.tokens + seen.label_tokens <= seen.limit
    assert sum(map(text_tokens, seen.labels(999))) <= seen.label_tokens


def test_pictures_are_saved_and_those_of_an_earlier_call_deleted(tmp_path) -> None:
    (tmp_path / "page-1-note.png").write_bytes(b"mine")
    (tmp_path / "other.txt").touch()
    first = document(5).views(question(3), 190).save(tmp_path)
    assert len(first) > 1
    seen = document(5).views(question(4), 24)
    paths = seen.save(str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {
        "page-1-note.png", "other.txt", *(path.name for path in paths)
    }  # fmt: skip
    assert all(path.name.startswith("page-4-") and is_view(path.read_bytes()) for path in paths)
    for path, view in zip(paths, seen, strict=True):
        with Image.open(path) as saved:
            assert saved.size[::-1] == view.size


def test_facts_are_json_and_a_drawing_is_drawn() -> None:
    seen = shown()
    told = json.loads(json.dumps(seen.to_json()))
    assert (told["count"], told["limit"], told["tokens"]) == (5, 200, seen.tokens)
    assert [page["page"] for page in told["pages"]] == [page.number for page in seen.pages]
    assert sum(len(page["views"]) for page in told["pages"]) == len(seen)
    assert told["ranking"][0]["page"] == 3
    drawing = seen.show()
    assert drawing.width == 1600
    assert len(set(drawing.resize((200, 200)).tobytes())) > 10
    assert seen._repr_png_().startswith(b"\x89PNG")
    assert "tokens" in repr(seen)


def test_without_a_question_the_first_page_is_shown() -> None:
    seen = document(5).views("", 100)
    assert [page.number for page in seen.pages] == [1]
    assert seen.basis == "unknown"
    assert seen.show().width == 1600


# ---- what is asked -------------------------------------------------------------------------------


def test_without_a_page_views_are_those_of_the_document() -> None:
    assert isinstance(homunculus.views(data(5), question(3), tokens=64), DocumentViews)
    page = homunculus.views(data(5), question(3), tokens=64, page=3)
    assert isinstance(page, Views)
    assert page.picture.page == 3
    assert isinstance(homunculus.views(data(1), question(1), tokens=64), Views)


@pytest.mark.parametrize(
    ("given", "name"),
    [({"tokens": "auto"}, "auto"), ({"words": [("a", (0, 0, 9, 9))]}, "words"),
     ({"legible": 0.8}, "legible")],
)  # fmt: skip
def test_what_only_a_page_can_have_is_refused_for_a_document(given, name) -> None:
    with pytest.raises(
        ValueError, match=rf"{name}.* is not for documents. (Name a|Ask about one) page"
    ):
        homunculus.views(data(5), question(3), **given)
    assert isinstance(homunculus.views(data(5), question(3), page=3, **given), Views)


@pytest.mark.parametrize("page", [0, -1, 6, True, 1.0, "1", None])
def test_pages_that_are_not_there_are_refused(page) -> None:
    for method in (document(5).picture, document(5).lines, document(5).picture_size):
        with pytest.raises((ValueError, TypeError), match="page"):
            method(page)


@pytest.mark.parametrize(
    "scores", [[], [1.0] * 4, [1.0] * 6, [[1.0] * 5], [np.nan] * 5, [np.inf, *[0.0] * 4]]
)
def test_a_score_for_every_page_is_expected_of_a_retriever(scores) -> None:
    with pytest.raises(ValueError, match="expected 5 numbers, one for each page"):
        document(5).views(question(3), 64, retriever=lambda question: scores)


def test_the_scores_of_a_retriever_decide() -> None:
    asked = list[str]()

    def retriever(question: str) -> list[float]:
        asked.append(question)
        return [0, 0, 0, 6, 0]

    seen = document(5).views(question(3), 16, retriever=retriever)
    assert asked == [question(3)]
    assert [page.number for page in seen.pages] == [4]
    assert seen.absent == 0
    scores = np.zeros(5)
    scores[1] = 9
    assert document(5).rank("", scores.tolist()).best(1) == [2]
    assert document(5).rank("", lambda question: scores).best(1) == [2]


@pytest.mark.parametrize("given", [{"tokens": 0}, {"tokens": 1.5}, {"question": None}])
def test_what_is_no_question_or_no_budget_is_refused(given) -> None:
    with pytest.raises((ValueError, TypeError), match=r"tokens|question"):
        document(5).views(**{"question": "What?", **given})
