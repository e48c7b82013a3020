//! The rules once more, one code point at a time and written for reading.

use crate::classes::{Classes, Range};
use crate::profile;
use crate::script::{Counts, Script};
use std::sync::Arc;

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

/// Ranges and weights as they are given, with nothing made of them.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Every code point's class.
    pub ranges: Vec<Range>,
    /// The class that a text starts after.
    pub start: u8,
    /// Units by the class before, then by class.
    pub units: Vec<u16>,
}

impl Profile {
    /// A profile with ranges of all lengths in all planes, and another weight for nearly every pair.
    #[must_use]
    pub fn sample() -> Self {
        const FIRSTS: [u32; 24] = [
            0, 9, 10, 11, 32, 33, 48, 58, 65, 91, 97, 98, 110, 118, 123, 0x80, 0x100, 0x400, 0x4E00, 0xA000,
            0xD800, 0xE000, 0x1_F600, 0x1_F650,
        ];
        Self::from_seed(&FIRSTS, 40_503)
    }

    /// A profile whose classes begin at these code points, 0 among them, in order; every third class comes twice.
    #[must_use]
    pub fn from_seed(firsts: &[u32], seed: u32) -> Self {
        let ends = firsts.iter().skip(1).copied().chain([0x11_0000]);
        let class = |index: usize| (if index % 3 == 2 { index - 2 } else { index }) as u8;
        let ranges: Vec<Range> = firsts
            .iter()
            .zip(ends)
            .enumerate()
            .map(|(index, (&first, end))| (first, end - 1, class(index)))
            .collect();
        let count = 1 + ranges.iter().map(|range| u32::from(range.2)).max().unwrap_or(0);
        let units = (0..count * count).map(|pair| (pair.wrapping_mul(seed) >> 3) as u16 % 10_000).collect();
        Self { ranges, start: (seed % count) as u8, units }
    }

    /// The fast tables of the same.
    ///
    /// # Panics
    ///
    /// It is not sound.
    #[must_use]
    pub fn profile(&self) -> profile::Profile {
        let classes = Classes::new(&self.ranges, self.start).expect("ranges are sound");
        profile::Profile::new(Arc::new(classes), &self.units).expect("weights are sound")
    }

    /// Units of a text.
    pub fn units(&self, code_points: impl IntoIterator<Item = u32>) -> u64 {
        let count = 1 + self.ranges.iter().map(|range| usize::from(range.2)).max().unwrap_or(0);
        let mut before = usize::from(self.start);
        let mut units = 0;
        for code_point in code_points {
            let class = usize::from(self.class(code_point));
            units += u64::from(self.units[before * count + class]);
            before = class;
        }
        units
    }

    fn class(&self, code_point: u32) -> u8 {
        let holds = |range: &&Range| (range.0..=range.1).contains(&code_point.min(0x10_FFFF));
        self.ranges.iter().find(holds).expect("ranges leave no gap").2
    }
}

/// The code points of the JSON string that holds these.
#[must_use]
pub fn json_code_points(code_points: &[u32]) -> Vec<u32> {
    let escaped = |&code_point: &u32| match char::from_u32(code_point) {
        Some('"') => text("\\\""),
        Some('\\') => text("\\\\"),
        Some('\x08') => text("\\b"),
        Some('\t') => text("\\t"),
        Some('\n') => text("\\n"),
        Some('\x0C') => text("\\f"),
        Some('\r') => text("\\r"),
        Some('\0'..='\x1F') => text(&format!("\\u{code_point:04x}")),
        _ => vec![code_point],
    };
    let quote = text("\"");
    [quote.clone(), code_points.iter().flat_map(escaped).collect(), quote].concat()
}

fn text(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}
