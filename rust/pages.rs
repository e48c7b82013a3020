//! Longer strings on x86-64 with AVX2: 32 characters at once, by table instead of range tests.
//!
//! A page is 256 code points.  Nearly all pages are of one kind, so that looking the page up says
//! whether its characters are CJK; the few mixed ones are rare in texts, and a block that has one
//! is counted once more by ranges.  This is about twice as fast as what the compiler makes of the
//! range tests, and needs shuffles that no compiler makes of a loop.

use crate::lanes::{Ucs2, Ucs4};
use crate::script::{self, CJK, Counts};
use crate::wide::Kernel;
use std::arch::x86_64::*;

/// Units looked at together: two vectors of 16-bit rows.
const STRIDE: usize = 32;

/// Strides a block; 8-bit counters hold it, and a mixed page costs little more than itself.
const STRIDES: usize = 32;

/// Shorter strings are counted by ranges.
const SHORT: usize = 2 * STRIDE;

const ROW: u32 = 16;
const PAGE: u32 = 256;
const PLANE: u32 = 0x1_0000;

/// The last row of the basic plane is the only one in its page that is not CJK: too common a page,
/// with full-width punctuation in it, to be counted twice.
const ODD_ROW: i16 = 0x0FFF;

const BASIC_FULL: PageSet = PageSet::of_plane(0, Kind::Full);
const BASIC_MIXED: PageSet = PageSet::of_plane(0, Kind::Mixed);
/// The first plane has so little CJK that its full pages are not worth a look of their own.
const FIRST_ANY: PageSet = PageSet::of_plane(1, Kind::Mixed).with(&PageSet::of_plane(1, Kind::Full));
const FULL_PLANES: [u8; 16] = full_planes();

/// Count 2-byte code points; None on a machine without AVX2, or where that is not worth it.
#[inline]
pub(crate) fn ucs2(units: &[u16]) -> Option<Counts> {
    count::<Ucs2>(units)
}

/// Count 4-byte code points, likewise.
#[inline]
pub(crate) fn ucs4(units: &[u32]) -> Option<Counts> {
    count::<Ucs4>(units)
}

#[inline]
fn count<L: Lane>(units: &[L::Unit]) -> Option<Counts> {
    if units.len() < SHORT || !std::arch::is_x86_feature_detected!("avx2") {
        return None;
    }
    // SAFETY: the line above has just found AVX2 on this machine.
    Some(unsafe { count_blocks::<L>(units) })
}

/// A lane whose units can be turned into rows.
trait Lane: Kernel<Output = Counts> {
    /// Whether there are code points beyond the basic plane.
    const HAS_PLANES: bool;

    /// The rows of 32 units, in any order.
    unsafe fn rows(units: &[Self::Unit; STRIDE]) -> [__m256i; 2];
}

impl Lane for Ucs2 {
    const HAS_PLANES: bool = false;

    #[inline(always)]
    unsafe fn rows(units: &[u16; STRIDE]) -> [__m256i; 2] {
        let units: *const __m256i = units.as_ptr().cast();
        // SAFETY: the caller has AVX2; two vectors of 16 units are the 32 of the array.
        unsafe { [0, 1].map(|i| _mm256_srli_epi16::<4>(_mm256_loadu_si256(units.add(i)))) }
    }
}

impl Lane for Ucs4 {
    const HAS_PLANES: bool = true;

    #[inline(always)]
    unsafe fn rows(units: &[u32; STRIDE]) -> [__m256i; 2] {
        let units: *const __m256i = units.as_ptr().cast();
        // SAFETY: the caller has AVX2; four vectors of 8 units are the 32 of the array.
        unsafe {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| _mm256_srli_epi32::<4>(_mm256_loadu_si256(units.add(i))));
            // What does not fit becomes the last row of plane 15, where nothing is CJK.
            [_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d)]
        }
    }
}

#[target_feature(enable = "avx2")]
fn count_blocks<L: Lane>(units: &[L::Unit]) -> Counts {
    let mut counts = Counts::default();
    for block in units.chunks(STRIDE * STRIDES) {
        let (strides, rest) = block.as_chunks::<STRIDE>();
        counts += match count_strides::<L>(strides) {
            Some(counts) => counts + L::run(rest),
            None => L::run(block),
        };
    }
    counts
}

/// Count one block; None if it has a mixed page.
#[target_feature(enable = "avx2")]
fn count_strides<L: Lane>(strides: &[[L::Unit; STRIDE]]) -> Option<Counts> {
    let zero = _mm256_setzero_si256();
    let (mut ascii, mut cjk, mut mixed) = (zero, zero, zero);
    for stride in strides {
        // SAFETY: this function is only ever called where there is AVX2.
        let rows = unsafe { L::rows(stride) };
        let seen = look_up(rows, L::HAS_PLANES);
        // A verdict is 0 or -1.
        ascii = _mm256_sub_epi8(ascii, is_ascii(rows));
        cjk = _mm256_sub_epi8(cjk, seen.cjk);
        mixed = _mm256_or_si256(mixed, seen.mixed);
    }
    if _mm256_testz_si256(mixed, mixed) == 0 {
        return None;
    }
    let (ascii, cjk) = (sum_bytes(ascii), sum_bytes(cjk));
    Some(Counts { ascii, cjk, other: (strides.len() * STRIDE) as u64 - ascii - cjk })
}

#[target_feature(enable = "avx2")]
fn is_ascii(rows: [__m256i; 2]) -> __m256i {
    const { assert!(script::ASCII_END_ROW == 1 << 3) };
    let [a, b] = rows.map(|rows| _mm256_srli_epi16::<3>(rows));
    _mm256_cmpeq_epi8(_mm256_packus_epi16(a, b), _mm256_setzero_si256())
}

struct Seen {
    /// -1 for each character of a page that is CJK, or of such a plane.
    cjk: __m256i,
    /// Not 0 for each character of a page that has to be looked at by ranges.
    mixed: __m256i,
}

#[target_feature(enable = "avx2")]
fn look_up(rows: [__m256i; 2], has_planes: bool) -> Seen {
    let pages = Pages::of(rows);
    let [a, b] = rows.map(|rows| _mm256_cmpeq_epi16(rows, _mm256_set1_epi16(ODD_ROW)));
    let full = _mm256_cmpeq_epi8(pages.find(&BASIC_FULL), pages.bit);
    let cjk = _mm256_andnot_si256(_mm256_packs_epi16(a, b), full);
    let mixed = pages.find(&BASIC_MIXED);
    if !has_planes {
        return Seen { cjk, mixed };
    }
    let [a, b] = rows.map(|rows| _mm256_srli_epi16::<12>(rows));
    let plane = _mm256_packus_epi16(a, b);
    let is_basic = _mm256_cmpeq_epi8(plane, _mm256_setzero_si256());
    let is_first = _mm256_cmpeq_epi8(plane, _mm256_set1_epi8(1));
    let full_plane = _mm256_shuffle_epi8(table(&FULL_PLANES), plane);
    let first_any = _mm256_and_si256(is_first, pages.find(&FIRST_ANY));
    Seen {
        cjk: _mm256_or_si256(full_plane, _mm256_and_si256(is_basic, cjk)),
        mixed: _mm256_or_si256(first_any, _mm256_and_si256(is_basic, mixed)),
    }
}

/// The pages of 32 characters within their planes.
struct Pages {
    numbers: __m256i,
    /// The numbers with the highest bit turned around.
    flipped: __m256i,
    /// The bit that stands for the higher half of the number in a [`PageSet`].
    bit: __m256i,
}

impl Pages {
    #[target_feature(enable = "avx2")]
    fn of(rows: [__m256i; 2]) -> Self {
        const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        let low = _mm256_set1_epi16(0xFF);
        let [a, b] = rows.map(|rows| _mm256_and_si256(_mm256_srli_epi16::<4>(rows), low));
        let numbers = _mm256_packus_epi16(a, b);
        let half = _mm256_and_si256(_mm256_srli_epi16::<4>(numbers), _mm256_set1_epi8(0x0F));
        Self {
            numbers,
            flipped: _mm256_xor_si256(numbers, _mm256_set1_epi8(i8::MIN)),
            bit: _mm256_shuffle_epi8(table(&BITS), half),
        }
    }

    /// Each page's bit if it is in the set, else 0.
    #[target_feature(enable = "avx2")]
    fn find(&self, set: &PageSet) -> __m256i {
        // A shuffle gives 0 for indices from 128 on: each of the two sees to its own half.
        let lower = _mm256_shuffle_epi8(table(&set.lower), self.numbers);
        let upper = _mm256_shuffle_epi8(table(&set.upper), self.flipped);
        _mm256_and_si256(_mm256_or_si256(lower, upper), self.bit)
    }
}

#[target_feature(enable = "avx2")]
fn table(bytes: &[u8; 16]) -> __m256i {
    // SAFETY: the 16 bytes of the array are read.
    let half = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
    _mm256_broadcastsi128_si256(half)
}

#[target_feature(enable = "avx2")]
fn sum_bytes(counters: __m256i) -> u64 {
    let sums = _mm256_sad_epu8(counters, _mm256_setzero_si256());
    let halves = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let total = _mm_add_epi64(halves, _mm_unpackhi_epi64(halves, halves));
    _mm_cvtsi128_si64(total) as u64
}

/// A set of the 256 pages of a plane: for the lower half of a page's number, a bit for each upper
/// half; pages below 128 and from there on apart.
struct PageSet {
    lower: [u8; 16],
    upper: [u8; 16],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// No character is CJK.
    Empty,
    /// All are.
    Full,
    /// Some are.
    Mixed,
}

impl PageSet {
    const fn of_plane(plane: u32, kind: Kind) -> Self {
        let mut set = Self { lower: [0; 16], upper: [0; 16] };
        let mut page = 0;
        while page < 256 {
            if kind_of_page(plane * PLANE + page * PAGE) as u8 == kind as u8 {
                let half = if page < 128 { &mut set.lower } else { &mut set.upper };
                half[page as usize % 16] |= 1 << (page / 16 % 8);
            }
            page += 1;
        }
        set
    }

    const fn with(mut self, more: &Self) -> Self {
        let mut i = 0;
        while i < 16 {
            self.lower[i] |= more.lower[i];
            self.upper[i] |= more.upper[i];
            i += 1;
        }
        self
    }
}

const fn kind_of_page(first: u32) -> Kind {
    let has_odd_row = first / PAGE == ODD_ROW as u32 * ROW / PAGE;
    match cjk_within(first, PAGE) {
        0 => Kind::Empty,
        PAGE => Kind::Full,
        cjk if has_odd_row && cjk == PAGE - ROW => Kind::Full,
        _ => Kind::Mixed,
    }
}

/// How many of so many code points are CJK.
const fn cjk_within(begin: u32, length: u32) -> u32 {
    let end = begin + length;
    let mut cjk = 0;
    let mut i = 0;
    while i < CJK.len() {
        let (first, last) = CJK[i];
        let from = if first > begin { first } else { begin };
        let to = if last + 1 < end { last + 1 } else { end };
        cjk += to.saturating_sub(from);
        i += 1;
    }
    cjk
}

/// All bits for each plane above the first whose characters are CJK.
const fn full_planes() -> [u8; 16] {
    let mut planes = [0; 16];
    let mut plane = 2;
    while plane < 16 {
        planes[plane] = match cjk_within(plane as u32 * PLANE, PLANE) {
            0 => 0,
            PLANE => u8::MAX,
            _ => panic!("only the basic plane and the first may be in part CJK"),
        };
        plane += 1;
    }
    planes
}
