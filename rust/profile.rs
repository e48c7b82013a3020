//! What a text weighs under a profile: a weight for each character, by its class and the one before it.
//!
//! Weights are whole numbers, so that the plain-Python twin finds the same sums.  The kernels look
//! each weight up, two bytes at once where a character is one: an addition a character, and nothing
//! that depends on the text.

use crate::classes::{Classes, WIDTH};
use crate::json;
use crate::text::Text;
use crate::utf8;
use std::sync::Arc;

/// Units of weight in a token.
pub const UNITS: u64 = 4096;

/// Units of weight in a quarter-token, which is what sums are rounded up to.
pub const UNITS_PER_QUARTER: u64 = UNITS / 4;

/// Bytes of UTF-8 that are weighed at once; a character has fewer.
const BLOCK: usize = 64;

/// Weights by class and the class before it, and the tables made of them.
#[derive(Clone, Debug)]
pub struct Profile {
    classes: Arc<Classes>,
    plain: Tables,
    json: Tables,
}

/// Weights of text as it stands, or as it is written in JSON.
#[derive(Clone, Debug)]
struct Tables {
    /// By the class before, then by class.
    classes: Box<[u16; WIDTH * WIDTH]>,
    /// By two bytes of Latin-1, the second one's weight; the first is the low half of the index.
    bytes: Box<[u16; 1 << 16]>,
    /// The class that stands last when a character of this class is written.
    last: [u8; WIDTH],
}

impl Profile {
    /// Build the tables from a weight for each pair of classes: rows by the class before.
    ///
    /// # Errors
    ///
    /// There are not as many weights as pairs, or an escape of JSON weighs more than a table holds.
    pub fn new(classes: Arc<Classes>, weights: &[u16]) -> Result<Self, String> {
        let count = classes.count();
        if weights.len() != count * count {
            return Err(format!(
                "weights must be {} numbers, one a pair of classes (got {})",
                count * count,
                weights.len()
            ));
        }
        let weight = |before: u8, class: u8| weights[usize::from(before) * count + usize::from(class)];
        let plain = Tables::new(&classes, |class| vec![classes.base[usize::from(class)]], weight)?;
        let json = Tables::new(&classes, |class| written(&classes, class), weight)?;
        Ok(Self { classes, plain, json })
    }

    /// The classes that the weights are for.
    #[must_use]
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Begin to weigh a text.
    #[must_use]
    pub fn weigher(&self) -> Weigher<'_> {
        Weigher { profile: self, last: self.classes.start(), units: 0 }
    }

    /// Quarter-tokens of a text, rounded up.
    #[must_use]
    pub fn quarters(&self, text: Text<'_>) -> u64 {
        let mut weigher = self.weigher();
        weigher.text(text);
        weigher.quarters()
    }
}

/// The classes of what JSON writes for a character of a class.
fn written(classes: &Classes, class: u8) -> Vec<u8> {
    let base = classes.base[usize::from(class)];
    let Some(index) = usize::from(class).checked_sub(classes.count()) else { return vec![base] };
    let Some(unit) = json::escaped().nth(index) else { return vec![base] };
    let of = |&byte: &u8| classes.base[usize::from(classes.of_unit(u16::from(byte)))];
    json::escape(unit).as_bytes().iter().map(of).collect()
}

impl Tables {
    fn new(
        classes: &Classes,
        written: impl Fn(u8) -> Vec<u8>,
        weight: impl Fn(u8, u8) -> u16,
    ) -> Result<Self, String> {
        let used = classes.count() + json::escaped().count();
        let written: Vec<Vec<u8>> = (0..used).map(|class| written(class as u8)).collect();
        let mut by_class = vec![0u16; WIDTH * WIDTH];
        let mut last = [0u8; WIDTH];
        for (before, text) in written.iter().enumerate() {
            last[before] = *text.last().expect("something is written for every character");
            for (class, text) in written.iter().enumerate() {
                let mut units = 0;
                let mut from = last[before];
                for &to in text {
                    units += u32::from(weight(from, to));
                    from = to;
                }
                by_class[before * WIDTH + class] =
                    u16::try_from(units).map_err(|_| too_heavy(classes, class))?;
            }
        }
        let of_byte = |byte: usize| usize::from(classes.of_unit(byte as u16));
        let of_pair = |pair: usize| by_class[of_byte(pair & 0xFF) * WIDTH + of_byte(pair >> 8)];
        let bytes: Vec<u16> = (0..1 << 16).map(of_pair).collect();
        Ok(Self {
            classes: by_class.try_into().expect("as many as were made"),
            bytes: bytes.try_into().expect("one a pair of bytes"),
            last,
        })
    }

    #[inline(always)]
    fn weight(&self, before: u8, class: u8) -> u64 {
        // The mask is for the compiler, which then sees that the index is in bounds.
        let place = usize::from(before) * WIDTH + usize::from(class);
        u64::from(self.classes[place % (WIDTH * WIDTH)])
    }
}

fn too_heavy(classes: &Classes, class: usize) -> String {
    let most = f64::from(u16::MAX) / UNITS as f64;
    let class = classes.base[class];
    format!(
        "weights must be small: what JSON writes for a character of class {class} weighs over {most:.0} tokens"
    )
}

/// Weighs a text that comes in pieces.
#[derive(Clone, Debug)]
pub struct Weigher<'p> {
    profile: &'p Profile,
    last: u8,
    units: u64,
}

impl Weigher<'_> {
    /// Go on with a text as it stands.
    pub fn text(&mut self, text: Text<'_>) {
        self.add(&self.profile.plain, text);
    }

    /// Go on with ASCII.
    pub fn ascii(&mut self, text: &[u8]) {
        self.text(Text::Ascii(text));
    }

    /// Go on with a text as it stands in JSON, escaped and in quotes.
    pub fn json_text(&mut self, text: Text<'_>) {
        self.ascii(b"\"");
        self.add(&self.profile.json, text);
        self.ascii(b"\"");
    }

    /// Quarter-tokens of all of it, rounded up.
    #[must_use]
    pub fn quarters(&self) -> u64 {
        self.units.div_ceil(UNITS_PER_QUARTER)
    }

    /// Units of weight of all of it.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.units
    }

    fn add(&mut self, tables: &Tables, text: Text<'_>) {
        let classes = &*self.profile.classes;
        let (units, last) = match text {
            Text::Ascii(bytes) | Text::Latin1(bytes) => latin1(tables, classes, self.last, bytes),
            Text::Ucs2(units) => walk(tables, self.last, units.iter().map(|&unit| classes.of_unit(unit))),
            Text::Ucs4(units) => walk(tables, self.last, units.iter().map(|&unit| classes.of(unit))),
            Text::Utf8(bytes) => return self.add_utf8(tables, bytes),
        };
        self.units += units;
        self.last = tables.last[usize::from(last) % WIDTH];
    }

    fn add_utf8(&mut self, tables: &Tables, bytes: &[u8]) {
        if bytes.is_ascii() {
            return self.add(tables, Text::Ascii(bytes));
        }
        utf8::for_each_piece(bytes, |valid, invalid| {
            self.add_valid(tables, valid);
            // What Python's `surrogateescape` makes of a byte that is no part of a character.
            self.add_characters(tables, invalid.iter().map(|&byte| 0xDC00 + u32::from(byte)));
        });
    }

    /// Go on block by block: most of what is no ASCII has long runs of it between.
    fn add_valid(&mut self, tables: &Tables, mut text: &str) {
        while !text.is_empty() {
            let most = text.len().min(BLOCK);
            let end =
                (1..=most).rev().find(|&end| text.is_char_boundary(end)).expect("a block holds a character");
            let (block, rest) = text.split_at(end);
            if block.is_ascii() {
                self.add(tables, Text::Ascii(block.as_bytes()));
            } else {
                self.add_characters(tables, block.chars().map(u32::from));
            }
            text = rest;
        }
    }

    fn add_characters(&mut self, tables: &Tables, characters: impl Iterator<Item = u32>) {
        let classes = &*self.profile.classes;
        let (units, last) = walk(tables, self.last, characters.map(|character| classes.of(character)));
        self.units += units;
        self.last = tables.last[usize::from(last) % WIDTH];
    }
}

/// Units of Latin-1 text after a class, and the class it ends with.
fn latin1(tables: &Tables, classes: &Classes, before: u8, bytes: &[u8]) -> (u64, u8) {
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return (0, before) };
    let units = tables.weight(before, classes.of_unit(u16::from(first)));
    // Pairs that begin at even places and at odd ones, a load each.
    let (even, odd) = (bytes.as_chunks::<2>().0, bytes[1..].as_chunks::<2>().0);
    let of_pair = |pair: &[u8; 2]| u64::from(tables.bytes[usize::from(u16::from_le_bytes(*pair))]);
    let (mut of_even, mut of_odd) = (0, 0);
    for (even, odd) in even.iter().zip(odd) {
        of_even += of_pair(even);
        of_odd += of_pair(odd);
    }
    // Of an even number of bytes the last two are a pair that has no odd one after it.
    let rest = even.get(odd.len()).map_or(0, of_pair);
    let units = units + of_even + of_odd + rest;
    (units, classes.of_unit(u16::from(last)))
}

/// Units of characters of these classes after another one, and the last class.
#[inline(always)]
fn walk(tables: &Tables, before: u8, classes: impl Iterator<Item = u8>) -> (u64, u8) {
    classes.fold((0, before), |(units, before), class| (units + tables.weight(before, class), class))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{classes, oracle};
    use proptest::prelude::*;

    fn check(profile: &oracle::Profile, points: &[u32]) {
        let fast = profile.profile();
        let bytes: Vec<u8> = points.iter().filter_map(|&point| point.try_into().ok()).collect();
        let units: Vec<u16> = points.iter().filter_map(|&point| point.try_into().ok()).collect();
        let text: String = points.iter().filter_map(|&point| char::from_u32(point)).collect();
        check_text(profile, &fast, Text::Latin1(&bytes));
        check_text(profile, &fast, Text::Ucs2(&units));
        check_text(profile, &fast, Text::Ucs4(points));
        check_text(profile, &fast, Text::Utf8(text.as_bytes()));
        check_text(profile, &fast, Text::Utf8(&bytes));
    }

    fn check_text(profile: &oracle::Profile, fast: &Profile, text: Text<'_>) {
        let mut points = Vec::new();
        text.for_each(|point| points.push(point));
        let mut weigher = fast.weigher();
        weigher.text(text);
        assert_eq!(profile.units(points.iter().copied()), weigher.units());
        assert_eq!(weigher.units().div_ceil(1024), fast.quarters(text));
        let json = oracle::json_code_points(&points);
        let mut weigher = fast.weigher();
        weigher.json_text(text);
        assert_eq!(profile.units(json.iter().copied()), weigher.units(), "{points:x?}");
        // In pieces, of which each must know what the one before ended with.
        weigher.text(text);
        weigher.ascii(b"\n{");
        weigher.json_text(text);
        let pieces = [json.clone(), points, vec![0x0A, 0x7B], json].concat();
        assert_eq!(profile.units(pieces), weigher.units());
    }

    #[test]
    fn every_code_point_weighs_what_the_ranges_say() {
        let profile = oracle::Profile::sample();
        let fast = profile.profile();
        for point in 0..0x11_0000 {
            let mut weigher = fast.weigher();
            weigher.text(Text::Ucs4(&[point]));
            assert_eq!(profile.units([point]), weigher.units(), "U+{point:04X}");
        }
    }

    #[test]
    fn every_pair_of_latin_1_weighs_what_the_ranges_say() {
        let profile = oracle::Profile::sample();
        let fast = profile.profile();
        for pair in 0..=u16::MAX {
            check_text(&profile, &fast, Text::Latin1(&pair.to_le_bytes()));
        }
    }

    #[test]
    fn what_is_no_profile_is_refused() {
        let all = [(0, 0x10_FFFF, 0)];
        let refused: [(&[classes::Range], u8, &str); 6] = [
            (&[], 0, "must reach to"),
            (&[(0, 9, 0), (11, 0x10_FFFF, 1)], 0, "must begin at 0xa"),
            (&[(0, 9, 0), (5, 0x10_FFFF, 1)], 0, "must begin at 0xa"),
            (&[(0, 0x11_0000, 0)], 0, "must begin at"),
            (&[(0, 0x10_FFFF, 64)], 0, "below 64"),
            (&all, 1, "one of the 1 classes"),
        ];
        for (ranges, start, reason) in refused {
            let error = Classes::new(ranges, start).expect_err("it is not sound");
            assert!(error.contains(reason), "{error}");
        }
        let classes = Arc::new(Classes::new(&all, 0).expect("it is sound"));
        let errors = [vec![], vec![30_000]].map(|weights| Profile::new(Arc::clone(&classes), &weights));
        for (error, reason) in errors.into_iter().zip(["one a pair", "over 16 tokens"]) {
            assert!(error.expect_err("it is not sound").contains(reason));
        }
    }

    fn profiles() -> impl Strategy<Value = oracle::Profile> {
        let firsts = prop::collection::btree_set(0u32..0x180, 0..40);
        let beyond = prop::collection::btree_set(0x180u32..0x11_0000, 0..20);
        (firsts, beyond, any::<u32>()).prop_map(|(firsts, beyond, seed)| {
            let firsts: std::collections::BTreeSet<u32> =
                [0].into_iter().chain(firsts).chain(beyond).collect();
            oracle::Profile::from_seed(&firsts.into_iter().collect::<Vec<_>>(), seed)
        })
    }

    fn points() -> impl Strategy<Value = Vec<u32>> {
        let point = prop_oneof![0u32..0x80, 0u32..0x180, 0u32..0x1_0000, 0u32..0x11_0000];
        prop::collection::vec(point, 0..200)
    }

    proptest! {
        // Each case makes the tables of a profile, which is the most of its time.
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn texts_weigh_what_the_oracle_says(profile in profiles(), points in points()) {
            check(&profile, &points);
        }

        #[test]
        fn bytes_weigh_what_the_oracle_says(profile in profiles(), bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            check_text(&profile, &profile.profile(), Text::Utf8(&bytes));
        }

        #[test]
        fn pairs_are_counted_as_they_are_weighed(profile in profiles(), points in points()) {
            let fast = profile.profile();
            let mut pairs = vec![0; profile.units.len()];
            fast.classes().count_pairs(Text::Ucs4(&points), &mut pairs);
            let units = pairs.iter().zip(&profile.units).map(|(&pairs, &units)| pairs * u64::from(units)).sum::<u64>();
            prop_assert_eq!(profile.units(points.iter().copied()), units);
            prop_assert_eq!(points.len() as u64, pairs.iter().sum::<u64>());
        }
    }
}
