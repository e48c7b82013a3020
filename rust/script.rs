//! The script rule: the only place that knows ranges of code points.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// First and last code point of every range that counts as Chinese, Japanese or Korean.
pub const CJK: [(u32, u32); 12] = [
    (0x1100, 0x11FF),   // Hangul Jamo
    (0x2E80, 0x9FFF),   // radicals, punctuation, kana, bopomofo, Han
    (0xA960, 0xA97F),   // Hangul Jamo Extended-A
    (0xAC00, 0xD7FF),   // Hangul syllables, Jamo Extended-B
    (0xF900, 0xFAFF),   // compatibility ideographs
    (0xFE10, 0xFE1F),   // vertical forms
    (0xFE30, 0xFE6F),   // compatibility and small forms
    (0xFF00, 0xFFEF),   // half- and full-width forms
    (0x16FE0, 0x16FFF), // ideographic symbols
    (0x1AFF0, 0x1B16F), // kana supplements
    (0x1F200, 0x1F2FF), // enclosed ideographs
    (0x20000, 0x3FFFF), // supplementary ideographic planes
];

/// One past the last ASCII code point.
pub const ASCII_END: u32 = 0x80;

/// Code points in a row: every edge of the table lies between two rows.
const ROW: u32 = 16;

/// The row that stands for all beyond it, none of which is CJK.
const LAST_ROW: u32 = i16::MAX as u32;

/// First row of every range and the first one after it; rows fit in 16 bits, code points don't.
const CJK_ROWS: [(i16, i16); CJK.len()] = cjk_rows();

/// The first row that is not ASCII.
pub(crate) const ASCII_END_ROW: i16 = (ASCII_END / ROW) as i16;

const fn cjk_rows() -> [(i16, i16); CJK.len()] {
    let mut rows = [(0, 0); CJK.len()];
    let mut i = 0;
    while i < rows.len() {
        let (first, last) = CJK[i];
        assert!(first % ROW == 0 && last % ROW == ROW - 1 && last / ROW < LAST_ROW);
        rows[i] = ((first / ROW) as i16, (last / ROW) as i16 + 1);
        i += 1;
    }
    rows
}

/// The row of a code point.
#[inline(always)]
pub(crate) fn row(code_point: u32) -> i16 {
    (code_point / ROW).min(LAST_ROW) as i16
}

/// 1 for a row that is CJK, else 0.
///
/// The ends passed are taken from the beginnings passed: a sum without branches or "or", either
/// of which would keep a loop from becoming vector code.
#[inline(always)]
pub(crate) fn cjk_in_row(row: i16) -> u16 {
    let mut hits = 0u16;
    let mut i = 0;
    // An index instead of an iterator: this way the compiler unrolls all twelve.
    while i < CJK_ROWS.len() {
        let (begin, end) = CJK_ROWS[i];
        hits = hits.wrapping_add(u16::from(row >= begin)).wrapping_sub(u16::from(row >= end));
        i += 1;
    }
    hits
}

/// What a code point counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Four characters a token.
    Ascii,
    /// One character a token.
    Cjk,
    /// Two characters a token: every other script, symbols, lone surrogates, invalid bytes.
    Other,
}

impl Script {
    /// The script of a code point; numbers beyond Unicode are [`Script::Other`].
    #[must_use]
    pub fn of(code_point: u32) -> Self {
        if code_point < ASCII_END {
            Self::Ascii
        } else if CJK.iter().any(|&(first, last)| (first..=last).contains(&code_point)) {
            Self::Cjk
        } else {
            Self::Other
        }
    }
}

/// Characters of a text by what they count as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Characters in U+0000–U+007F.
    pub ascii: u64,
    /// Characters in the table [`CJK`].
    pub cjk: u64,
    /// All other characters.
    pub other: u64,
}

impl Counts {
    /// Quarters of a token that one character of each script takes.
    pub const QUARTERS: Self = Self { ascii: 1, cjk: 4, other: 2 };

    /// A text of ASCII characters only.
    #[must_use]
    pub const fn of_ascii(characters: u64) -> Self {
        Self { ascii: characters, cjk: 0, other: 0 }
    }

    /// Quarter-tokens: whole numbers, so that sums over parts are exact.
    #[must_use]
    pub const fn quarters(self) -> u64 {
        let each = Self::QUARTERS;
        self.ascii * each.ascii + self.cjk * each.cjk + self.other * each.other
    }

    /// Tokens, rounded up once at the end.
    #[must_use]
    pub const fn tokens(self) -> u64 {
        self.quarters().div_ceil(4)
    }
}

impl Add for Counts {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self { ascii: self.ascii + more.ascii, cjk: self.cjk + more.cjk, other: self.other + more.other }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Self) {
        *self = *self + more;
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Add::add)
    }
}
