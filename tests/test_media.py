"""Binary content is priced by what it shows, never by the length of its base64 ([S6])."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode, urlsafe_b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longturn.tokens import costs, media
from longturn.tokens.backend import core
from longturn.tokens.costs import QUARTERS
from longturn.tokens.media import price


def png(width: int, height: int, padding: int = 0) -> bytes:
    """Return the head of a PNG with ``padding`` bytes behind it; no pixel is ever looked at."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk)) + bytes(padding)


def jpeg(width: int, height: int, before: int) -> bytes:
    """Return the head of a JPEG whose size stands behind ``before`` bytes of application data."""
    block = b"\xff\xe1" + struct.pack(">H", 65_533) + bytes(65_531)
    size = b"\xff\xc0" + struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes(9)
    return b"\xff\xd8" + block * (before // 65_535) + size + bytes(64)


def pdf(pages: int, packed: bool = False) -> bytes:
    """Return something like a PDF, with its pages in the open or inside an object stream."""
    listed = b"".join(b"%d 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj\n" % number for number in range(pages))
    head = b"%PDF-1.7\n"
    if not packed:
        return head + b"2 0 obj\n<< /Type /Pages /Count %d >>\nendobj\n" % pages + listed
    return (
        head
        + b"9 0 obj\n<< /Type /ObjStm /N 9 /First 60 /Filter /FlateDecode >>\nstream\r\n"
        + zlib.compress(listed)
        + b"\nendstream\nendobj\n"
    )


def text64(data: bytes) -> str:
    return b64encode(data).decode()


def claude(data: bytes, kind: str = "image", mime: str = "image/png") -> dict[str, Any]:
    return {"type": kind, "source": {"type": "base64", "media_type": mime, "data": text64(data)}}


def tokens(block: dict[str, Any]) -> float | None:
    found = price(block)
    return None if found is None else found / QUARTERS


IMAGE = png(1_024, 1_024)
URL = f"data:image/png;base64,{text64(IMAGE)}"

CLAUDE_SQUARE = 37 * 37
OPENAI_SQUARE = 1_229  # 32 by 32 patches at 1.2; tiles would be 85 + 4 times 170
GEMINI_SQUARE = 4 * 258

SHAPES = {
    "anthropic": (claude(IMAGE), CLAUDE_SQUARE),
    "bedrock": ({"image": {"format": "png", "source": {"bytes": IMAGE}}}, CLAUDE_SQUARE),
    "bedrock, recorded": ({"image": {"format": "png", "source": {"bytes": text64(IMAGE)}}}, CLAUDE_SQUARE),
    "mcp": ({"type": "image", "data": text64(IMAGE), "mimeType": "image/png"}, CLAUDE_SQUARE),
    "langchain": ({"type": "image", "base64": text64(IMAGE), "mime_type": "image/png"}, CLAUDE_SQUARE),
    "langchain, older": (
        {"type": "image", "source_type": "base64", "data": text64(IMAGE), "mime_type": "image/png"},
        CLAUDE_SQUARE,
    ),
    "pydantic-ai": ({"kind": "binary", "data": IMAGE, "media_type": "image/png"}, CLAUDE_SQUARE),
    "pydantic-ai, dumped": (
        {"kind": "binary", "data": urlsafe_b64encode(IMAGE).decode(), "media_type": "image/png"},
        CLAUDE_SQUARE,
    ),
    "vercel": ({"type": "image", "image": text64(IMAGE), "mediaType": "image/png"}, CLAUDE_SQUARE),
    "chat": ({"type": "image_url", "image_url": {"url": URL}}, OPENAI_SQUARE),
    "chat, a bare link": ({"type": "image_url", "image_url": URL}, OPENAI_SQUARE),
    "chat, low": ({"type": "image_url", "image_url": {"url": URL, "detail": "low"}}, 85),
    "responses": ({"type": "input_image", "image_url": URL, "detail": "auto"}, OPENAI_SQUARE),
    "responses, low": ({"type": "input_image", "image_url": URL, "detail": "low"}, 85),
    "screenshot": ({"type": "computer_screenshot", "image_url": URL}, OPENAI_SQUARE),
    "gemini": ({"inlineData": {"mimeType": "image/png", "data": text64(IMAGE)}}, media.GEMINI_IMAGE_TOKENS),
    "gemini, python": ({"inline_data": {"mime_type": "image/png", "data": IMAGE}}, media.GEMINI_IMAGE_TOKENS),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_of_an_image_is_priced_by_its_size(name: str) -> None:
    """The same picture in each format, by that provider's formula."""
    block, expected = SHAPES[name]
    assert expected == tokens(block)


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [(28, 28, 1), (29, 28, 2), (200, 200, 64), (1_568, 728, 56 * 26), (2_576, 28, 92), (9_999, 9_999, 4_784)],
)
def test_claude_counts_patches_up_to_its_limit(width: int, height: int, expected: int) -> None:
    """One token for each 28 by 28 pixels; larger images are scaled down."""
    assert expected == tokens(claude(png(width, height)))


@pytest.mark.parametrize(
    ("width", "height", "detail", "expected"),
    [
        (64, 64, "high", 255),  # one tile is dearer than four patches
        (512, 512, "high", 308),
        (2_048, 4_096, "high", 3_000),
        (4_000, 4_000, "original", 12_000),
    ],
)
def test_openai_counts_the_dearer_of_tiles_and_patches(width: int, height: int, detail: str, expected: int) -> None:
    """The model is not known where an image is counted, so the dearer way decides."""
    url = f"data:image/png;base64,{text64(png(width, height))}"
    assert expected == tokens({"type": "input_image", "image_url": url, "detail": detail})


@pytest.mark.parametrize(("width", "height", "expected"), [(100, 100, 1_120), (1_920, 1_080, 6 * 258)])
def test_gemini_counts_tiles_but_never_less_than_its_newest_models(width: int, height: int, expected: int) -> None:
    """258 a tile, or the constant of the third generation."""
    block = {"inlineData": {"mimeType": "image/png", "data": text64(png(width, height))}}
    assert expected == tokens(block)


def test_the_length_of_the_base64_says_nothing() -> None:
    """The same picture with a megabyte behind it costs the same."""
    assert price(claude(png(300, 300))) == price(claude(png(300, 300, padding=1_000_000)))


def test_a_size_far_behind_the_beginning_is_found() -> None:
    """Colour profiles and previews push a JPEG's size back by 64 kB at a time."""
    assert tokens(claude(jpeg(1_000, 800, before=131_070), mime="image/jpeg")) == 36 * 29


UNSEEN = {
    "url": {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
    "file id": {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
    "chat": {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
    "responses": {"type": "input_image", "file_id": "file-1", "detail": "auto"},
    "gemini": {"fileData": {"fileUri": "gs://bucket/a.png", "mimeType": "image/png"}},
    "pydantic-ai": {"kind": "image-url", "url": "https://example.com/a.png", "media_type": None},
    "langchain": {"type": "image", "url": "https://example.com/a.png"},
    "langchain, older": {"type": "image", "source_type": "id", "id": "file-1"},
    "bedrock": {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://bucket/a.png"}}}},
    "no header": claude(b"not an image at all"),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_an_image_that_cannot_be_looked_at_is_a_constant(name: str) -> None:
    """Nothing is fetched."""
    assert tokens(UNSEEN[name]) == media.UNSEEN_IMAGE_TOKENS


@pytest.mark.parametrize("packed", [False, True])
def test_a_pdf_is_priced_by_page(packed: bool) -> None:
    """Pages are found in the open and in compressed object streams."""
    assert tokens(claude(pdf(7, packed), "document", "application/pdf")) == 7 * media.PDF_PAGE_TOKENS


PDFS = {
    "bedrock": {"document": {"format": "pdf", "source": {"bytes": pdf(3)}}},
    "responses": {"type": "input_file", "file_data": f"data:application/pdf;base64,{text64(pdf(3))}"},
    "chat": {"type": "file", "file": {"file_data": text64(pdf(3))}},
    "pydantic-ai": {"kind": "binary", "data": pdf(3), "media_type": "application/pdf"},
    "langchain": {"type": "file", "base64": text64(pdf(3)), "mime_type": "application/pdf"},
}


@pytest.mark.parametrize("name", PDFS)
def test_a_pdf_is_recognised_in_every_shape(name: str) -> None:
    """By its media type, its format or its first bytes."""
    assert tokens(PDFS[name]) == 3 * media.PDF_PAGE_TOKENS


def test_gemini_reads_pages_for_less() -> None:
    """Google bills a page as one picture."""
    block = {"inlineData": {"mimeType": "application/pdf", "data": text64(pdf(3))}}
    assert tokens(block) == 3 * media.GEMINI_PDF_PAGE_TOKENS


def test_a_document_that_cannot_be_looked_into_has_a_few_pages() -> None:
    """A link, a file id, an office file, a PDF without a readable page tree."""
    few = media.UNSEEN_PAGES * media.PDF_PAGE_TOKENS
    assert few == tokens({"type": "document", "source": {"type": "file", "file_id": "file_1"}})
    assert few == tokens({"type": "document", "source": {"type": "url", "url": "https://example.com/a.pdf"}})
    assert few == tokens(claude(b"%PDF-1.4 nothing", "document", "application/pdf"))
    assert few == tokens({"document": {"format": "docx", "source": {"bytes": b"PK\x03\x04" + bytes(90)}}})


def test_a_misread_page_count_is_bounded() -> None:
    """No provider takes so many pages."""
    block = claude(b"%PDF-1.4 << /Type /Pages /Count 999999 >>", "document", "application/pdf")
    assert tokens(block) == media.PAGE_LIMIT * media.PDF_PAGE_TOKENS


RUSSIAN = "Все счастливые семьи похожи друг на друга. " * 50

WRITTEN = {
    "base64": claude(RUSSIAN.encode(), "document", "text/plain"),
    "bedrock": {"document": {"format": "txt", "source": {"bytes": RUSSIAN.encode()}}},
    "bedrock, plain": {"document": {"format": "txt", "source": {"text": RUSSIAN}}},
    "responses": {"type": "input_file", "file_data": f"data:text/plain;base64,{text64(RUSSIAN.encode())}"},
    "plain": {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": RUSSIAN}},
    "blocks": {
        "type": "document",
        "source": {"type": "content", "content": [{"type": "text", "text": RUSSIAN}]},
    },
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_text_document_is_counted_as_its_text(name: str) -> None:
    """Encoded or not."""
    assert core.quarters(RUSSIAN) == price(WRITTEN[name])


def test_an_image_inside_a_document_of_blocks_is_priced_as_an_image() -> None:
    """A document may hold blocks of its own."""
    block = {"type": "document", "source": {"type": "content", "content": [claude(IMAGE)]}}
    assert tokens(block) == CLAUDE_SQUARE


def test_title_and_context_are_read_too() -> None:
    """What a document says beside its bytes."""
    block = claude(pdf(1), "document", "application/pdf") | {"title": "Report", "context": "Read it first"}
    assert QUARTERS * media.PDF_PAGE_TOKENS + len("Report") + len("Read it first") == price(block)


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ({"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}, media.AUDIO_TOKENS),
        ({"kind": "audio-url", "url": "https://example.com/a.mp3"}, media.AUDIO_TOKENS),
        ({"inlineData": {"mimeType": "video/mp4", "data": "AAAA"}}, media.VIDEO_TOKENS),
        ({"video": {"format": "mp4", "source": {"bytes": b"0000"}}}, media.VIDEO_TOKENS),
    ],
)
def test_sound_and_film_are_constants(block: dict[str, Any], expected: int) -> None:
    """Their length is not looked at."""
    assert expected == tokens(block)


@pytest.mark.parametrize("kind", ["redacted_thinking", "reasoning.encrypted"])
def test_what_is_handed_back_unread_is_a_constant(kind: str) -> None:
    """Its length says nothing about what is billed."""
    assert tokens({"type": kind, "data": "A" * 90_000}) == costs.OPAQUE_TOKENS


def test_a_generated_image_is_priced_as_an_image() -> None:
    """The call holds its result."""
    block = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": text64(IMAGE)}
    assert tokens(block) == OPENAI_SQUARE


NOT_BINARY = [
    {"type": "file", "path": "a.py", "content": "print(1)"},
    {"type": "document", "document": {"id": "doc-1", "data": {"title": "Facts", "text": "…"}}},
    {"type": "container_upload", "file_id": "file_1"},
    {"type": "image"},
    {"type": "image", "source": None},
    {},
]


@pytest.mark.parametrize("block", NOT_BINARY)
def test_a_block_without_binary_content_is_left_to_the_caller(block: dict[str, Any]) -> None:
    """None: count it like any other."""
    assert price(block) is None


_SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=20), st.binary(max_size=20))
_KEYS = st.sampled_from(
    [
        "type",
        "kind",
        "source",
        "image",
        "image_url",
        "data",
        "base64",
        "bytes",
        "url",
        "media_type",
        "mime_type",
        "format",
        "file",
        "file_data",
        "content",
        "text",
        "inlineData",
        "document",
        "detail",
        "title",
        "source_type",
        "id",
    ]
)
_INNER = st.dictionaries(_KEYS, _SCALARS, max_size=4)
_VALUES = st.one_of(_SCALARS, _INNER, st.lists(_INNER, max_size=2), st.dictionaries(_KEYS, _INNER, max_size=2))


@given(st.dictionaries(_KEYS, _VALUES, max_size=6))
def test_garbage_has_a_price_or_none_and_raises_nothing(block: dict[str, Any]) -> None:
    """Whatever a mapping holds."""
    found = price(block)
    assert found is None or found >= 0


@given(st.binary(max_size=400), st.sampled_from(["image/png", "application/pdf", "text/plain", "x/y", ""]))
def test_broken_files_raise_nothing(data: bytes, mime: str) -> None:
    """Headers cut anywhere, streams that do not unpack."""
    for start in (
        b"",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe1",
        b"GIF89a",
        b"RIFF0000WEBPVP8 ",
        b"%PDF-1.5 ",
    ):
        found = price({"kind": "binary", "data": start + data, "media_type": mime})
        assert found is None if start + data == b"" else found is not None


def test_a_document_that_holds_itself_is_left_to_the_caller() -> None:
    """The walker then names the cycle and its place."""
    block: dict[str, Any] = {"type": "document", "source": {"type": "content", "content": []}}
    block["source"]["content"].append(block)
    assert price(block) is None
