"""The tool for agents, without a server: what it tells of pages, and of what is no picture."""

import pytest
from PIL import Image

from homunculus.pages import PictureError
from homunculus.serve.tool import look_within
from pdfs import letter, pdf_of_pages

TOWNS = ("Oslo", "Malmo", "Geneva")
HEADS = [b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"%PDF-1.4\n", b"RIFF"]


@pytest.mark.parametrize("head", HEADS)
def test_no_byte_of_a_file_that_is_no_picture_is_told(tmp_path, head) -> None:
    (tmp_path / ".env").write_bytes(head + b"KEY=a b=hunter2 SECRET")
    with pytest.raises(PictureError) as refused:
        look_within(".env", "What?", 64, "claude", [tmp_path])
    told = str(refused.value)
    assert not [part for part in ("SECR", "KEY", "hunter", "b'", "\\x") if part in told]


def test_the_text_says_which_page_it_shows(tmp_path) -> None:
    sheets = [Image.new("RGB", (120, 90), shade) for shade in ("white", "grey")]
    sheets[0].save(tmp_path / "two.pdf", save_all=True, append_images=sheets[1:])
    sheets[0].save(tmp_path / "two.gif", save_all=True, append_images=sheets[1:])
    ask = ("What?", 512, "claude", [tmp_path])
    assert "This is page 1 of 2." in look_within("two.pdf", *ask, page=1)[0]
    assert "This is page 2 of 2." in look_within("two.pdf", *ask, page=2)[0]
    assert "This is frame 1 of 2 of an animation." in look_within("two.gif", *ask)[0]
    with pytest.raises(PictureError, match="The first page is 1"):
        look_within("two.pdf", *ask, page=0)


def test_a_file_of_several_pages_is_one_document(tmp_path) -> None:
    pages = [letter([f"The lighthouse of {town}", f"Keeper: {town} Jones"]) for town in TOWNS]
    (tmp_path / "towns.pdf").write_bytes(pdf_of_pages(pages))
    text, files = look_within("towns.pdf", "Who keeps Malmo?", 64, "qwen3-vl", [tmp_path])
    assert "towns.pdf, a document of 3 pages, as" in text
    assert text.count("Image ") == len(files) >= 1
    assert "of page 2, at" in text
    assert text.endswith("Name a page to look closer at it.")
