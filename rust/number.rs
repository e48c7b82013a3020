//! Numbers as JSON text, and how long that is.

use std::fmt::{self, Write};

/// Length of an integer in decimal.
#[must_use]
pub fn int_length(number: i64) -> u64 {
    let digits = number.unsigned_abs().checked_ilog10().unwrap_or(0) + 1;
    u64::from(digits) + u64::from(number < 0)
}

/// Length of a float as [`write_float`] writes it.
#[must_use]
pub fn float_length(number: f64) -> u64 {
    let mut length = Length(0);
    write_float(&mut length, number).expect("counting cannot fail");
    length.0
}

/// Write a float as Python's `repr` does, or as `NaN`, `Infinity`, `-Infinity`.
///
/// # Errors
///
/// Those of `out`.
pub fn write_float(out: &mut impl Write, number: f64) -> fmt::Result {
    if number.is_nan() {
        return out.write_str("NaN");
    }
    if number.is_sign_negative() {
        out.write_char('-')?;
    }
    if number.is_infinite() {
        return out.write_str("Infinity");
    }
    let mut seen = Scientific::default();
    write!(seen, "{:e}", number.abs())?;
    write_decimal(out, seen.digits(), seen.exponent())
}

/// Python writes exponents from here on, both ways.
const PLAIN: std::ops::Range<i32> = -4..16;

/// Write digits, the first of which stands for this power of ten.
fn write_decimal(out: &mut impl Write, digits: &str, exponent: i32) -> fmt::Result {
    if !PLAIN.contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let sign = if exponent < 0 { '-' } else { '+' };
        return write!(out, "{first}{point}{rest}e{sign}{:02}", exponent.abs());
    }
    let Ok(exponent) = usize::try_from(exponent) else {
        let zeros = exponent.unsigned_abs() as usize - 1;
        return write!(out, "0.{:0<zeros$}{digits}", "");
    };
    let (whole, rest) = digits.split_at(digits.len().min(exponent + 1));
    // One digit at least stands behind the point.
    let rest = if rest.is_empty() { "0" } else { rest };
    write!(out, "{whole:0<width$}.{rest}", width = exponent + 1)
}

/// Counts what is written, all of it ASCII.
struct Length(u64);

impl Write for Length {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0 += part.len() as u64;
        Ok(())
    }
}

/// The most digits that any float needs.
const DIGITS: usize = 17;

/// Reads `d.ddde-ddd` as it is written: the fewest digits that read back as the same number.
#[derive(Default)]
struct Scientific {
    digits: [u8; DIGITS],
    length: usize,
    in_exponent: bool,
    is_negative: bool,
    size: i32,
}

impl Scientific {
    fn digits(&self) -> &str {
        str::from_utf8(&self.digits[..self.length]).expect("digits are ASCII")
    }

    fn exponent(&self) -> i32 {
        if self.is_negative { -self.size } else { self.size }
    }
}

impl Write for Scientific {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        for byte in part.bytes() {
            match byte {
                b'e' => self.in_exponent = true,
                b'-' => self.is_negative = true,
                b'0'..=b'9' if self.in_exponent => self.size = self.size * 10 + i32::from(byte - b'0'),
                b'0'..=b'9' => {
                    self.digits[self.length] = byte;
                    self.length += 1;
                }
                _ => {}
            }
        }
        Ok(())
    }
}
