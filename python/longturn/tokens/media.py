"""
Binary content: images by the provider's size formula, PDFs by page, the rest by named constants ([S6]).

The length of base64 says nothing about tokens: a megabyte of PNG may cost two hundred or five thousand.
A block does not name its model, so where a provider's models differ the dearer current one counts:
an estimate that is too high clears a little early, one that is too low is refused.
"""

from __future__ import annotations

import re
import zlib
from binascii import a2b_base64
from math import ceil
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from longturn.tokens.backend import core
from longturn.tokens.costs import OPAQUE_TOKENS, QUARTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CLAUDE_PATCH: Final = 28
"""Pixels a side of what Claude bills as one token; images are padded to whole patches (Anthropic docs)."""

CLAUDE_LONG_EDGE, CLAUDE_IMAGE_LIMIT = 2_576, 4_784
"""Larger images are scaled down to this, in pixels and tokens (Opus 4.7 and later; earlier, 1,568 each)."""

OPENAI_LOW_DETAIL: Final = 85
"""An image of ``detail: low``, whatever its size (OpenAI docs, images and vision, calculating costs)."""

OPENAI_TILE, OPENAI_TILE_BASE, OPENAI_TILE_TOKENS = 512, 85, 170
"""Models that count tiles (GPT-4o, GPT-4.1, o1): pixels a side, tokens for the image and for each tile."""

OPENAI_TILE_LONG_EDGE, OPENAI_TILE_SHORT_EDGE = 2_048, 768
"""Before tiling, images are scaled down to fit both."""

OPENAI_PATCH, OPENAI_PATCH_TOKENS = 32, 1.2
"""Models that count patches (GPT-5 mini and the 5.x line): pixels a side, and tokens a patch as billed."""

OPENAI_PATCH_LIMIT, OPENAI_PATCH_LIMIT_ORIGINAL = 2_500, 10_000
"""Larger images are scaled down to so many patches; the second for ``detail: original``."""

GEMINI_TILE, GEMINI_TILE_TOKENS = 768, 258
"""Gemini 2.x: pixels a side of a tile and tokens for each (Google docs, image understanding)."""

PIXEL_LIMIT: Final = 16_384
"""No provider takes a longer edge (Claude 8,000 pixels); a larger one is a misread file."""

GEMINI_IMAGE_TOKENS: Final = 1_120
"""Gemini 3 at its default resolution, whatever the size (Google docs, media resolution)."""

UNSEEN_IMAGE_TOKENS: Final = 1_600
"""An image behind a URL or a file id, or with a header nobody can read: the limit of most Claude models."""

PDF_PAGE_TOKENS: Final = 2_500
"""A page sent as text and picture: Anthropic's docs name 1,500 to 3,000; measured, 1,600 to 2,480."""

GEMINI_PDF_PAGE_TOKENS: Final = 560
"""A page at Gemini's default resolution; its text is not billed again (Google docs, media resolution)."""

UNSEEN_PAGES: Final = 5
"""Pages of a document that can't be looked into: a URL, a file id, an office file. An assumption."""

PAGE_LIMIT: Final = 1_000
"""No provider takes longer PDFs (Gemini 1,000, Claude 600); a higher count is a misread file."""

AUDIO_TOKENS: Final = 32 * 60
"""A minute at Gemini's 32 tokens a second, the dearest rate (Google docs, tokens); OpenAI bills 10."""

VIDEO_TOKENS: Final = 263 * 60
"""A minute at Gemini's 263 tokens a second (Google docs, tokens)."""

_HEADER_CHARS: Final = (8_192, 400_000)  # a JPEG may carry colour profiles and a preview before its size
_OBJECT_STREAM_BYTES: Final = 4_000_000  # how far one compressed part of a PDF is unpacked
_MAGIC_CHARS: Final = 2_048  # where the first bytes tell what the rest is

_WRAPPERS: Final = (
    "source",
    "image_url",
    "input_audio",
    "audio_url",
    "video_url",
    "file",
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
    "image",
    "document",
    "video",
    "audio",
)
_OPAQUE_TYPES: Final = frozenset(("redacted_thinking", "reasoning.encrypted"))
_DATA_KEYS: Final = ("data", "base64", "bytes", "file_data", "image", "result", "base64_image", "base64_data")
_LINK_KEYS: Final = (
    "url",
    "image_url",
    "file_url",
    "audio_url",
    "video_url",
    "file_id",
    "fileId",
    "fileUri",
    "file_uri",
    "uri",
    "s3Location",
    "image",
)
_TYPE_KEYS: Final = ("media_type", "mime_type", "mimeType", "mediaType")
_CAPTION_KEYS: Final = ("title", "context", "name", "filename")
_GEMINI_KEYS: Final = frozenset(("inlineData", "inline_data", "fileData", "file_data"))
_OPENAI_KEYS: Final = frozenset(
    "image_url file_data input_image input_file computer_screenshot image_generation_call".split()
)
_TEXT_TYPES: Final = re.compile(r"text/|application/(json|xml|yaml|javascript)|.*\+(json|xml)$", re.IGNORECASE)
_TEXT_FORMATS: Final = frozenset(("txt", "md", "csv", "html", "xml", "json", "yaml"))
_NOT_BASE64: Final = re.compile(r"[^A-Za-z0-9+/]+")
_URL_SAFE: Final = str.maketrans("-_", "+/")

_PAGE: Final = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_PAGE_COUNT: Final = re.compile(rb"/Type\s*/Pages\b[^>]*?/Count\s+(\d{1,6})|/Count\s+(\d{1,6})[^>]*?/Type\s*/Pages\b")
_OBJECT_STREAM: Final = re.compile(rb"/Type\s*/ObjStm\b.{0,400}?stream\r?\n", re.DOTALL)


class _Payload(NamedTuple):
    """What a block carries, whatever the shape it came in."""

    kind: str  # image, audio, video, pdf, text, or document where nothing says more
    data: str | bytes | None  # None: behind a link
    provider: str
    detail: object


def price(block: dict[str, Any], measure: Sizes | None = None) -> int | None:
    """
    Return the quarter-tokens of a block that holds binary content; None if it holds none after all.

    Blocks of any format; nothing is fetched.  What is text in it is measured by ``measure``, by the script rule
    if None.  Raises nothing, whatever the block holds.
    """
    kind = block.get("type")
    if kind == "container_upload":  # goes to the sandbox, not into the context
        return None
    if isinstance(kind, str) and kind in _OPAQUE_TYPES:
        return QUARTERS * OPAQUE_TOKENS
    measure = measure or _by_script()
    levels = list(_levels(block, depth=3))
    if (written := _written(levels, measure)) is not None:
        return written
    payload = _payload(levels)
    if payload is None:
        return None
    if payload.kind == "text" and payload.data is not None:
        return measure.quarters(_decoded(payload.data)) + _captions(levels, measure)
    return _PRICES[payload.kind](payload) + _captions(levels, measure)


class Sizes(Protocol):
    """What measures the texts in a block, in quarter-tokens."""

    @property
    def quarters(self) -> Callable[[str | bytes], int]:
        """Of a text."""

    @property
    def content(self) -> Callable[[object], int]:
        """Of blocks."""


def _by_script() -> Sizes:
    from longturn.tokens.measure import SCRIPT  # it needs this module first

    return SCRIPT


# ---------------------------------------------------------------------- reading the shapes


def _levels(block: dict[str, Any], depth: int) -> Iterator[dict[str, Any]]:
    """Yield the block and the mappings it is wrapped around, outermost first."""
    yield block
    inner = next((block[key] for key in _WRAPPERS if isinstance(block.get(key), dict)), None)
    if inner is not None and depth:
        yield from _levels(inner, depth - 1)


def _first(levels: list[dict[str, Any]], keys: tuple[str, ...], wanted: type | tuple[type, ...]) -> Any:
    """Return the first non-empty value of one of these types, innermost mapping first."""
    found = (level.get(key) for level in reversed(levels) for key in keys)
    return next((value for value in found if isinstance(value, wanted) and value), None)


def _written(levels: list[dict[str, Any]], measure: Sizes) -> int | None:
    """Return the quarter-tokens of a document that is text or blocks of its own; None if it is neither."""
    source = levels[-1]
    if len(levels) < 2:
        return None
    if source.get("type") == "text" and isinstance(source.get("data"), str):
        return measure.quarters(source["data"]) + _captions(levels, measure)
    inside = source.get("content", source.get("text"))
    if not isinstance(inside, (str, list)):
        return None
    try:
        return measure.content(inside) + _captions(levels, measure)
    except (TypeError, ValueError, RecursionError):
        return None  # counted as ordinary content, the error names the place in the whole message


def _payload(levels: list[dict[str, Any]]) -> _Payload | None:
    data = _first(levels, _DATA_KEYS, (str, bytes, bytearray, memoryview))
    link = _first(levels, _LINK_KEYS, (str, dict)) or _named(levels)
    mime = _first(levels, _TYPE_KEYS, str) or ""
    if isinstance(link, str) and link[:5].lower() == "data:":
        data = link
    if isinstance(data, str) and data[:5].lower() == "data:":
        head, _, data = data.partition(",")
        mime = head[5:].partition(";")[0] or mime
    if isinstance(data, str) and "://" in data[:16]:
        data = None  # a link in the place of data
    if data is None and link is None:
        return None
    data = bytes(data) if isinstance(data, (bytearray, memoryview)) else data
    return _Payload(_kind(levels, mime, data), data, _provider(levels), _first(levels, ("detail",), str))


def _named(levels: list[dict[str, Any]]) -> str | None:
    """Return LangChain's older file id; elsewhere ``id`` names the block, not a file."""
    return _first(levels, ("id",), str) if _first(levels, ("source_type",), str) == "id" else None


def _provider(levels: list[dict[str, Any]]) -> str:
    """Tell whose formula applies, by the shape; shapes that many providers share go by the dearest."""
    if any(isinstance(level.get(key), dict) for level in levels for key in _GEMINI_KEYS):
        return "gemini"
    names = {key for level in levels for key in level} | {str(level.get("type")) for level in levels}
    return "anthropic" if _OPENAI_KEYS.isdisjoint(names) else "openai"


def _kind(levels: list[dict[str, Any]], mime: str, data: str | bytes | None) -> str:
    """Tell what is in a payload: by media type, by the names around it, by its first bytes."""
    mime = mime.lower()
    family = mime.partition("/")[0]
    if family in ("image", "audio", "video"):
        return family
    if mime == "application/pdf":
        return "pdf"
    if _TEXT_TYPES.match(mime):
        return "text"
    names = [str(level.get(key, "")) for level in levels for key in ("type", "kind")]
    names += [key for level in levels for key in _WRAPPERS if isinstance(level.get(key), (dict, str))]
    told = next((kind for kind in ("image", "audio", "video") if any(kind in name for name in names)), None)
    if told or any("screenshot" in name for name in names):
        return told or "image"
    if _first(levels, ("format",), str) in _TEXT_FORMATS:
        return "text"
    return _sniffed(data)


def _sniffed(data: str | bytes | None) -> str:
    start = _decoded(data, _MAGIC_CHARS) if data else b""
    if b"%PDF-" in start:
        return "pdf"
    if _size(data):
        return "image"
    return "document"


def _captions(levels: list[dict[str, Any]], measure: Sizes) -> int:
    """Return the quarter-tokens of what a block says beside its binary content."""
    texts = (level.get(key) for level in levels for key in _CAPTION_KEYS)
    return sum(measure.quarters(text) for text in texts if isinstance(text, str))


# ---------------------------------------------------------------------- reading the bytes


def _decoded(data: str | bytes, chars: int | None = None) -> bytes:
    """Return the bytes of a payload, of its first ``chars`` characters only where given; any text decodes."""
    if isinstance(data, bytes):
        return data[:chars]
    text = _NOT_BASE64.sub("", data[:chars].translate(_URL_SAFE))
    text = text[:-1] if len(text) % 4 == 1 else text
    return a2b_base64(text + "=" * (-len(text) % 4))


def _size(data: str | bytes | None) -> tuple[int, int] | None:
    """Return width and height in pixels from an image's header, or None."""
    for chars in _HEADER_CHARS:
        if not data:
            return None
        found = _header(_decoded(data, chars))
        if found or len(data) <= chars:
            return found
    return None


def _header(data: bytes) -> tuple[int, int] | None:
    try:
        found = core.image_size(data)
    except Exception:  # a broken header must not stop a count, and readers raise what they like
        return None
    if not found or max(found) > PIXEL_LIMIT:
        return None
    return int(found[0]), int(found[1])


def _pages(data: bytes) -> int:
    """Return the pages of a PDF as far as its bytes tell without a parser; 0 if they don't."""
    pages = counted = 0
    for part in _parts(data):
        pages += len(_PAGE.findall(part))
        counted = max([counted, *(int(one or other) for one, other in _PAGE_COUNT.findall(part))])
    found = max(pages, counted)  # an incremental update repeats pages, a compressed page tree hides them
    return min(found, PAGE_LIMIT)


def _parts(data: bytes) -> Iterator[bytes]:
    """Yield a PDF's plain bytes, then what its object streams hold: newer files keep their pages there."""
    yield data
    for stream in _OBJECT_STREAM.finditer(data):
        end = data.find(b"endstream", stream.end())
        try:
            yield zlib.decompressobj().decompress(data[stream.end() : end], _OBJECT_STREAM_BYTES)
        except zlib.error:
            continue


# ---------------------------------------------------------------------- prices, in quarter-tokens


def _image(payload: _Payload) -> int:
    if payload.provider == "openai" and payload.detail == "low":
        return QUARTERS * OPENAI_LOW_DETAIL
    size = _size(payload.data)
    if size is None or not all(size):
        return QUARTERS * UNSEEN_IMAGE_TOKENS
    if payload.provider == "openai":
        return QUARTERS * _openai_image(*size, original=payload.detail == "original")
    return QUARTERS * _IMAGES[payload.provider](*size)


def _claude_image(width: int, height: int) -> int:
    scale = min(1, CLAUDE_LONG_EDGE / max(width, height))
    return min(_squares(width * scale, height * scale, CLAUDE_PATCH), CLAUDE_IMAGE_LIMIT)


def _openai_image(width: int, height: int, original: bool = False) -> int:
    """Return the dearer of the two ways OpenAI's models count."""
    limit = OPENAI_PATCH_LIMIT_ORIGINAL if original else OPENAI_PATCH_LIMIT
    patches = min(_squares(width, height, OPENAI_PATCH), limit)
    fit = min(1, OPENAI_TILE_LONG_EDGE / max(width, height))
    scale = min(fit, OPENAI_TILE_SHORT_EDGE / min(width, height))
    tiles = _squares(width * scale, height * scale, OPENAI_TILE)
    return max(ceil(patches * OPENAI_PATCH_TOKENS), OPENAI_TILE_BASE + OPENAI_TILE_TOKENS * tiles)


def _gemini_image(width: int, height: int) -> int:
    """Return the dearer of what the second and the third generation count."""
    return max(GEMINI_IMAGE_TOKENS, GEMINI_TILE_TOKENS * _squares(width, height, GEMINI_TILE))


def _squares(width: float, height: float, side: int) -> int:
    return ceil(width / side) * ceil(height / side)


def _pdf(payload: _Payload) -> int:
    pages = _pages(_decoded(payload.data)) if payload.data else 0
    per_page = GEMINI_PDF_PAGE_TOKENS if payload.provider == "gemini" else PDF_PAGE_TOKENS
    return QUARTERS * per_page * (pages or UNSEEN_PAGES)


def _document(payload: _Payload) -> int:
    return QUARTERS * PDF_PAGE_TOKENS * UNSEEN_PAGES


def _constant(tokens: int) -> Callable[[_Payload], int]:
    return lambda payload: QUARTERS * tokens


_IMAGES: Final = {"anthropic": _claude_image, "gemini": _gemini_image}
_PRICES: Final = {
    "image": _image,
    "audio": _constant(AUDIO_TOKENS),
    "video": _constant(VIDEO_TOKENS),
    "pdf": _pdf,
    "text": _document,  # behind a link
    "document": _document,
}
