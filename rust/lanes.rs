//! Counts over strings whose code points all take 1, 2 or 4 bytes, as Python keeps them.
//!
//! Counters are as narrow as the lane, so that a vector holds as many of them as it holds
//! characters; a block is short enough for them never to overflow.

#[cfg(target_arch = "x86_64")]
use crate::pages;
use crate::script::{self, ASCII_END, Counts};
use crate::wide::{self, Kernel};

/// Units per block; a 16-bit counter holds it, and a block stays in the first-level cache.
pub(crate) const BLOCK: usize = 4096;

/// Rows of 4-byte units kept at a time: few, since making room for them is most of a short string.
const ROWS: usize = 256;

/// Bytes counted side by side, a multiple of every vector's width.
const ROW: usize = 128;

/// Count a Latin-1 string: the code points U+0000–U+00FF, a byte each.
#[must_use]
pub fn latin1(bytes: &[u8]) -> Counts {
    let other = wide::run::<HighBytes>(bytes);
    Counts { ascii: bytes.len() as u64 - other, cjk: 0, other }
}

/// Count a string of 2-byte code points; a surrogate is never half of a pair.
#[must_use]
pub fn ucs2(units: &[u16]) -> Counts {
    #[cfg(target_arch = "x86_64")]
    if let Some(counts) = pages::ucs2(units) {
        return counts;
    }
    wide::run::<Ucs2>(units)
}

/// Count a string of 4-byte code points.
#[must_use]
pub fn ucs4(units: &[u32]) -> Counts {
    #[cfg(target_arch = "x86_64")]
    if let Some(counts) = pages::ucs4(units) {
        return counts;
    }
    wide::run::<Ucs4>(units)
}

/// Sum a verdict of 0 or 1 over bytes, in as many 8-bit counters as a row has bytes.
#[inline(always)]
pub(crate) fn count_bytes(bytes: &[u8], verdict: impl Fn(u8) -> bool) -> u64 {
    let mut total = 0;
    for block in bytes.chunks(ROW * u8::MAX as usize) {
        let mut counters = [0u8; ROW];
        let (rows, rest) = block.as_chunks::<ROW>();
        for row in rows {
            for i in 0..ROW {
                counters[i] += u8::from(verdict(row[i]));
            }
        }
        for &counter in &counters {
            total += u64::from(counter);
        }
        for &byte in rest {
            total += u64::from(verdict(byte));
        }
    }
    total
}

struct HighBytes;

impl Kernel for HighBytes {
    type Unit = u8;
    type Output = u64;

    #[inline(always)]
    fn run(bytes: &[u8]) -> u64 {
        count_bytes(bytes, |byte| byte >= ASCII_END as u8)
    }
}

pub(crate) struct Ucs2;

impl Kernel for Ucs2 {
    type Unit = u16;
    type Output = Counts;

    #[inline(always)]
    fn run(units: &[u16]) -> Counts {
        let mut counts = Counts::default();
        for block in units.chunks(BLOCK) {
            let (mut ascii, mut cjk) = (0u16, 0u16);
            for &unit in block {
                ascii += u16::from(unit < ASCII_END as u16);
                cjk += script::cjk_in_row(script::row(u32::from(unit)));
            }
            counts += of_block(block.len(), ascii, cjk);
        }
        counts
    }
}

pub(crate) struct Ucs4;

impl Kernel for Ucs4 {
    type Unit = u32;
    type Output = Counts;

    #[inline(always)]
    fn run(units: &[u32]) -> Counts {
        let mut counts = Counts::default();
        // Rows are 16 bits wide: twice as many range tests in a vector as on the units themselves.
        let mut rows = [0i16; ROWS];
        for block in units.chunks(ROWS) {
            let rows = &mut rows[..block.len()];
            for (row, &unit) in rows.iter_mut().zip(block) {
                *row = script::row(unit);
            }
            let (mut ascii, mut cjk) = (0u16, 0u16);
            for &row in rows.iter() {
                ascii += u16::from(row < script::ASCII_END_ROW);
                cjk += script::cjk_in_row(row);
            }
            counts += of_block(block.len(), ascii, cjk);
        }
        counts
    }
}

/// The counts of one block; what is neither ASCII nor CJK is other.
#[inline(always)]
pub(crate) fn of_block(characters: usize, ascii: u16, cjk: u16) -> Counts {
    let (ascii, cjk) = (u64::from(ascii), u64::from(cjk));
    Counts { ascii, cjk, other: characters as u64 - ascii - cjk }
}
