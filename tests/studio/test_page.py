"""What people do in the studio: the example, their own pictures, questions, clicks and budgets."""

import re
from pathlib import Path

import pytest
from PIL import Image

from pdfs import LETTER, letter, pdf_of_pages

INVOICE = Path(__file__).parents[2] / "docs" / "invoice.png"
PHONE, DESK = (390, 844), (1440, 900)


def test_an_example_another_question_a_click_and_a_budget(visit, model_server) -> None:
    page = visit.page
    assert "See what a model would see" in page.locator("#output").inner_text()
    visit.results(lambda: page.click("button.try"))
    first = visit.table()
    assert list(first) == ["resize", "views", "cut"]
    assert all(tokens <= 64 for tokens, _ in first.values())
    assert first["views"][1] > first["resize"][1] + 0.2

    spot = page.locator(".card.ours .spot img").get_attribute("src")
    question = page.locator("#question textarea, #question input")
    question.fill("When was the sample taken?")
    visit.results(lambda: question.press("Enter"))
    assert page.locator(".card.ours .spot img").get_attribute("src") != spot

    spot = page.locator(".card.ours .spot img").get_attribute("src")
    box = page.locator("#pane .source").bounding_box()
    point = {"x": box["width"] * 0.3, "y": box["height"] * 0.12}
    visit.results(lambda: page.locator("#pane .source").click(position=point))
    assert page.locator("#pane .cross").is_visible()
    assert page.locator(".card.ours .spot img").get_attribute("src") != spot
    visit.results(lambda: page.click("[data-act=forget]"))
    assert page.locator("#pane .cross").count() == 0

    number = page.locator("#tokens input[type=number]")
    number.fill("16")
    visit.results(lambda: number.press("Enter"))
    fewer = visit.table()
    assert all(tokens <= 16 for tokens, _ in fewer.values())
    assert fewer["views"][1] < first["views"][1]
    assert visit.faults == []


def test_the_models_answers_stand_beside_the_methods(visit, model_server) -> None:
    page = visit.page
    if model_server.seen is not None:
        model_server.seen.clear()
    visit.results(lambda: page.click("button.try"))
    said = [one.inner_text() for one in page.locator(".answer").all()]
    assert len(said) == 3  # resize, views and the untouched picture; cells cannot be sent
    assert not [one for one in said if "No answer" in one]
    if model_server.seen is None:
        return
    parts = [one.body["messages"][0]["content"] for one in model_server.seen]
    many = [sum(part["type"] == "image_url" for part in message) for message in parts]
    assert (many[0], many[-1]) == (1, 1)
    assert many[1] > 1
    assert all(message[-1]["text"] == "What is the value of ferritin?" for message in parts)
    sizes = [sum(len(str(part)) for part in message) for message in parts]
    assert sizes[2] > 2 * sizes[0]


def test_a_picture_of_ones_own_with_two_other_methods(visit) -> None:
    page = visit.page
    page.locator("#pane .file").set_input_files(INVOICE)
    page.wait_for_selector("#pane .source")
    assert "1024 x 1408" in page.locator("#pane .facts").inner_text()
    page.wait_for_function("document.querySelector('#output').innerText.includes('ask a question')")
    question = page.locator("#question textarea, #question input")
    question.fill("What is the total due?")
    visit.results(lambda: page.get_by_role("button", name="Look").click())
    others = page.locator("#others input")
    others.click()
    visit.results(lambda: page.get_by_role("option", name="foveated", exact=True).click())
    assert list(visit.table()) == ["resize", "views", "cut", "foveated"]
    assert visit.faults == []


def test_what_is_no_picture_is_refused_kindly_and_the_page_goes_on(visit, tmp_path) -> None:
    page = visit.page
    (tmp_path / "diary.png").write_text("Dear diary, today I was no picture.")
    Image.new("1", (10_000, 10_000)).save(tmp_path / "wall.png")
    told = {"diary.png": "expected PNG, JPEG", "wall.png": r"100 megapixels .* up to 64"}
    for name, message in told.items():
        page.locator("#pane .file").set_input_files(tmp_path / name)
        page.wait_for_function(
            "name => document.querySelector('#pane .problem')?.innerText.startsWith(name)", arg=name
        )
        assert re.search(message, page.locator("#pane .problem").inner_text())
    refused = "the server responded with a status of 400"
    assert [one for one in visit.faults if refused not in one] == []
    page.locator("#pane .file").set_input_files(INVOICE)
    page.wait_for_selector("#pane .source")
    assert page.locator("#pane .problem").count() == 0


@pytest.mark.parametrize("visit", [PHONE, DESK], indirect=True)
def test_nothing_sticks_out_of_the_page(visit) -> None:
    page = visit.page
    wide = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= wide
    visit.results(lambda: page.click("button.try"))
    assert page.evaluate("document.documentElement.scrollWidth") <= wide
    parts = ".results section, .results .card, .results figure, .results img:not(.sent img)"
    for part in page.locator(parts).all():  # a picture that is sent scrolls within its figure
        box = part.bounding_box()
        assert box is None or box["x"] + box["width"] <= wide + 1
    assert visit.faults == []


def test_no_route_of_gradio_opens_a_file_or_takes_one(visit) -> None:
    page = visit.page
    statuses = page.evaluate(
        """async () => {
          const get = ["gradio_api/file=/etc/passwd", "gradio_api/proxy=http://a/", "config"];
          const found = [];
          for (const path of get) found.push((await fetch(path)).status);
          const file = {path: "/etc/passwd", meta: {_type: "gradio.FileData"}};
          const body = JSON.stringify({data: [file, "", 64, "qwen3-vl", []], fn_index: 1,
            session_hash: "abc"});
          const headers = {"content-type": "application/json"};
          for (const path of ["gradio_api/queue/join", "gradio_api/upload"])
            found.push((await fetch(path, {method: "POST", body, headers})).status);
          return found;
        }"""
    )
    assert statuses == [404, 404, 200, 400, 404]


def test_frames_of_an_animation_are_turned(visit, tmp_path) -> None:
    page = visit.page
    visit.results(lambda: page.click("button.try"))
    frames = [Image.new("RGB", (300, 200), shade) for shade in ("white", "grey")]
    frames[0].save(tmp_path / "cat.gif", save_all=True, append_images=frames[1:])
    visit.results(lambda: page.locator("#pane .file").set_input_files(tmp_path / "cat.gif"))
    assert "frame 1 of 2" in page.locator("#pane .pages").inner_text()
    assert "This is frame 1 of 2 of an animation." in page.locator(".results .head").inner_text()
    visit.results(lambda: page.click("[data-act=next]"))
    assert "frame 2 of 2" in page.locator("#pane .pages").inner_text()
    assert visit.faults == []


def test_the_pictures_are_shown_at_the_size_that_is_sent(visit) -> None:
    page = visit.page
    visit.results(lambda: page.click("button.try"))
    sizes = page.evaluate(
        """[...document.querySelectorAll(".sent img")].map((one) =>
          [one.clientWidth, one.clientHeight, one.naturalWidth, one.naturalHeight])"""
    )
    assert len(sizes) > 1
    assert all(shown[:2] == shown[2:] for shown in sizes)


def report(path: Path) -> Path:
    """A PDF of twelve pages, of which the seventh has the answer."""
    clerks = ["Adams", "Brown", "Clark", "Davis", "Evans", "Foster", "Grant", "Hughes", "Irwin",
              "Jones", "Kelly", "Lewis"]  # fmt: skip
    lines = [f"Room {60 + page} belongs to {clerk}" for page, clerk in enumerate(clerks, 1)]
    pages = [letter([*LETTER[:3], line, *LETTER[3:]]) for line in lines]
    path.write_bytes(pdf_of_pages(pages))
    return path


def test_a_pdf_is_asked_as_a_whole_and_a_page_of_it_alone(visit, tmp_path) -> None:
    page = visit.page
    data = list(report(tmp_path / "report.pdf").read_bytes())
    dropped = page.evaluate_handle(
        """data => { const held = new DataTransfer();
          held.items.add(new File([new Uint8Array(data)], "report.pdf")); return held; }""",
        data,
    )
    page.dispatch_event("#pane .drop", "drop", {"dataTransfer": dropped})
    page.wait_for_selector("#pane .source")
    assert "All 12 pages are asked" in page.locator("#pane .scope").inner_text()
    question = page.locator("#question textarea, #question input")
    question.fill("To whom does room 67 belong?")
    question.press("Enter")
    page.wait_for_selector(".results.document .answer")
    head = page.locator(".results .head").inner_text()
    assert re.search(r"instead of [\d,]+ for all 12 pages", head)
    assert re.search(r"Pages? [\d, and]*7", head)
    wide = page.evaluate("document.querySelector('.sheet img').naturalWidth")
    assert wide == 1600
    assert "7" in page.locator(".sheet tbody tr td:first-child").all_inner_texts()
    assert "page 7, " in page.locator(".sent").inner_text()

    page.click("[data-act=next]")
    assert "page 2 of 12" in page.locator("#pane .pages").inner_text()
    visit.results(lambda: page.click("[data-act=alone]"))
    assert list(visit.table()) == ["resize", "views", "cut"]
    assert page.locator(".sheet").count() == 0
    assert visit.faults == []


def test_a_broken_pdf_and_one_of_too_many_pages_are_refused(visit, tmp_path) -> None:
    page = visit.page
    (tmp_path / "torn.pdf").write_bytes(report(tmp_path / "report.pdf").read_bytes()[:300])
    page.locator("#pane .file").set_input_files(tmp_path / "torn.pdf")
    page.wait_for_selector("#pane .problem")
    assert page.locator("#pane .problem").inner_text().startswith("torn.pdf: ")
    (tmp_path / "long.pdf").write_bytes(pdf_of_pages([letter(LETTER[:1])] * 601))
    page.locator("#pane .file").set_input_files(tmp_path / "long.pdf")
    page.wait_for_selector("#pane .source")
    question = page.locator("#question textarea, #question input")
    question.fill("What is the total?")
    question.press("Enter")
    page.wait_for_selector("#output .problem")
    assert "has 601 pages; the studio reads up to 600" in page.locator("#output").inner_text()
