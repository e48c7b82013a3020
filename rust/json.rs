//! Counts of a string as it stands in JSON: in quotes, with escapes, other scripts as they are.
//!
//! This is what Python's `json.dumps(text, ensure_ascii=False)` writes.

use crate::lanes::{self, BLOCK, count_bytes};
use crate::script::{ASCII_END, Counts};
use crate::utf8;
use crate::wide::{self, Kernel};

/// The quotes around a string.
pub const QUOTES: u64 = 2;

/// Characters that an escape of a letter, as in `\n`, has more than the character it stands for.
pub const SHORT_EXTRA: u64 = 1;

/// The same for an escape of a number, as in `\u0001`.
pub const LONG_EXTRA: u64 = 5;

/// Whether a code point is written as a backslash and one character.
#[inline(always)]
pub(crate) fn is_short(unit: u16) -> bool {
    let quote = u16::from(b'"');
    let backslash = u16::from(b'\\');
    (unit == quote) | (unit == backslash) | is_named_control(unit)
}

/// Backspace, tab, line feed, form feed, carriage return: all from 8 to 13 but the vertical tab.
#[inline(always)]
fn is_named_control(unit: u16) -> bool {
    (unit.wrapping_sub(8) <= 13 - 8) & (unit != 11)
}

/// Whether a code point is written as a backslash, a `u` and four digits.
#[inline(always)]
pub(crate) fn is_long(unit: u16) -> bool {
    (unit < 0x20) & !is_named_control(unit)
}

/// The characters that are escaped, all of them ASCII, in a fixed order.
pub(crate) fn escaped() -> impl Iterator<Item = u16> {
    (0..ASCII_END as u16).filter(|&unit| is_short(unit) | is_long(unit))
}

/// What is written for one of them.
pub(crate) fn escape(unit: u16) -> String {
    let letter = match unit {
        8 => 'b',
        9 => 't',
        10 => 'n',
        12 => 'f',
        13 => 'r',
        _ if is_short(unit) => char::from(unit as u8),
        _ => return format!("\\u{unit:04x}"),
    };
    format!("\\{letter}")
}

/// Count a Latin-1 string as JSON.
#[must_use]
pub fn latin1(bytes: &[u8]) -> Counts {
    quoted(bytes.chunks(BLOCK).map(|block| lanes::latin1(block) + wide::run::<Escapes8>(block)))
}

/// Count an ASCII string as JSON.
#[must_use]
pub fn ascii(bytes: &[u8]) -> Counts {
    quoted(std::iter::once(Counts::of_ascii(bytes.len() as u64) + wide::run::<Escapes8>(bytes)))
}

/// Count a string of 2-byte code points as JSON.
#[must_use]
pub fn ucs2(units: &[u16]) -> Counts {
    quoted(units.chunks(BLOCK).map(|block| lanes::ucs2(block) + wide::run::<Escapes16>(block)))
}

/// Count a string of 4-byte code points as JSON.
#[must_use]
pub fn ucs4(units: &[u32]) -> Counts {
    quoted(units.chunks(BLOCK).map(|block| lanes::ucs4(block) + wide::run::<Escapes32>(block)))
}

/// Count bytes as UTF-8, as JSON; all that is escaped is ASCII, and ASCII bytes are characters.
#[must_use]
pub fn bytes(bytes: &[u8]) -> Counts {
    quoted(std::iter::once(utf8::bytes(bytes) + wide::run::<Escapes8>(bytes)))
}

/// Blocks are counted for characters and for escapes while they are in the nearest cache.
fn quoted(parts: impl Iterator<Item = Counts>) -> Counts {
    Counts::of_ascii(QUOTES) + parts.sum()
}

#[inline(always)]
fn extra(short: u64, long: u64) -> Counts {
    Counts::of_ascii(short * SHORT_EXTRA + long * LONG_EXTRA)
}

struct Escapes8;

impl Kernel for Escapes8 {
    type Unit = u8;
    type Output = Counts;

    #[inline(always)]
    fn run(bytes: &[u8]) -> Counts {
        let mut counts = Counts::default();
        for block in bytes.chunks(BLOCK) {
            let short = count_bytes(block, |byte| is_short(u16::from(byte)));
            let long = count_bytes(block, |byte| is_long(u16::from(byte)));
            counts += extra(short, long);
        }
        counts
    }
}

struct Escapes16;

impl Kernel for Escapes16 {
    type Unit = u16;
    type Output = Counts;

    #[inline(always)]
    fn run(block: &[u16]) -> Counts {
        debug_assert!(block.len() <= BLOCK, "counters are 16 bits wide");
        let (mut short, mut long) = (0u16, 0u16);
        for &unit in block {
            short += u16::from(is_short(unit));
            long += u16::from(is_long(unit));
        }
        extra(u64::from(short), u64::from(long))
    }
}

struct Escapes32;

impl Kernel for Escapes32 {
    type Unit = u32;
    type Output = Counts;

    #[inline(always)]
    fn run(block: &[u32]) -> Counts {
        debug_assert!(block.len() <= BLOCK, "counters are 16 bits wide");
        let (mut short, mut long) = (0u16, 0u16);
        for &unit in block {
            // Nothing above ASCII is escaped, so it may stand for all that does not fit.
            let unit = unit.min(u32::from(u16::MAX)) as u16;
            short += u16::from(is_short(unit));
            long += u16::from(is_long(unit));
        }
        extra(u64::from(short), u64::from(long))
    }
}
