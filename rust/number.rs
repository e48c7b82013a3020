//! How long a number is as JSON text, without writing it.

use std::fmt::{self, Write};

/// Length of an integer in decimal.
#[must_use]
pub fn int_length(number: i64) -> u64 {
    let digits = number.unsigned_abs().checked_ilog10().unwrap_or(0) + 1;
    u64::from(digits) + u64::from(number < 0)
}

/// Length of a float as Python's `repr` writes it, or of `NaN`, `Infinity`, `-Infinity`.
#[must_use]
pub fn float_length(number: f64) -> u64 {
    if number.is_nan() {
        return "NaN".len() as u64;
    }
    let sign = u64::from(number.is_sign_negative());
    if number.is_infinite() {
        return sign + "Infinity".len() as u64;
    }
    let (digits, exponent) = shortest(number.abs());
    sign + python_length(digits, exponent)
}

/// Python writes exponents from here on, both ways.
const PLAIN: std::ops::Range<i64> = -4..16;

/// Length of a number of so many digits, the first of which stands for this power of ten.
fn python_length(digits: i64, exponent: i64) -> u64 {
    let length = if !PLAIN.contains(&exponent) {
        let point = i64::from(digits > 1);
        let exponent_digits = int_length(exponent.abs()).max(2) as i64;
        digits + point + "e+".len() as i64 + exponent_digits
    } else if exponent < 0 {
        "0.".len() as i64 + (-exponent - 1) + digits
    } else {
        // One digit at least stands behind the point.
        digits.max(exponent + 2) + ".".len() as i64
    };
    length as u64
}

/// The fewest digits that read back as the same number, and the power of ten of the first.
fn shortest(number: f64) -> (i64, i64) {
    let mut seen = Scientific::default();
    write!(seen, "{number:e}").expect("counting cannot fail");
    let exponent = if seen.is_negative { -seen.exponent } else { seen.exponent };
    (seen.digits, exponent)
}

/// Reads `d.ddde-ddd` as it is written, keeping none of it.
#[derive(Default)]
struct Scientific {
    digits: i64,
    in_exponent: bool,
    is_negative: bool,
    exponent: i64,
}

impl Write for Scientific {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        for byte in part.bytes() {
            match byte {
                b'e' => self.in_exponent = true,
                b'-' => self.is_negative = true,
                b'0'..=b'9' if self.in_exponent => {
                    self.exponent = self.exponent * 10 + i64::from(byte - b'0');
                }
                b'0'..=b'9' => self.digits += 1,
                _ => {}
            }
        }
        Ok(())
    }
}
