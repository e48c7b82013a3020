//! A borrowed text in whatever form its owner keeps it.

use crate::script::Counts;
use crate::{json, lanes, utf8};

/// A borrowed text; the form decides which loop counts it.
#[derive(Clone, Copy, Debug)]
pub enum Text<'a> {
    /// Known to be ASCII, so that its length says all.
    Ascii(&'a [u8]),
    /// U+0000–U+00FF, a byte each.
    Latin1(&'a [u8]),
    /// 2-byte code points.
    Ucs2(&'a [u16]),
    /// 4-byte code points.
    Ucs4(&'a [u32]),
    /// UTF-8, perhaps with invalid bytes.
    Utf8(&'a [u8]),
}

impl Text<'_> {
    /// The text's characters by script.
    #[must_use]
    pub fn counts(self) -> Counts {
        match self {
            Self::Ascii(bytes) => Counts::of_ascii(bytes.len() as u64),
            Self::Latin1(bytes) => lanes::latin1(bytes),
            Self::Ucs2(units) => lanes::ucs2(units),
            Self::Ucs4(units) => lanes::ucs4(units),
            Self::Utf8(bytes) => utf8::bytes(bytes),
        }
    }

    /// The characters of the text as a JSON string, quotes and escapes included.
    #[must_use]
    pub fn json_counts(self) -> Counts {
        match self {
            Self::Ascii(bytes) => json::ascii(bytes),
            Self::Latin1(bytes) => json::latin1(bytes),
            Self::Ucs2(units) => json::ucs2(units),
            Self::Ucs4(units) => json::ucs4(units),
            Self::Utf8(bytes) => json::bytes(bytes),
        }
    }

    /// Do something with each code point; an invalid byte is a lone surrogate, as Python reads it.
    pub fn for_each(self, mut see: impl FnMut(u32)) {
        match self {
            Self::Ascii(bytes) | Self::Latin1(bytes) => bytes.iter().for_each(|&unit| see(u32::from(unit))),
            Self::Ucs2(units) => units.iter().for_each(|&unit| see(u32::from(unit))),
            Self::Ucs4(units) => units.iter().for_each(|&unit| see(unit)),
            Self::Utf8(bytes) => {
                utf8::for_each_piece(bytes, |valid, invalid| {
                    valid.chars().for_each(|character| see(u32::from(character)));
                    invalid.iter().for_each(|&byte| see(0xDC00 + u32::from(byte)));
                });
            }
        }
    }

    /// Bytes of the text, all of which a sum over its characters has to read.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::Ascii(bytes) | Self::Latin1(bytes) | Self::Utf8(bytes) => bytes.len(),
            Self::Ucs2(units) => size_of_val(units),
            Self::Ucs4(units) => size_of_val(units),
        }
    }

    /// Bytes that a count has to read; an ASCII text is not read at all.
    #[must_use]
    pub fn bytes_to_read(self) -> usize {
        match self {
            Self::Ascii(_) => 0,
            text => text.bytes(),
        }
    }
}
