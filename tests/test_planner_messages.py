"""Views as parts of messages: what each API expects, labels, files without metadata."""

import json
import re
from base64 import b64decode
from io import BytesIO

import pytest
from PIL import Image, ImageFilter

import homunculus
from homunculus import Planner
from homunculus.commands.main import main
from homunculus.messages.pictures import MARK, encode, is_view
from homunculus.planner.cost import costs
from homunculus.planner.labels import Label, text_tokens
from test_planner_views import corner, page


def seen(model="claude", tokens=100, **options):
    return homunculus.views(page(), "What?", tokens=tokens, model=model, scout=corner(), **options)


def pictures(files):
    return [Image.open(BytesIO(one)).size[::-1] for one in files]


def data_of(url: str) -> bytes:
    head, text = url.split(",", 1)
    assert head in ("data:image/png;base64", "data:image/jpeg;base64")
    return b64decode(text)


def test_openai_chat() -> None:
    views = seen("gpt-6")
    parts = views.openai()
    assert [part["type"] for part in parts] == ["text", "image_url"] * len(views)
    urls = [part["image_url"]["url"] for part in parts[1::2]]
    assert pictures(data_of(url) for url in urls) == [view.size for view in views]
    bare = seen("gpt-6", label=False)
    assert [part["type"] for part in bare.openai()] == ["image_url"] * len(bare)
    assert "detail" not in parts[1]["image_url"]


def test_a_price_that_a_parameter_sets_sets_it() -> None:
    low = seen("gpt-4o", 255, label=False)
    assert {part["image_url"]["detail"] for part in low.openai()} == {"low"}
    assert {part["detail"] for part in low.responses()} == {"low"}
    whole = homunculus.views(page(), "What?", tokens=2_000, model="gpt-4o", scout=corner())
    assert whole.openai()[0]["image_url"]["detail"] == "high"
    (part,) = seen("gemini-3", 300).gemini()
    assert part["media_resolution"] == {"level": "MEDIA_RESOLUTION_LOW"}
    assert "media_resolution" not in seen("claude").gemini()[1]


def test_openai_responses() -> None:
    parts = seen().responses()
    assert {part["type"] for part in parts} == {"input_text", "input_image"}
    assert all(is_view(data_of(part["image_url"])) for part in parts[1::2])


def test_anthropic() -> None:
    views = seen()
    parts = views.anthropic()
    sources = [part["source"] for part in parts if part["type"] == "image"]
    assert {source["type"] for source in sources} == {"base64"}
    files = [b64decode(source["data"]) for source in sources]
    assert pictures(files) == [view.size for view in views]
    kinds = [Image.open(BytesIO(one)).get_format_mimetype() for one in files]
    assert kinds == [source["media_type"] for source in sources]


def test_gemini_and_ollama() -> None:
    views = seen()
    assert len([part for part in views.gemini() if "inline_data" in part]) == len(views)
    told = views.ollama()
    assert pictures(b64decode(one) for one in told["images"]) == [view.size for view in views]
    assert told["content"].count("\n") == len(views) - 1


def test_labels_are_short_or_say_where() -> None:
    assert set(seen().labels()) == {"Whole:", "Detail:"}
    told = seen(label="long").labels()
    assert told[0] == "The whole picture, reduced:"
    assert re.fullmatch(r"Detail, \d+-\d+% across and \d+-\d+% down:", told[1])
    assert seen(label=True).labels() == told
    assert seen(label=False).labels() == []
    alone = homunculus.views(page(), "What?", tokens=4_000, model="claude", scout=corner())
    assert alone.labels() == []


@pytest.mark.parametrize("tokens", [40, 64, 100])
@pytest.mark.parametrize("label", ["short", "long", False])
@pytest.mark.parametrize("number", [None, 2, 999])
def test_pictures_and_their_lines_keep_the_budget(tokens, label, number) -> None:
    views = seen(tokens=tokens, label=label, numbered=number is not None)
    made = views.bundle(number)
    lines = [part.label for part in made.parts if part.label]
    assert sum(text_tokens(line) for line in lines) <= made.label_tokens == views.label_tokens
    assert views.tokens + views.label_tokens <= tokens
    assert views.to_json()["label_tokens"] == views.label_tokens
    assert len(lines) == (len(views) if views.label_tokens else 0)


def test_lines_of_several_pictures_are_numbered() -> None:
    views = seen(numbered=True)
    lines = [part.label for part in views.bundle(2).parts]
    assert set(lines) == {"Picture 2, whole:", "Picture 2, detail:"}
    alone = seen(tokens=4_000, numbered=True)
    assert alone.labels(3) == ["Picture 3:"]
    assert alone.labels() == []
    assert seen(numbered=True, label="long").labels(2)[0] == (
        "Picture 2, the whole picture, reduced:"
    )


def test_what_was_not_planned_is_not_added() -> None:
    """It would cost tokens that are not counted."""
    with pytest.raises(TypeError, match="label"):
        seen().openai(label="long")
    with pytest.raises(ValueError, match="planned without numbers"):
        seen().openai(2)
    with pytest.raises(ValueError, match="expected 1 to 999, got 1000"):
        seen(numbered=True).bundle(1_000)
    with pytest.raises(ValueError, match='label must be "short", "long" or False'):
        Label.of("tiny")
    assert not any(part.label for part in seen(label=False).bundle().parts)
    assert not any(part.label for part in seen(label=False).bundle(2).parts)


def test_metadata_is_gone_and_a_view_is_known() -> None:
    secret = page().resize((90, 60))
    exif = secret.getexif()
    exif[0x010E] = "where I live"
    file = BytesIO()
    secret.save(file, "jpeg", exif=exif, comment=b"my name")
    assert not is_view(file.getvalue())
    views = homunculus.views(file.getvalue(), tokens=4_000, model="claude", scout=corner())
    (part,) = views.openai()
    data = data_of(part["image_url"]["url"])
    assert is_view(data)
    with Image.open(BytesIO(data)) as found:
        assert not found.getexif()
        assert found.info.get("comment", MARK.encode()) == MARK.encode()
    assert b"where I live" not in data
    assert b"my name" not in data


def test_print_is_never_blurred_to_save_bytes() -> None:
    smooth = page().filter(ImageFilter.GaussianBlur(3))
    assert encode(smooth).media == "image/jpeg"
    lot = page().resize((64, 64), Image.Resampling.NEAREST)  # noise: JPEG would be smaller
    assert encode(lot).media == "image/png"
    assert encode(smooth) == encode(smooth.copy())


def test_the_command_writes_pictures_a_sheet_and_json(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    page().save("page.png")
    assert main(["views", "page.png", "--tokens", "64", "--model", "claude", "-o", "out"]) == 0
    told = capsys.readouterr().out
    assert "tokens of 28 px (claude)" in told
    facts = json.loads((tmp_path / "out" / "views.json").read_text())
    assert facts["tokens"] <= 64
    assert all((tmp_path / one).exists() for one in facts["files"])
    assert (tmp_path / "out" / "sheet.png").exists()
    assert main(["views", "page.png", "--tokens", "64", "--model", "claud"]) == 2
    assert "Did you mean 'claude'?" in capsys.readouterr().err
    assert main(["views", "page.png", "--tokens", "64", "--model", "gpt-4o"]) == 0
    assert "was raised to 85, which the smallest picture costs" in capsys.readouterr().out


def test_costs_of_a_picture_and_of_a_size(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    page().save("page.png")
    assert costs("page.png") == costs("640x480")
    assert main(["cost", "4032x3024"]) == 0
    told = capsys.readouterr().out
    assert "14,364" in told
    assert main(["cost", "4032x3024", "--model", "claude", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["costs"]
    assert (row["untouched"], row["views"]) == (4_740, 273)
    assert main(["cost", "0x5"]) == 2
    assert main(["cost", "640x480", "--model", "grok"]) == 0
    assert "-: a picture costs 512 or more with grok" in capsys.readouterr().out


@pytest.mark.parametrize("model", ["gpt-4o", "gemini-2.5", "llama-4", "smolvlm", "claude"])
def test_views_cost_at_most_what_the_table_of_costs_says(model) -> None:
    whole = page()
    for tokens in (64, 273):
        (row,) = costs(f"{whole.width}x{whole.height}", model, tokens)
        planner = Planner(whole, "?", model=row["model"], scout=corner(), strict=True)
        if row["views"] is None:
            with pytest.raises(ValueError, match="too few"):
                planner.views(tokens)
        else:
            spent = planner.views(tokens).tokens
            assert spent <= row["views"] <= min(tokens, row["untouched"]), row["model"]


def test_the_table_of_costs_knows_what_a_tile_costs() -> None:
    (row,) = costs("1240x1754", "gpt-4o", 273)
    assert row["views"] == 3 * 85


def test_the_command_never_writes_over_the_picture(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    page().save("whole.png")
    assert main(["views", "whole.png", "--tokens", "64", "-o", "."]) == 2
    assert "holds the picture itself" in capsys.readouterr().err


def test_saved_views_are_known_as_views(tmp_path) -> None:
    assert all(is_view(path.read_bytes()) for path in seen().save(tmp_path))


def test_a_level_for_the_whole_request_is_not_set_on_a_part() -> None:
    (part,) = seen("gemini-2.5", 300).gemini()
    assert "media_resolution" not in part
