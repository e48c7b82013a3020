//! Every fast loop against the oracle: seeds at each length and offset, then generated texts.

use crate::script::{CJK, Counts, Script};
use crate::{json, lanes, number, oracle, utf8};
use proptest::prelude::*;

/// Lengths that cross a row of bytes and every vector width.
const LENGTHS: std::ops::RangeInclusive<usize> = 0..=300;
/// Starts that no vector is aligned to.
const OFFSETS: std::ops::Range<usize> = 0..16;
/// One block, one more, and the span of 8-bit counters.
const LONG: [usize; 5] = [4095, 4096, 4097, 8200, 128 * 255 + 131];

/// Code points next to each edge of the table, and what JSON escapes.
fn seeds() -> Vec<u32> {
    let edges = CJK.iter().flat_map(|&(first, last)| [first - 1, first, last, last + 1]);
    let rest = [0x7F, 0x80, 0xFF, 0x100, 0x430, 0xD800, 0xDFFF, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF];
    (0..0x80).chain(rest).chain(edges).collect()
}

fn cycle(seeds: &[u32], length: usize) -> Vec<u32> {
    seeds.iter().copied().cycle().take(length).collect()
}

fn check_latin1(bytes: &[u8]) {
    let points = || bytes.iter().map(|&byte| u32::from(byte));
    assert_eq!(oracle::counts(points()), lanes::latin1(bytes));
    assert_eq!(oracle::json_counts(points()), json::latin1(bytes));
}

fn check_ucs2(units: &[u16]) {
    let points = || units.iter().map(|&unit| u32::from(unit));
    assert_eq!(oracle::counts(points()), lanes::ucs2(units));
    assert_eq!(oracle::json_counts(points()), json::ucs2(units));
}

fn check_ucs4(units: &[u32]) {
    assert_eq!(oracle::counts(units.iter().copied()), lanes::ucs4(units));
    assert_eq!(oracle::json_counts(units.iter().copied()), json::ucs4(units));
}

fn check_utf8(bytes: &[u8]) {
    let points = oracle::utf8_code_points(bytes);
    assert_eq!(oracle::counts(points.iter().copied()), utf8::bytes(bytes));
    assert_eq!(oracle::json_counts(points), json::bytes(bytes));
}

fn check_all(points: &[u32]) {
    let bytes: Vec<u8> = points.iter().filter_map(|&point| point.try_into().ok()).collect();
    let units: Vec<u16> = points.iter().filter_map(|&point| point.try_into().ok()).collect();
    let text: String = points.iter().filter_map(|&point| char::from_u32(point)).collect();
    check_latin1(&bytes);
    check_ucs2(&units);
    check_ucs4(points);
    check_utf8(text.as_bytes());
}

#[test]
fn s1_each_edge_of_the_table() {
    for (first, last) in CJK {
        let scripts = [first - 1, first, last, last + 1].map(Script::of);
        assert_eq!([Script::Other, Script::Cjk, Script::Cjk, Script::Other], scripts);
    }
    assert_eq!([Script::Ascii, Script::Other], [0x7F, 0x80].map(Script::of));
}

#[test]
fn s1_every_code_point_alone() {
    for point in 0..0x11_0000 {
        assert_eq!(oracle::counts([point]), lanes::ucs4(&[point]), "U+{point:04X}");
        if let Ok(unit) = u16::try_from(point) {
            assert_eq!(oracle::counts([point]), lanes::ucs2(&[unit]), "U+{point:04X}");
        }
        if let Some(character) = char::from_u32(point) {
            let text = character.to_string();
            assert_eq!(oracle::counts([point]), utf8::text(&text), "U+{point:04X}");
        }
    }
}

#[test]
fn s1_every_code_point_in_a_long_string() {
    // Long strings are looked up by pages: each row of each page, as often as takes that way.
    for first in (0..0x11_0000).step_by(16) {
        let row: Vec<u32> = (first..first + 16).cycle().take(96).collect();
        let expected = oracle::counts(row.iter().copied());
        assert_eq!(expected, lanes::ucs4(&row), "U+{first:04X}");
        if first < 0x1_0000 {
            let row: Vec<u16> = row.iter().map(|&point| point as u16).collect();
            assert_eq!(expected, lanes::ucs2(&row), "U+{first:04X}");
        }
    }
}

#[test]
fn s1_numbers_beyond_unicode_are_other() {
    for point in [0x11_0000, 0x12_0000, 0x8000_0000, u32::MAX] {
        for times in [1, 96] {
            let other = times as u64;
            assert_eq!(Counts { other, ..Counts::default() }, lanes::ucs4(&vec![point; times]));
        }
    }
}

#[test]
fn numbers_are_as_long_as_python_writes_them() {
    for number in [0, 7, -7, 10, 99, -100, i64::MAX, i64::MIN] {
        assert_eq!(number.to_string().len() as u64, number::int_length(number));
    }
    let floats = [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.5, "1.5"),
        (100.0, "100.0"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e+16"),
        (1.25e16, "1.25e+16"),
        (9_999_999_999_999_998.0, "9999999999999998.0"),
        (1e-4, "0.0001"),
        (1.5e-5, "1.5e-05"),
        (-2.5e-310, "-2.5e-310"),
        (5e-324, "5e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "Infinity"),
        (f64::NEG_INFINITY, "-Infinity"),
    ];
    for (number, written) in floats {
        assert_eq!(written.len() as u64, number::float_length(number), "{written}");
    }
}

#[test]
fn s1_invalid_bytes_are_other_one_each() {
    let cases: [(&[u8], u64, u64); 6] = [
        (b"\xFF", 0, 1),
        (b"a\xE4\xB8", 1, 2),
        (b"\xED\xA0\x80", 0, 3),
        (b"\xC0\x80", 0, 2),
        (b"\xF4\x90\x80\x80z", 1, 4),
        (b"\xF0\x9F\x98 \xF0\x9F", 1, 5),
    ];
    for (bytes, ascii, other) in cases {
        assert_eq!(Counts { ascii, cjk: 0, other }, utf8::bytes(bytes), "{bytes:x?}");
    }
}

#[test]
fn s2_one_rounding_at_the_end() {
    let counts = Counts { ascii: 26_492, cjk: 0, other: 73_600 };
    assert_eq!(43_423, counts.tokens());
    let (left, right) = (Counts::of_ascii(1), Counts { cjk: 1, ..counts });
    assert_eq!(left.quarters() + right.quarters(), (left + right).quarters());
    assert_eq!([0, 1, 1, 2], [0, 1, 4, 5].map(|ascii| Counts::of_ascii(ascii).tokens()));
}

#[test]
fn json_writes_what_python_writes() {
    let counts = |text: &str| json::bytes(text.as_bytes()).ascii;
    let lengths = ["", "a", "\"", "\\", "\u{8}\t\n\u{C}\r", "\u{B}", "\0", "\u{1F}", "\u{7F}"];
    assert_eq!([2, 3, 4, 4, 12, 8, 8, 8, 3], lengths.map(counts));
}

#[test]
fn every_length_and_offset() {
    let text = cycle(&seeds(), 400);
    for offset in OFFSETS {
        for length in LENGTHS {
            check_all(&text[offset..offset + length]);
        }
    }
}

#[test]
fn blocks_and_counters_at_their_limits() {
    for length in LONG {
        check_all(&cycle(&seeds(), length));
        for point in [1, 10, 0x61, 0xE9, 0x430, 0x4E00, 0x1F600, 0x20000] {
            check_all(&vec![point; length]);
        }
    }
}

fn code_point() -> impl Strategy<Value = u32> {
    prop_oneof![prop::sample::select(seeds()), 0u32..0x80, 0u32..0x1_0000, 0u32..0x11_0000, any::<u32>(),]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_code_points(points in prop::collection::vec(code_point(), 0..600)) {
        check_all(&points);
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        check_latin1(&bytes);
        check_utf8(&bytes);
    }

    #[test]
    fn any_text_cut_anywhere(text in any::<String>(), cut in 0usize..64) {
        let bytes = text.as_bytes();
        check_utf8(&bytes[cut.min(bytes.len())..]);
        check_utf8(&bytes[..bytes.len().saturating_sub(cut)]);
    }
}
