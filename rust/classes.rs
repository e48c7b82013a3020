//! Code points by class: the table that all profiles share, built from ranges given at run time.

use crate::json;
use crate::text::Text;

/// Classes that may be told apart.
pub const MOST: usize = 64;

/// Rows and columns of a table by class, with a class of its own for each character that JSON escapes.
pub(crate) const WIDTH: usize = 128;

/// One past the last code point of the basic plane, each of which has its class in one array.
const BASIC: usize = 1 << 16;

/// Code points beyond the basic plane, per entry of the first of two levels.
const BLOCK: usize = 256;

/// One past the last code point.
const END: usize = 0x11_0000;

/// Code points from the first to the last, both included, and their class.
pub type Range = (u32, u32, u8);

/// The class of each code point, and the one that a text starts after.
#[derive(Clone, Debug)]
pub struct Classes {
    basic: Box<[u8; BASIC]>,
    blocks: Box<[u16]>,
    beyond: Vec<[u8; BLOCK]>,
    /// The true class of each class, [`Classes::of`]'s own ones included.
    pub(crate) base: [u8; WIDTH],
    count: usize,
    start: u8,
}

impl Classes {
    /// Build the table; text starts as if after a character of class `start`.
    ///
    /// # Errors
    ///
    /// The ranges are not in order, leave a gap, or name a class from [`MOST`] on.
    pub fn new(ranges: &[Range], start: u8) -> Result<Self, String> {
        let all = spread(ranges)?;
        let count = 1 + usize::from(*all.iter().max().expect("there are code points"));
        if usize::from(start) >= count {
            return Err(format!("start must be one of the {count} classes (got {start})"));
        }
        let mut basic: Box<[u8; BASIC]> = all[..BASIC].to_vec().try_into().expect("as many as it was cut to");
        let mut base = std::array::from_fn(|class| class as u8);
        for (index, unit) in json::escaped().enumerate() {
            base[count + index] = basic[usize::from(unit)];
            basic[usize::from(unit)] = (count + index) as u8;
        }
        let (blocks, beyond) = two_levels(&all[BASIC..]);
        Ok(Self { basic, blocks, beyond, base, count, start })
    }

    /// How many classes there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The class that a text starts after.
    #[must_use]
    pub fn start(&self) -> u8 {
        self.start
    }

    /// Add to the number of times that each class stands after each other one: rows by the class before.
    ///
    /// # Panics
    ///
    /// There are fewer places than pairs of classes.
    pub fn count_pairs(&self, text: Text<'_>, pairs: &mut [u64]) {
        let mut before = usize::from(self.start);
        text.for_each(|code_point| {
            let class = usize::from(self.base[usize::from(self.of(code_point)) % WIDTH]);
            pairs[before * self.count + class] += 1;
            before = class;
        });
    }

    /// The class of a code point; characters that JSON escapes have one of their own.
    #[inline(always)]
    pub(crate) fn of(&self, code_point: u32) -> u8 {
        match u16::try_from(code_point) {
            Ok(unit) => self.of_unit(unit),
            Err(_) => self.of_beyond(code_point),
        }
    }

    /// The same for what is in the basic plane.
    #[inline(always)]
    pub(crate) fn of_unit(&self, unit: u16) -> u8 {
        self.basic[usize::from(unit)]
    }

    fn of_beyond(&self, code_point: u32) -> u8 {
        let place = (code_point as usize).min(END - 1) - BASIC;
        self.beyond[usize::from(self.blocks[place / BLOCK])][place % BLOCK]
    }
}

/// The class of every code point, one after the other.
fn spread(ranges: &[Range]) -> Result<Vec<u8>, String> {
    let mut all = Vec::with_capacity(END);
    for &(first, last, class) in ranges {
        if usize::from(class) >= MOST {
            return Err(format!("class must be below {MOST} (got {class})"));
        }
        if first as usize != all.len() || last < first || last as usize >= END {
            let next = all.len();
            return Err(format!("the next range must begin at {next:#x} (got {first:#x} to {last:#x})"));
        }
        all.resize(last as usize + 1, class);
    }
    if all.len() < END {
        return Err(format!("ranges must reach to {:#x} (got {:#x})", END - 1, all.len().wrapping_sub(1)));
    }
    Ok(all)
}

/// Blocks by their number, each kept once.
fn two_levels(classes: &[u8]) -> (Box<[u16]>, Vec<[u8; BLOCK]>) {
    let mut kept: Vec<[u8; BLOCK]> = Vec::new();
    let numbers = classes.as_chunks::<BLOCK>().0.iter().map(|block| {
        let known = kept.iter().rposition(|other| other == block);
        known.unwrap_or_else(|| {
            kept.push(*block);
            kept.len() - 1
        }) as u16
    });
    (numbers.collect(), kept)
}
