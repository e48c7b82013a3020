"""
What a profile weighs: classes of characters, and the places where one class follows another.

Data only, and the one home of it: engines build their tables from here.  A text weighs the sum, over its
code points, of ``weight[class]`` and of the weights of all transitions that hold the pair (class of the code
point before, class of this one).  So every profile is one table ``W[class before][class]``.
"""

from __future__ import annotations

from typing import Final

# Letters are told apart by how common they are: rare ones sit in words that split.
ASCII: Final = {
    "newline": "\n\r",
    "tab": "\t",
    "space": " ",
    "digit": "0123456789",
    "upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "vowel": "aeiou",
    "lower_common": "cdhlmnrst",
    "lower_middling": "bfgpy",
    "lower_rare": "jkqvwxz",
    "quote": "\"'`",
    "open": "([{<",
    "close": ")]}>",
    "stop": ".,;",
    "join": ":_/\\@&?+%$",
    "rule": "-=*#~|^!",  # what lines and boxes are drawn with
    "control": "\0\1\2\3\4\5\6\7\x08\x0b\x0c\x0e\x0f" + "".join(map(chr, range(0x10, 0x20))) + "\x7f",
}
"""The characters of each class below U+0080."""

BEYOND_ASCII: Final = (
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
    (0x66E, "arabic_extended"),  # Persian, Urdu, Kurdish ...
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
    (0x10A0, "caucasian"),  # Georgian
    (0x1100, "rare_3"),  # Hangul letters
    (0x1200, "rare_known"),  # Ethiopic
    (0x13A0, "rare_3"),  # Cherokee, Canadian syllabics, Ogham, runes ...
    (0x1780, "khmer"),
    (0x1800, "rare_3"),  # Mongolian ...
    (0x1C90, "caucasian"),
    (0x1CC0, "rare_3"),
    (0x1E00, "latin_additional"),  # Vietnamese
    (0x1F00, "greek"),
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
    (0xFB00, "rare_3"),
    (0xFB50, "arabic_extended"),
    (0xFE00, "joiner"),
    (0xFE10, "cjk_punctuation"),
    (0xFE70, "arabic_extended"),
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
"""Where each class begins from U+0080 on; it goes on up to the next row, the last one up to U+10FFFF."""

CLASSES: Final = (*ASCII, *dict.fromkeys(name for _, name in BEYOND_ASCII))
"""Every class, at most 64; the place of a class in here is its index in tables."""

START: Final = "newline"
"""A text begins as if after a character of this class."""

LOWER: Final = ("vowel", "lower_common", "lower_middling", "lower_rare")
LETTERS: Final = ("upper", *LOWER)
MARKS: Final = ("quote", "open", "close", "stop", "join", "rule")

GROUPS: Final = {
    "lower": LOWER,
    "letter": LETTERS,
    "consonant": LOWER[1:],
    "mark": MARKS,
    "not_digit": tuple(name for name in CLASSES if name != "digit"),
    "beyond": CLASSES[len(ASCII) :],
    "within": tuple(ASCII),
}
"""Names for several classes, for use in ``TRANSITIONS``."""

TRANSITIONS: Final = (
    ("not_digit", "digit"),
    ("mark", "letter"),
    ("space", "space"),
    ("tab", "tab"),
    ("newline", "space"),
    ("newline", "newline"),
    ("control", "mark"),
    ("lower", "upper"),
    ("upper", "lower"),
    ("upper", "upper"),
    ("digit", "letter"),
    ("letter", "digit"),
    ("space", "letter"),
    ("mark", "mark"),
    ("rule", "rule"),
    ("vowel", "vowel"),
    ("consonant", "consonant"),
    ("within", "beyond"),
    ("beyond", "within"),
    ("box", "box"),
    ("replacement", "replacement"),
)
"""Pairs of classes or groups: a transition ``"a>b"`` is at every code point of ``b`` that follows one of ``a``."""
