"""
What a profile weighs: classes of characters, and the places where one class follows another.

Data only, and the one home of it: engines build their tables from here.  A text weighs the sum, over its
code points, of what the class weighs after the class before it: every profile is one table.
"""

from __future__ import annotations

from bisect import bisect
from itertools import pairwise
from typing import Final

# Which letters and marks stand together was found by trying: those that tokenizers, over all languages and
# kinds of text, treat most alike. Letters that are common in English split less than those that are not.
ASCII: Final = {
    "newline": "\n\r",
    "tab": "\t",
    "space": " ",
    "digit": "0123456789",
    "upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "lower_iu": "biju",
    "lower_ao": "agno",
    "lower_et": "ehmt",
    "lower_sr": "clprsy",
    "lower_kz": "kqwz",
    "lower_dv": "dfvx",
    "mark_quote": '"}>@$=#!',
    "mark_open": "([{</%",
    "mark_close": ")]",
    "mark_stop": "'`.,;:_*",
    "mark_escape": "\\&?|",
    "mark_rule": "+-~^",
    "control": "\0\1\2\3\4\5\6\7\x08\x0b\x0c\x0e\x0f" + "".join(map(chr, range(0x10, 0x20))) + "\x7f",
}
"""The characters of each class below U+0080."""

_BLOCKS: Final = (
    (0x80, "c1"),
    (0xA0, "latin_symbol"),
    (0xC0, "latin_accented"),
    (0xD7, "latin_symbol"),
    (0xD8, "latin_accented"),
    (0xF7, "latin_symbol"),
    (0xF8, "latin_accented"),
    (0x100, "latin_extended"),
    (0x250, "rare_2"),
    (0x300, "combining"),
    (0x370, "greek"),
    (0x400, "cyrillic_extended"),
    (0x401, "cyrillic"),
    (0x402, "cyrillic_extended"),
    (0x410, "cyrillic"),
    (0x450, "cyrillic_extended"),
    (0x451, "cyrillic"),
    (0x452, "cyrillic_extended"),
    (0x530, "caucasian"),  # Armenian
    (0x590, "hebrew"),
    (0x600, "arabic"),
    (0x66E, "arabic_extended"),  # Urdu, Uyghur, Kurdish ...
    (0x700, "rare_2"),  # Syriac
    (0x750, "arabic_extended"),
    (0x780, "rare_2"),  # Thaana, N'Ko
    (0x800, "rare_3"),
    (0x8A0, "arabic_extended"),
    (0x900, "devanagari"),
    (0x980, "bengali"),
    (0xA00, "gurmukhi"),
    (0xA80, "gujarati"),
    (0xB00, "rare_known"),  # Odia
    (0xB80, "tamil"),
    (0xC00, "telugu"),
    (0xC80, "kannada"),
    (0xD00, "malayalam"),
    (0xD80, "sinhala"),
    (0xE00, "thai"),
    (0xE80, "lao"),
    (0xF00, "rare_known"),  # Tibetan
    (0x1000, "myanmar"),
    (0x1050, "rare_3"),  # Mon, Shan, Karen
    (0x10A0, "caucasian"),  # Georgian
    (0x1100, "rare_3"),  # Hangul letters
    (0x1200, "rare_known"),  # Ethiopic
    (0x13A0, "rare_3"),  # Cherokee, Canadian syllabics, Ogham, runes ...
    (0x1780, "khmer"),
    (0x1800, "rare_3"),  # Mongolian ...
    (0x1C90, "caucasian"),
    (0x1CC0, "rare_3"),
    (0x1E00, "latin_additional"),  # Vietnamese
    (0x1F00, "rare_3"),  # Greek of antiquity
    (0x2000, "punctuation"),
    (0x200D, "joiner"),
    (0x200E, "punctuation"),
    (0x2070, "symbol"),
    (0x2500, "box"),
    (0x25A0, "symbol"),
    (0x2C00, "rare_3"),  # Glagolitic, Coptic, Georgian supplement, Tifinagh ...
    (0x2E80, "han_rare"),
    (0x3000, "cjk_punctuation"),
    (0x3040, "hiragana"),
    (0x30A0, "katakana"),
    (0x3100, "han_rare"),
    (0x3130, "rare_3"),  # Hangul letters
    (0x3190, "han_rare"),
    (0x31F0, "katakana"),
    (0x3200, "han_rare"),
    (0x4E00, "han"),
    (0xA000, "rare_3"),  # Yi, Vai ...
    (0xAC00, "hangul"),
    (0xD7A4, "rare_3"),  # Hangul letters, lone surrogates, private use
    (0xF900, "han_rare"),
    (0xFB00, "rare_3"),  # Latin, Hebrew and Arabic letters by shape
    (0xFE00, "joiner"),
    (0xFE10, "cjk_punctuation"),
    (0xFE70, "rare_3"),
    (0xFEFF, "replacement"),
    (0xFF00, "cjk_punctuation"),
    (0xFF61, "katakana"),
    (0xFFA0, "rare_3"),
    (0xFFE0, "cjk_punctuation"),
    (0xFFF0, "replacement"),  # U+FFFD stands for bytes that are no text
    (0x10000, "rare_4"),  # Gothic, cuneiform, Tangut, mathematical letters ...
    (0x1F000, "emoji_rare"),  # tiles, flags
    (0x1F300, "emoji"),
    (0x1F650, "emoji_rare"),
    (0x1FB00, "rare_4"),
    (0x20000, "han_rare"),
    (0x40000, "rare_4"),
    (0xE0100, "joiner"),
    (0xE01F0, "rare_4"),
)
"""Where each class begins from U+0080 on, letters of ``_APART`` aside."""

# Common letters of Western Europe split less than rare ones; of Cyrillic, these ones more than the others; letters
# that Arabic lacks and Persian has less than those of Urdu, Uyghur or Kurdish.
_APART: Final = {
    "latin_common": "àâãçèìíñòôõöùúûü",
    "latin_extended": "áó",
    "cyrillic_split": "абдзилмпрухчшъэ",
    "persian": "پچژکگی",
}


def _rows() -> tuple[tuple[int, str], ...]:
    """Return the blocks with the letters taken out of them, neighbours of one class together."""
    apart = {ord(letter): name for name, letters in _APART.items() for letter in letters}
    starts = sorted({first for first, _ in _BLOCKS} | set(apart) | {point + 1 for point in apart})
    named = [(point, apart.get(point) or _BLOCKS[bisect(_BLOCKS, (point + 1,)) - 1][1]) for point in starts]
    return tuple(row for before, row in pairwise([(0, ""), *named]) if row[1] != before[1])


BEYOND_ASCII: Final = _rows()
"""Where each class begins from U+0080 on; it goes on up to the next row, the last one up to U+10FFFF."""

CLASSES: Final = (*ASCII, *dict.fromkeys(name for _, name in BEYOND_ASCII))
"""Every class, at most 64; the place of a class in here is its index in tables."""

START: Final = "newline"
"""A text begins as if after a character of this class."""

PAIRS: Final = (
    *((before, name) for before in ASCII for name in ASCII),
    *((name, name) for name in CLASSES[len(ASCII) :]),
    *(("space", name) for name in CLASSES[len(ASCII) :]),
    *((name, "space") for name in CLASSES[len(ASCII) :]),
)
"""The class before and the class, where the class may weigh otherwise than it mostly does."""
