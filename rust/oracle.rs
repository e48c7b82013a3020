//! The rules once more, one code point at a time and written for reading.

use crate::script::{Counts, Script};

/// Count code points as text.
pub fn counts(code_points: impl IntoIterator<Item = u32>) -> Counts {
    code_points.into_iter().map(one).sum()
}

/// Count code points as the JSON string that holds them.
pub fn json_counts(code_points: impl IntoIterator<Item = u32>) -> Counts {
    let quotes = Counts::of_ascii(2);
    quotes + code_points.into_iter().map(json_one).sum()
}

/// The code points of bytes read as UTF-8; an invalid byte becomes a lone surrogate.
#[must_use]
pub fn utf8_code_points(bytes: &[u8]) -> Vec<u32> {
    let mut code_points = Vec::new();
    let mut rest = bytes;
    while let Some(&byte) = rest.first() {
        let character = first_character(rest);
        code_points.push(character.map_or(0xDC00 + u32::from(byte), u32::from));
        rest = &rest[character.map_or(1, char::len_utf8)..];
    }
    code_points
}

fn first_character(bytes: &[u8]) -> Option<char> {
    (1..=bytes.len().min(4))
        .find_map(|length| str::from_utf8(&bytes[..length]).ok())
        .and_then(|text| text.chars().next())
}

fn one(code_point: u32) -> Counts {
    match Script::of(code_point) {
        Script::Ascii => Counts { ascii: 1, ..Counts::default() },
        Script::Cjk => Counts { cjk: 1, ..Counts::default() },
        Script::Other => Counts { other: 1, ..Counts::default() },
    }
}

fn json_one(code_point: u32) -> Counts {
    match char::from_u32(code_point) {
        Some('"' | '\\' | '\x08' | '\t' | '\n' | '\x0C' | '\r') => Counts::of_ascii(2),
        Some('\0'..='\x1F') => Counts::of_ascii(6),
        _ => one(code_point),
    }
}
