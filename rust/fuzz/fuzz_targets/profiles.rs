//! Every lane, UTF-8 and JSON under a profile, against the oracle.

#![no_main]

use libfuzzer_sys::fuzz_target;
use longturn::oracle::{self, Profile};
use longturn::text::Text;
use std::collections::BTreeSet;

fuzz_target!(|input: (Vec<(u8, u16)>, u32, Vec<u8>)| {
    let (firsts, seed, bytes) = input;
    // Planes in the low half, so that most ranges are short and in the basic one.
    let firsts = firsts.iter().take(50).map(|&(plane, low)| u32::from(plane % 17) << 16 | u32::from(low));
    let firsts: BTreeSet<u32> = [0].into_iter().chain(firsts).collect();
    let profile = Profile::from_seed(&firsts.into_iter().collect::<Vec<_>>(), seed);
    let units: Vec<u16> = bytes.as_chunks().0.iter().copied().map(u16::from_le_bytes).collect();
    let points: Vec<u32> = bytes.as_chunks().0.iter().copied().map(u32::from_le_bytes).collect();
    for text in [Text::Latin1(&bytes), Text::Ucs2(&units), Text::Ucs4(&points), Text::Utf8(&bytes)] {
        check(&profile, text);
    }
});

fn check(profile: &Profile, text: Text<'_>) {
    let fast = profile.profile();
    let mut points = Vec::new();
    text.for_each(|point| points.push(point));
    let mut weigher = fast.weigher();
    weigher.text(text);
    weigher.json_text(text);
    let pieces = [points.clone(), oracle::json_code_points(&points)].concat();
    assert_eq!(profile.units(pieces), weigher.units());
}
