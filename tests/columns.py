"""Arrow columns made by hand: the C structs through ctypes, so that every oddity can be made, and counted."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p, cast, pointer
from typing import Any

NULLABLE = 2
STREAM_BROKE = 5
INLINE = 12  # bytes that a view holds itself

TextEntry = str | bytes | None


class Schema(Structure):
    pass


class Array(Structure):
    pass


class StreamStruct(Structure):
    pass


RELEASE_SCHEMA, RELEASE_ARRAY, RELEASE_STREAM = (
    CFUNCTYPE(None, POINTER(struct)) for struct in (Schema, Array, StreamStruct)
)
GET_SCHEMA = CFUNCTYPE(c_int, POINTER(StreamStruct), POINTER(Schema))
GET_NEXT = CFUNCTYPE(c_int, POINTER(StreamStruct), POINTER(Array))
GET_ERROR = CFUNCTYPE(c_void_p, POINTER(StreamStruct))

Schema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64), ("n_children", c_int64),
    ("children", c_void_p), ("dictionary", POINTER(Schema)), ("release", RELEASE_SCHEMA), ("private_data", c_void_p),
]  # fmt: skip
Array._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
    ("n_children", c_int64), ("buffers", POINTER(c_void_p)), ("children", c_void_p), ("dictionary", POINTER(Array)),
    ("release", RELEASE_ARRAY), ("private_data", c_void_p),
]  # fmt: skip
StreamStruct._fields_ = [
    ("get_schema", GET_SCHEMA), ("get_next", GET_NEXT), ("get_last_error", GET_ERROR),
    ("release", RELEASE_STREAM), ("private_data", c_void_p),
]  # fmt: skip

_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
_get = ctypes.pythonapi.PyCapsule_GetPointer
_get.restype, _get.argtypes = c_void_p, [ctypes.py_object, c_char_p]


class Column:
    """
    One array with the buffers it is given; counts how often its structs are released.

    ``rows`` counts from ``start``, which buffers are relative to; None for a buffer is a null pointer.
    """

    def __init__(
        self,
        format: str,
        rows: int,
        buffers: Sequence[bytes | None],
        *,
        start: int = 0,
        null_count: int = -1,
        dictionary: Column | None = None,
    ) -> None:
        self.released = {"schema": 0, "array": 0}
        self.format, self.rows, self.buffers, self.start = format, rows, list(buffers), start
        self.null_count, self.dictionary = null_count, dictionary
        self._alive: list[Any] = []

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        schema, array = Schema(), Array()
        self.fill_schema(schema)
        self.fill_array(array)
        self._alive += [schema, array]
        return (
            _new(ctypes.addressof(schema), b"arrow_schema", None),
            _new(ctypes.addressof(array), b"arrow_array", None),
        )

    def slice(self, start: int, rows: int) -> Column:
        return Column(self.format, rows, self.buffers, start=self.start + start, dictionary=self.dictionary)

    def fill_schema(self, schema: Schema) -> None:
        def release(struct: Any) -> None:
            self.released["schema"] += 1
            struct.contents.release = RELEASE_SCHEMA()

        schema.format, schema.name, schema.flags = self.format.encode(), b"", NULLABLE
        schema.release = RELEASE_SCHEMA(release)
        self._alive.append(schema.release)
        if self.dictionary is not None:
            values = Schema()
            self.dictionary.fill_schema(values)
            schema.dictionary = pointer(values)

    def fill_array(self, array: Array) -> None:
        def release(struct: Any) -> None:
            self.released["array"] += 1
            struct.contents.release = RELEASE_ARRAY()

        kept = [None if content is None else ctypes.create_string_buffer(content) for content in self.buffers]
        pointers = (c_void_p * max(len(kept), 1))(*(buffer and ctypes.addressof(buffer) for buffer in kept))
        array.length, array.offset, array.null_count = self.rows, self.start, self.null_count
        array.n_buffers, array.buffers = len(kept), cast(pointers, POINTER(c_void_p))
        array.release = RELEASE_ARRAY(release)
        self._alive += [kept, pointers, array.release]
        if self.dictionary is not None:
            values = Array()
            self.dictionary.fill_array(values)
            array.dictionary = pointer(values)


class Stream:
    """Chunks of one type; ``error`` comes after the last one, or before the schema if there is no chunk."""

    def __init__(self, chunks: Sequence[Column], *, error: str | None = None) -> None:
        self.chunks, self.error, self.released = list(chunks), error, 0
        self._message = ctypes.create_string_buffer((error or "").encode())
        self._alive: list[Any] = []

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        rest = iter(self.chunks)

        def get_schema(_: Any, place: Any) -> int:
            if not self.chunks:
                return STREAM_BROKE
            self.chunks[0].fill_schema(place.contents)
            return 0

        def get_next(_: Any, place: Any) -> int:
            chunk = next(rest, None)
            if chunk is None and self.error is not None:
                return STREAM_BROKE
            if chunk is None:
                place.contents.release = RELEASE_ARRAY()
            else:
                chunk.fill_array(place.contents)
            return 0

        def get_last_error(_: Any) -> int | None:
            return ctypes.addressof(self._message) if self.error else None

        def release(struct: Any) -> None:
            self.released += 1
            struct.contents.release = RELEASE_STREAM()

        stream = StreamStruct(
            GET_SCHEMA(get_schema), GET_NEXT(get_next), GET_ERROR(get_last_error), RELEASE_STREAM(release)
        )
        self._alive.append(stream)
        return _new(ctypes.addressof(stream), b"arrow_array_stream", None)


# ---------------------------------------------------------------------- columns of texts, by layout


def with_offsets(entries: Sequence[TextEntry], format: str = "u") -> Column:
    """Texts end to end; ``u`` and ``z`` have 32-bit offsets, ``U`` and ``Z`` 64-bit ones."""
    texts = [_bytes(entry) for entry in entries]
    ends = [0]
    for text in texts:
        ends.append(ends[-1] + len(text))
    offsets = array("i" if format in "uz" else "q", ends).tobytes()
    return Column(format, len(entries), [_validity(entries), offsets, b"".join(texts)])


def with_views(entries: Sequence[TextEntry], format: str = "vu", buffers: int = 2) -> Column:
    """Texts of up to 12 bytes in the views, longer ones dealt out to so many buffers."""
    contents = [bytearray(b"unused") for _ in range(buffers)]
    views = bytearray()
    for number, text in enumerate(map(_bytes, entries)):
        content = contents[number % buffers]
        views += len(text).to_bytes(4, "little")
        if len(text) <= INLINE:
            views += text.ljust(INLINE, b"\0")
        else:
            views += text[:4] + (number % buffers).to_bytes(4, "little") + len(content).to_bytes(4, "little")
            content += text
    lengths = array("q", map(len, contents)).tobytes()
    return Column(format, len(entries), [_validity(entries), bytes(views), *map(bytes, contents), lengths])


def with_dictionary(entries: Sequence[TextEntry], keys: str = "i", values: Column | None = None) -> Column:
    """Each text once, and keys of an integer type that Arrow calls so: one of ``cCsSiIlL``."""
    texts = list(dict.fromkeys(entry for entry in entries if entry is not None))
    typecode = {"c": "b", "C": "B", "s": "h", "S": "H", "l": "q", "L": "Q"}.get(keys, keys)
    places = array(typecode, [0 if entry is None else texts.index(entry) for entry in entries])
    values = with_offsets(texts) if values is None else values
    return Column(keys, len(entries), [_validity(entries), places.tobytes()], dictionary=values)


LAYOUTS = {format: lambda entries, format=format: with_offsets(entries, format) for format in ("u", "U", "z", "Z")}
LAYOUTS |= {format: lambda entries, format=format: with_views(entries, format) for format in ("vu", "vz")}
LAYOUTS |= {f"{keys} to u": lambda entries, keys=keys: with_dictionary(entries, keys) for keys in "cCsSiIlL"}


def _bytes(entry: TextEntry) -> bytes:
    return b"" if entry is None else entry.encode() if isinstance(entry, str) else entry


def _validity(entries: Sequence[TextEntry]) -> bytes | None:
    bits = sum(1 << row for row, entry in enumerate(entries) if entry is not None)
    return bits.to_bytes(len(entries) // 8 + 1, "little")


# ---------------------------------------------------------------------- the int64 column that comes back


def entries_of(column: Any) -> list[int | None]:
    """Read an int64 column through its array, checking what every consumer relies on."""
    schema_capsule, array_capsule = column.__arrow_c_array__()
    schema = Schema.from_address(_get(schema_capsule, b"arrow_schema"))
    assert (b"l", b"", NULLABLE) == (schema.format, schema.name, schema.flags)
    return _read(Array.from_address(_get(array_capsule, b"arrow_array")))


def chunks_of(column: Any) -> list[list[int | None]]:
    """Read an int64 column through its stream, which is moved out of its capsule and released here."""
    capsule = column.__arrow_c_stream__()
    stream = StreamStruct.from_address(_get(capsule, b"arrow_array_stream"))
    schema, chunks = Schema(), []
    assert 0 == stream.get_schema(pointer(stream), pointer(schema))
    assert b"l" == schema.format
    schema.release(pointer(schema))
    while True:
        array = Array()
        assert 0 == stream.get_next(pointer(stream), pointer(array))
        if not array.release:
            break
        chunks.append(_read(array))
        array.release(pointer(array))
        assert not array.release
    stream.release(pointer(stream))
    assert not stream.release
    return chunks


def _read(array: Array) -> list[int | None]:
    assert (2, 0, 0) == (array.n_buffers, array.n_children, array.offset)
    if not array.length:
        return []
    bits, numbers = array.buffers[0], cast(array.buffers[1], POINTER(c_int64))
    validity = ctypes.string_at(bits, -(-array.length // 8)) if bits else b"\xff" * array.length
    rows = [numbers[row] if validity[row // 8] >> (row % 8) & 1 else None for row in range(array.length)]
    assert array.null_count == rows.count(None)
    return rows
