//! Counts over bytes that ought to be UTF-8.
//!
//! A byte that is no part of a character counts as one other character, which is what Python's
//! `surrogateescape` makes of it.

use crate::lanes::{self, BLOCK};
use crate::script::{self, ASCII_END, Counts};
use crate::wide::{self, Kernel};

/// Bytes of the longest character.
const LONGEST: usize = 4;

/// Count bytes as UTF-8; invalid ones count as other, one character each.
#[must_use]
pub fn bytes(bytes: &[u8]) -> Counts {
    if bytes.is_ascii() {
        return Counts::of_ascii(bytes.len() as u64);
    }
    let mut counts = Counts::default();
    for_each_piece(bytes, |valid, invalid| {
        counts += text(valid);
        counts.other += invalid.len() as u64;
    });
    counts
}

/// Do something with each stretch of valid text and the invalid bytes after it.
///
/// As `utf8_chunks` cuts them, which goes byte by byte where this takes words of ASCII at once.
pub(crate) fn for_each_piece(mut bytes: &[u8], mut see: impl FnMut(&str, &[u8])) {
    loop {
        match str::from_utf8(bytes) {
            Ok(text) => return see(text, &[]),
            Err(error) => {
                let (valid, after) = bytes.split_at(error.valid_up_to());
                let (invalid, rest) = after.split_at(error.error_len().unwrap_or(after.len()));
                see(str::from_utf8(valid).expect("valid up to the error"), invalid);
                bytes = rest;
            }
        }
    }
}

/// Count a Rust string.
#[must_use]
pub fn text(text: &str) -> Counts {
    let bytes = text.as_bytes();
    let mut counts = Counts::default();
    let mut start = 0;
    while start < bytes.len() {
        let end = bytes.len().min(start + BLOCK);
        counts += block(bytes, start, end);
        start = end;
    }
    counts
}

/// Count the characters that begin in one block.
fn block(bytes: &[u8], start: usize, end: usize) -> Counts {
    if bytes[start..end].is_ascii() {
        return Counts::of_ascii((end - start) as u64);
    }
    match bytes.get(start..end + LONGEST - 1) {
        Some(window) => wide::run::<Starts>(window),
        None => last_block(&bytes[start..], end - start),
    }
}

/// The same where no further bytes follow: padded, since every start looks ahead.
fn last_block(bytes: &[u8], starts: usize) -> Counts {
    let mut padded = [0u8; BLOCK + LONGEST - 1];
    padded[..bytes.len()].copy_from_slice(bytes);
    wide::run::<Starts>(&padded[..starts + LONGEST - 1])
}

/// Counts of the characters that begin anywhere but in the last three bytes, which they may reach.
struct Starts;

impl Kernel for Starts {
    type Unit = u8;
    type Output = Counts;

    #[inline(always)]
    fn run(bytes: &[u8]) -> Counts {
        let starts = bytes.len() - (LONGEST - 1);
        // Four equally long views of the same bytes, each one byte on, instead of indices:
        // nothing is left to check inside the loop.
        let (first, second) = (&bytes[..starts], &bytes[1..=starts]);
        let (third, fourth) = (&bytes[2..starts + 2], &bytes[3..starts + 3]);
        let (mut ascii, mut cjk, mut characters) = (0u16, 0u16, 0u16);
        for i in 0..starts {
            ascii += u16::from(first[i] < ASCII_END as u8);
            characters += u16::from(!is_continuation(first[i]));
            cjk += script::cjk_in_row(row(first[i], second[i], third[i], fourth[i]));
        }
        lanes::of_block(characters as usize, ascii, cjk)
    }
}

#[inline(always)]
fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The row of the character that begins with these bytes, or 0 where no CJK character can begin.
///
/// Those take three bytes, or four in the first planes above the basic one.
#[inline(always)]
fn row(first: u8, second: u8, third: u8, fourth: u8) -> i16 {
    let (second, third) = (i16::from(second & 0x3F), i16::from(third & 0x3F));
    let of_three = i16::from(first & 0x0F) << 8 | second << 2 | third >> 4;
    let of_four = second << 8 | third << 2 | i16::from(fourth >> 4 & 3);
    match first {
        0xE0..=0xEF => of_three,
        0xF0 => of_four,
        _ => 0,
    }
}
