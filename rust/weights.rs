//! What each byte of UTF-8 weighs: the first byte of a character all of it, the others nothing.
//!
//! Made for columns, which hold many short texts: [`Rows`] gathers them into one block, so that
//! vectors are full whatever the length of a text, and a text weighs what its bytes sum up to.

use crate::utf8;
use crate::wide::{self, Kernel};
use std::ops::Range;

/// Bytes weighed at a time: they stay in the first-level cache, and their sum fits in 16 bits.
const BLOCK: usize = 4096;

/// Bytes that a verdict looks at beyond its own, on either side.
const MARGIN: usize = 3;

/// From this length on a text is first tried as ASCII where it is, which saves the copy.
const LONG: usize = 64;

/// First bytes, both ends included, that only CJK characters have.
///
/// This table and the next three are [`crate::script::CJK`] spelt in bytes, since twice as many
/// bytes fit in a vector as rows of code points; a test compares them.
const FIRST: [Bytes; 2] = [(0xE3, 0xE9), (0xEB, 0xED)];
/// Second bytes that make a character CJK behind this first one.
const SECOND: [(u8, Bytes); 6] = [
    (0xE1, (0x84, 0x87)),
    (0xE2, (0xBA, 0xBF)),
    (0xEA, (0xB0, 0xBF)),
    (0xEF, (0xA4, 0xAB)),
    (0xEF, (0xBC, 0xBE)),
    (0xF0, (0xA0, 0xBF)),
];
/// Third bytes that do so behind these two.
const THIRD: [([u8; 2], Bytes); 7] = [
    ([0xEA, 0xA5], (0xA0, 0xBF)),
    ([0xEF, 0xB8], (0x90, 0x9F)),
    ([0xEF, 0xB8], (0xB0, 0xBF)),
    ([0xEF, 0xB9], (0x80, 0xAF)),
    ([0xEF, 0xBF], (0x80, 0xAF)),
    ([0xF0, 0x9B], (0x80, 0x84)),
    ([0xF0, 0x9F], (0x88, 0x8B)),
];
/// Fourth bytes that do so behind these three.
const FOURTH: [([u8; 3], Bytes); 3] = [
    ([0xF0, 0x96, 0xBF], (0xA0, 0xBF)),
    ([0xF0, 0x9A, 0xBF], (0xB0, 0xBF)),
    ([0xF0, 0x9B, 0x85], (0x80, 0xAF)),
];

/// Bytes that continue a character; greater ones begin one that has more bytes than one.
const CONTINUATIONS: Bytes = (0x80, 0xBF);

/// First bytes of characters of two bytes; what is between continuations and these is in no text.
const FIRST_OF_TWO: u8 = 0xC2;
const LAST_OF_TWO: u8 = 0xDF;

/// From the next byte on most first bytes are those of CJK characters.
const LAST_BEFORE_CJK: u8 = 0xE2;

/// Greater first bytes have characters of four bytes.
const LAST_OF_THREE: u8 = 0xEF;

/// A range of bytes, both ends included.
type Bytes = (u8, u8);

/// Adds up the quarter-tokens of many texts, each under the number of its row.
pub(crate) struct Rows<'a> {
    quarters: &'a mut [i64],
    block: [u8; MARGIN + BLOCK + MARGIN],
    length: usize,
    pieces: Vec<Piece>,
    /// Whether a piece begins in the middle of a character, which its neighbour might hide.
    has_torn_piece: bool,
}

/// A text, or a part of one, that ends here in the block and begins where the last one ended.
struct Piece {
    row: usize,
    end: usize,
}

impl<'a> Rows<'a> {
    /// Add to these sums, one per row.
    pub(crate) fn new(quarters: &'a mut [i64]) -> Self {
        let block = [0; MARGIN + BLOCK + MARGIN];
        Self { quarters, block, length: 0, pieces: Vec::new(), has_torn_piece: false }
    }

    /// Take bytes that ought to be UTF-8; an invalid one weighs as much as one other character.
    pub(crate) fn add(&mut self, row: usize, text: &[u8]) {
        let mut rest = text;
        while !rest.is_empty() {
            let long = &rest[..rest.len().min(BLOCK)];
            if long.len() >= LONG && long.is_ascii() {
                self.quarters[row] += long.len() as i64;
                rest = &rest[long.len()..];
                continue;
            }
            let (piece, others) = rest.split_at(whole_characters(rest, BLOCK - self.length));
            self.gather(row, piece);
            if !others.is_empty() {
                self.weigh();
            }
            rest = others;
        }
    }

    /// Give a number of its own to a row that gets no text.
    pub(crate) fn set(&mut self, row: usize, quarters: i64) {
        self.quarters[row] = quarters;
    }

    /// Weigh what was gathered last.
    pub(crate) fn finish(mut self) {
        self.weigh();
    }

    fn gather(&mut self, row: usize, piece: &[u8]) {
        let end = self.length + piece.len();
        self.block[MARGIN + self.length..MARGIN + end].copy_from_slice(piece);
        self.length = end;
        self.pieces.push(Piece { row, end });
        self.has_torn_piece |= piece.first().is_some_and(|&byte| is_continuation(byte));
    }

    fn weigh(&mut self) {
        let end = MARGIN + self.length;
        if self.block[MARGIN..end].is_ascii() {
            self.add_up(|piece, _| piece.len() as i64);
        } else {
            // What an earlier block left here would pass for the rest of the last character.
            self.block[end..end + MARGIN].fill(0);
            self.weigh_with_margins(end + MARGIN);
        }
        self.pieces.clear();
        self.length = 0;
        self.has_torn_piece = false;
    }

    fn weigh_with_margins(&mut self, end: usize) {
        let block = &self.block[..end];
        let greatest = wide::run::<Greatest>(block);
        if greatest <= LAST_OF_TWO && !self.has_torn_piece && wide::run::<Pairs>(block) {
            // Characters of one and two bytes weigh as many quarters.
            return self.add_up(|piece, _| piece.len() as i64);
        }
        // The fewer first bytes there are, the fewer ranges have to be tested.
        let weights = if greatest <= LAST_BEFORE_CJK {
            wide::run::<Weigh<LAST_BEFORE_CJK>>(block)
        } else if greatest <= LAST_OF_THREE {
            wide::run::<Weigh<LAST_OF_THREE>>(block)
        } else {
            wide::run::<Weigh<{ u8::MAX }>>(block)
        };
        if weights.are_of_utf8 && !self.has_torn_piece {
            self.add_up(|_, place| sum(&weights.of_bytes[place]));
        } else {
            self.add_up(|piece, _| utf8::bytes(piece).quarters() as i64);
        }
    }

    /// Add to each row what its piece, found at this place in the block, weighs.
    fn add_up(&mut self, quarters: impl Fn(&[u8], Range<usize>) -> i64) {
        let mut start = MARGIN;
        for piece in &self.pieces {
            let place = start..MARGIN + piece.end;
            start = place.end;
            self.quarters[piece.row] += quarters(&self.block[place.clone()], place);
        }
    }
}

/// How much of a text fits in `room` bytes without cutting a character; 0 if not even one does.
fn whole_characters(text: &[u8], room: usize) -> usize {
    if text.len() <= room {
        return text.len();
    }
    // Four continuations in a row are in no character, so any cut among them is as good.
    let mut cuts = (room.saturating_sub(MARGIN)..=room).rev();
    cuts.find(|&cut| !is_continuation(text[cut])).unwrap_or(room)
}

/// A sum in 16 bits: twice the numbers in a vector, and [`BLOCK`] keeps it from overflowing.
fn sum(weights: &[u8]) -> i64 {
    i64::from(weights.iter().fold(0u16, |sum, &weight| sum + u16::from(weight)))
}

/// The greatest byte of a block.
struct Greatest;

impl Kernel for Greatest {
    type Unit = u8;
    type Output = u8;

    #[inline(always)]
    fn run(block: &[u8]) -> u8 {
        block.iter().fold(0, |greatest, &byte| greatest.max(byte))
    }
}

/// Whether a block, with margins, is UTF-8 whose characters have one or two bytes.
struct Pairs;

impl Kernel for Pairs {
    type Unit = u8;
    type Output = bool;

    #[inline(always)]
    fn run(block: &[u8]) -> bool {
        let (first, second) = (&block[..block.len() - 1], &block[1..]);
        let mut faults = 0;
        for i in 0..first.len() {
            let is_due = first[i] >= FIRST_OF_TWO;
            let is_no_lead = (first[i] > CONTINUATIONS.1) & !is_due;
            faults |= u8::from((is_due != is_continuation(second[i])) | is_no_lead);
        }
        faults == 0
    }
}

/// What the bytes of a block, with margins, weigh.
struct Weights {
    /// Quarter-tokens, each where its byte stood.
    of_bytes: [u8; MARGIN + BLOCK],
    /// False if the bytes are no UTF-8; then the weights say nothing.
    are_of_utf8: bool,
}

/// Weighs a block, with margins, in which no byte is greater than `GREATEST`.
struct Weigh<const GREATEST: u8>;

impl<const GREATEST: u8> Kernel for Weigh<GREATEST> {
    type Unit = u8;
    type Output = Weights;

    #[inline(always)]
    fn run(block: &[u8]) -> Weights {
        let length = block.len() - MARGIN;
        let mut of_bytes = [0; MARGIN + BLOCK];
        let weights = &mut of_bytes[..length];
        // Four equally long views of the same bytes, each one byte on: no index to check.
        let (first, second) = (&block[..length], &block[1..=length]);
        let (third, fourth) = (&block[2..length + 2], &block[3..length + 3]);
        let mut faults = 0;
        for i in 0..length {
            let (first, second, third, fourth) = (first[i], second[i], third[i], fourth[i]);
            weights[i] = weight::<GREATEST>(first, second, third, fourth);
            faults |= u8::from(is_fault::<GREATEST>(first, second, third, fourth));
        }
        Weights { of_bytes, are_of_utf8: faults == 0 }
    }
}

/// Quarter-tokens of the character that begins with the first of these bytes, or 0 if none does.
#[inline(always)]
fn weight<const GREATEST: u8>(first: u8, second: u8, third: u8, fourth: u8) -> u8 {
    let begins = u8::from(!is_continuation(first));
    let is_long = u8::from(first > CONTINUATIONS.1);
    begins + is_long + 2 * u8::from(is_cjk::<GREATEST>(first, second, third, fourth))
}

/// Whether a CJK character begins here.
///
/// Here and in [`is_fault`] no branch but those that `GREATEST` decides while compiling, and no
/// iterator: either would keep the loop from becoming vector code.  And the bytes come one by one,
/// since the compiler takes an array of four for one wide number, at half the speed.
#[inline(always)]
fn is_cjk<const GREATEST: u8>(first: u8, second: u8, third: u8, fourth: u8) -> bool {
    let mut is_cjk = false;
    let mut i = 0;
    while i < FIRST.len() {
        if FIRST[i].0 <= GREATEST {
            is_cjk |= is_in(FIRST[i], first);
        }
        i += 1;
    }
    i = 0;
    while i < SECOND.len() {
        let (lead, range) = SECOND[i];
        if lead <= GREATEST {
            is_cjk |= (first == lead) & is_in(range, second);
        }
        i += 1;
    }
    i = 0;
    while i < THIRD.len() {
        let (lead, range) = THIRD[i];
        if lead[0] <= GREATEST {
            is_cjk |= (first == lead[0]) & (second == lead[1]) & is_in(range, third);
        }
        i += 1;
    }
    i = 0;
    while i < FOURTH.len() {
        let (lead, range) = FOURTH[i];
        if lead[0] <= GREATEST {
            is_cjk |= (first == lead[0]) & (second == lead[1]) & (third == lead[2]) & is_in(range, fourth);
        }
        i += 1;
    }
    is_cjk
}

/// Whether the fourth byte stands where it must not, or the first two begin no character.
#[inline(always)]
fn is_fault<const GREATEST: u8>(first: u8, second: u8, third: u8, fourth: u8) -> bool {
    let is_due = (third >= 0xC0) | (second >= 0xE0);
    let is_no_lead = (first > CONTINUATIONS.1) & (first < FIRST_OF_TWO);
    let mut is_fault = is_no_lead | (first == 0xE0) & (second < 0xA0);
    if GREATEST <= LAST_BEFORE_CJK {
        return is_fault | (is_due != is_continuation(fourth));
    }
    is_fault |= (first == 0xED) & (second >= 0xA0); // a surrogate
    if GREATEST <= LAST_OF_THREE {
        return is_fault | (is_due != is_continuation(fourth));
    }
    let is_beyond_unicode = (first == 0xF4) & (second >= 0x90) | (first >= 0xF5);
    is_fault |= (first == 0xF0) & (second < 0x90) | is_beyond_unicode;
    is_fault | ((is_due | (first >= 0xF0)) != is_continuation(fourth))
}

#[inline(always)]
fn is_continuation(byte: u8) -> bool {
    is_in(CONTINUATIONS, byte)
}

#[inline(always)]
fn is_in((first, last): Bytes, byte: u8) -> bool {
    byte.wrapping_sub(first) <= last - first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;
    use proptest::prelude::*;

    fn quarters(texts: &[impl AsRef<[u8]>]) -> Vec<i64> {
        let mut quarters = vec![0; texts.len()];
        let mut rows = Rows::new(&mut quarters);
        for (row, text) in texts.iter().enumerate() {
            rows.add(row, text.as_ref());
        }
        rows.finish();
        quarters
    }

    fn expected(text: &[u8]) -> i64 {
        oracle::counts(oracle::utf8_code_points(text)).quarters() as i64
    }

    fn check(texts: &[impl AsRef<[u8]>]) {
        let expected: Vec<i64> = texts.iter().map(|text| expected(text.as_ref())).collect();
        assert_eq!(expected, quarters(texts));
    }

    #[test]
    fn s1_every_character_weighs_what_the_table_says() {
        let characters: Vec<String> = ('\0'..=char::MAX).map(String::from).collect();
        for texts in characters.chunks(1 << 12) {
            check(texts);
        }
    }

    #[test]
    fn s1_every_first_byte_with_what_may_follow() {
        let edges = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE3, 0xFF];
        for first in 0x80..=0xFF {
            for second in edges {
                for third in edges {
                    // One at a time: a single fault sends the whole block to the slow way.
                    for fourth in edges {
                        check(&[[first, second, third, fourth, b'z']]);
                    }
                }
            }
        }
    }

    #[test]
    fn a_text_longer_than_a_block_is_cut_between_characters() {
        for before in 0..8 {
            for unit in ["ж", "字", "😀", "字a", "，ж"] {
                check(&["x".repeat(before), unit.repeat(2 * BLOCK), "é".into(), unit.repeat(BLOCK)]);
            }
        }
    }

    #[test]
    fn a_long_run_of_continuations_is_counted_byte_by_byte() {
        check(&[vec![0xBF; 3 * BLOCK + 1], b"\xE4".repeat(BLOCK + 2), b"ascii".to_vec()]);
    }

    #[test]
    fn a_character_torn_between_two_rows_is_none() {
        check(&[b"a\xE4\xB8".as_slice(), b"\xAD", b"", b"\xF0\x9F\x98", b"\x80"]);
    }

    proptest! {
        #[test]
        fn texts_weigh_what_the_oracle_says(texts in prop::collection::vec(".{0,80}", 0..300)) {
            check(&texts);
        }

        #[test]
        fn bytes_weigh_what_the_oracle_says(
            texts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..40),
        ) {
            check(&texts);
        }
    }
}
