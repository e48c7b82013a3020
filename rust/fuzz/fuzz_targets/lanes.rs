//! Every lane, UTF-8 and JSON against the oracle, on whatever bytes the fuzzer thinks of.

#![no_main]

use libfuzzer_sys::fuzz_target;
use longturn::{json, lanes, oracle, utf8};

/// Longer than the shortest strings that take a way of their own, and than a block of pages.
const REPEATED: usize = 1_500;

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    // Few inputs grow long by themselves, and the loops for long strings are the intricate ones.
    if !bytes.is_empty() && bytes.len() < REPEATED {
        let long: Vec<u8> = bytes.iter().copied().cycle().take(4 * REPEATED + bytes.len() % 64).collect();
        check(&long);
    }
});

fn check(bytes: &[u8]) {
    let units: Vec<u16> = bytes.as_chunks().0.iter().copied().map(u16::from_le_bytes).collect();
    let points: Vec<u32> = bytes.as_chunks().0.iter().copied().map(u32::from_le_bytes).collect();
    check_latin1(bytes);
    check_ucs2(&units);
    check_ucs4(&points);
    // Most random numbers are far beyond Unicode: folded, they are in its first four planes.
    check_ucs4(&points.iter().map(|point| point % 0x4_0000).collect::<Vec<_>>());
    check_utf8(bytes);
    check_utf8(String::from_utf16_lossy(&units).as_bytes());
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

fn check_ucs4(points: &[u32]) {
    assert_eq!(oracle::counts(points.iter().copied()), lanes::ucs4(points));
    assert_eq!(oracle::json_counts(points.iter().copied()), json::ucs4(points));
}

fn check_utf8(bytes: &[u8]) {
    let points = oracle::utf8_code_points(bytes);
    assert_eq!(oracle::counts(points.iter().copied()), utf8::bytes(bytes));
    assert_eq!(oracle::json_counts(points), json::bytes(bytes));
}
