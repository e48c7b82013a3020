//! Tokens of Arrow string columns, over the buffers of their layouts.
//!
//! Everything is borrowed as bytes, so nothing here depends on how a producer aligned its buffers,
//! and everything a buffer says is checked before it is followed: a malformed column is an error.

use crate::measure::Measure;
use crate::text::Text;
use crate::weights::Rows;
use std::fmt;
use std::num::NonZero;
use std::ops::Range;
use std::sync::Mutex;
use std::thread;

/// Stands for the tokens of a null; real ones are never negative.
pub const NULL: i64 = -1;

/// Bytes that are worth a thread of their own: about 0.3 ms, ten times what it takes to start one.
const BYTES_PER_SHARE: usize = 1 << 20;

/// Bytes of a text that a view holds itself.
const INLINE: usize = 12;

/// An array of texts, or a slice of one.
#[derive(Clone, Debug)]
pub struct Column<'a> {
    /// Where the texts are.
    pub layout: Layout<'a>,
    /// A bit for each row of the layout, from the lowest on: 0 for null.  None: no nulls.
    pub validity: Option<&'a [u8]>,
    /// Rows of the layout that come before the slice.
    pub start: usize,
    /// Rows of the slice.
    pub rows: usize,
}

/// How a column keeps its texts; numbers are in the byte order of the machine.
#[derive(Clone, Debug)]
pub enum Layout<'a> {
    /// Nothing but nulls.
    Null,
    /// Texts end to end; where each begins and the last one ends.
    Offsets32(&'a [[u8; 4]], &'a [u8]),
    /// The same with wider offsets.
    Offsets64(&'a [[u8; 8]], &'a [u8]),
    /// Short texts in the view itself, long ones anywhere in any of the buffers.
    Views(&'a [[u8; 16]], Vec<&'a [u8]>),
    /// Places in another column, which holds each text once.
    Dictionary(Keys<'a>, Box<Column<'a>>),
}

/// Places in a dictionary, in any of the integer types that Arrow allows.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "named after the integers they hold")]
pub enum Keys<'a> {
    I8(&'a [[u8; 1]]),
    U8(&'a [[u8; 1]]),
    I16(&'a [[u8; 2]]),
    U16(&'a [[u8; 2]]),
    I32(&'a [[u8; 4]]),
    U32(&'a [[u8; 4]]),
    I64(&'a [[u8; 8]]),
    U64(&'a [[u8; 8]]),
}

/// A row whose buffers contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Counted from the start of the slice.
    pub row: usize,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed Arrow column: row {} points outside its buffers", self.row)
    }
}

/// Tokens of each row, or [`NULL`]; in as many threads as the texts are worth.
///
/// # Errors
///
/// A row that is not null points outside the buffers.
pub fn tokens(column: &Column<'_>, measure: &Measure) -> Result<Vec<i64>, Malformed> {
    if let Layout::Dictionary(keys, values) = &column.layout
        && values.rows <= column.rows
        // A malformed text is an error only if a row uses it, so then each row is looked at.
        && let Ok(tokens) = tokens(values, measure)
    {
        return look_up(column, *keys, &tokens);
    }
    let mut tokens = vec![0; column.rows];
    let bytes = column.bytes_to_read();
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(bytes / BYTES_PER_SHARE).max(1);
    if threads == 1 {
        count(column, measure, 0, &mut tokens)?;
    } else {
        let rows_per_share = (column.rows * BYTES_PER_SHARE / bytes).max(1);
        count_in_threads(column, measure, &mut tokens, rows_per_share, threads)?;
    }
    Ok(tokens)
}

/// Turn [`NULL`]s into zeros and a bitmap of what is not null; also tells how many they are.
#[must_use]
pub fn split_nulls(tokens: &mut [i64]) -> Option<(Vec<u8>, usize)> {
    let nulls = tokens.iter().filter(|&&tokens| tokens == NULL).count();
    (nulls > 0).then(|| (tokens.chunks_mut(8).map(validity_byte).collect(), nulls))
}

fn validity_byte(rows: &mut [i64]) -> u8 {
    let mut bits = 0;
    for (bit, tokens) in rows.iter_mut().enumerate() {
        bits |= u8::from(*tokens != NULL) << bit;
        *tokens = (*tokens).max(0);
    }
    bits
}

/// Tokens of the rows from `start` on, one per place; the places hold zeros.
fn count(column: &Column<'_>, measure: &Measure, start: usize, places: &mut [i64]) -> Result<(), Malformed> {
    match measure {
        Measure::Script => count_scripts(column, start, places)?,
        Measure::Profile(_) => {
            for (place, quarters) in places.iter_mut().enumerate() {
                let text = column.text_at(start + place)?;
                *quarters = text.map_or(NULL, |text| measure.quarters(Text::Utf8(text)) as i64);
            }
        }
    }
    for quarters in places {
        *quarters = if *quarters == NULL { NULL } else { (*quarters + 3) / 4 };
    }
    Ok(())
}

/// Quarter-tokens by the script rule, for which texts are gathered: most are shorter than a vector.
fn count_scripts(column: &Column<'_>, start: usize, places: &mut [i64]) -> Result<(), Malformed> {
    let length = places.len();
    let mut rows = Rows::new(places);
    for place in 0..length {
        match column.text_at(start + place)? {
            Some(text) => rows.add(place, text),
            None => rows.set(place, NULL),
        }
    }
    rows.finish();
    Ok(())
}

/// The same for all rows, a share at a time: texts differ too much in length to deal them out first.
fn count_in_threads(
    column: &Column<'_>,
    measure: &Measure,
    places: &mut [i64],
    rows_per_share: usize,
    threads: usize,
) -> Result<(), Malformed> {
    let shares = Mutex::new(places.chunks_mut(rows_per_share).enumerate());
    let work = || -> Result<(), Malformed> {
        loop {
            let share = shares.lock().expect("taking a share does not panic").next();
            let Some((index, places)) = share else { return Ok(()) };
            count(column, measure, index * rows_per_share, places)?;
        }
    };
    thread::scope(|scope| {
        // Where no thread is to be had, this one does the work alone.
        let others: Vec<_> =
            (1..threads).filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        let mine = work();
        let others = others.into_iter().map(|other| other.join().expect("counting does not panic"));
        // Shares are taken in order, so the first malformed row of all is among these.
        let first = others.chain([mine]).filter_map(Result::err).min_by_key(|malformed| malformed.row);
        first.map_or(Ok(()), Err)
    })
}

/// Tokens of each row, from the tokens of each text in its dictionary.
fn look_up(column: &Column<'_>, keys: Keys<'_>, tokens: &[i64]) -> Result<Vec<i64>, Malformed> {
    let of_row = |row| {
        let at = column.start + row;
        let is_valid = column.is_valid(at)?;
        if is_valid { tokens.get(keys.get(at)?).copied() } else { Some(NULL) }
    };
    (0..column.rows).map(|row| of_row(row).ok_or(Malformed { row })).collect()
}

impl<'a> Column<'a> {
    fn text_at(&self, row: usize) -> Result<Option<&'a [u8]>, Malformed> {
        self.text(row).ok_or(Malformed { row })
    }

    /// The text of a row, `Some(None)` for a null, or None if the row is malformed.
    fn text(&self, row: usize) -> Option<Option<&'a [u8]>> {
        let at = self.start + row;
        if !self.is_valid(at)? {
            return Some(None);
        }
        match &self.layout {
            Layout::Null => Some(None),
            Layout::Offsets32(offsets, data) => data.get(between(offsets, at, i32::from_ne_bytes)?).map(Some),
            Layout::Offsets64(offsets, data) => data.get(between(offsets, at, i64::from_ne_bytes)?).map(Some),
            Layout::Views(views, buffers) => viewed(views.get(at)?, buffers).map(Some),
            Layout::Dictionary(keys, values) => {
                keys.get(at).filter(|&key| key < values.rows).and_then(|key| values.text(key))
            }
        }
    }

    fn is_valid(&self, at: usize) -> Option<bool> {
        let Some(bits) = self.validity else { return Some(true) };
        bits.get(at / 8).map(|byte| byte >> (at % 8) & 1 == 1)
    }

    /// Bytes that a count reads, to decide about threads; 0 where that takes long to find out.
    fn bytes_to_read(&self) -> usize {
        let rows = self.start..self.start + self.rows;
        match &self.layout {
            Layout::Offsets32(offsets, _) => span(offsets, rows, i32::from_ne_bytes),
            Layout::Offsets64(offsets, _) => span(offsets, rows, i64::from_ne_bytes),
            Layout::Views(views, _) => views.get(rows).map_or(0, |views| views.iter().map(view_length).sum()),
            Layout::Null | Layout::Dictionary(..) => 0,
        }
    }
}

impl Keys<'_> {
    fn get(self, at: usize) -> Option<usize> {
        match self {
            Self::I8(keys) => index(i8::from_ne_bytes(*keys.get(at)?)),
            Self::U8(keys) => index(u8::from_ne_bytes(*keys.get(at)?)),
            Self::I16(keys) => index(i16::from_ne_bytes(*keys.get(at)?)),
            Self::U16(keys) => index(u16::from_ne_bytes(*keys.get(at)?)),
            Self::I32(keys) => index(i32::from_ne_bytes(*keys.get(at)?)),
            Self::U32(keys) => index(u32::from_ne_bytes(*keys.get(at)?)),
            Self::I64(keys) => index(i64::from_ne_bytes(*keys.get(at)?)),
            Self::U64(keys) => index(u64::from_ne_bytes(*keys.get(at)?)),
        }
    }
}

fn index(number: impl TryInto<usize>) -> Option<usize> {
    number.try_into().ok()
}

/// Where the text at this place begins and ends.
fn between<const WIDTH: usize, N: TryInto<usize>>(
    offsets: &[[u8; WIDTH]],
    at: usize,
    number: impl Fn([u8; WIDTH]) -> N,
) -> Option<Range<usize>> {
    let [start, end] = *offsets.get(at..)?.first_chunk()?;
    Some(index(number(start))?..index(number(end))?)
}

/// Bytes of the texts of these rows; 0 if the offsets make no sense.
fn span<const WIDTH: usize, N: TryInto<usize>>(
    offsets: &[[u8; WIDTH]],
    rows: Range<usize>,
    number: impl Fn([u8; WIDTH]) -> N,
) -> usize {
    let offset = |at: usize| offsets.get(at).and_then(|&bytes| index(number(bytes))).unwrap_or(0);
    offset(rows.end).saturating_sub(offset(rows.start))
}

/// The text of a view: its length, then itself, or its beginning, its buffer and its place there.
fn viewed<'v>(view: &'v [u8; 16], buffers: &[&'v [u8]]) -> Option<&'v [u8]> {
    let number = |at: usize| index(i32::from_ne_bytes(*view[at..].first_chunk()?));
    let length = number(0)?;
    if length <= INLINE {
        return view.get(4..4 + length);
    }
    let (buffer, start) = (buffers.get(number(8)?)?, number(12)?);
    buffer.get(start..start.checked_add(length)?)
}

fn view_length(view: &[u8; 16]) -> usize {
    let [length, ..] = view.as_chunks().0 else { return 0 };
    index(i32::from_ne_bytes(*length)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;
    use std::sync::Arc;

    const TEXTS: [&str; 6] = ["hello, world", "", "Привет, мир", "日本語の文章", "😀 mixed текст 漢字", "a"];

    fn expected(texts: &[&str]) -> Vec<i64> {
        texts.iter().map(|text| oracle::counts(text.chars().map(u32::from)).tokens() as i64).collect()
    }

    fn offsets<const WIDTH: usize>(texts: &[&str], bytes: impl Fn(usize) -> [u8; WIDTH]) -> Vec<[u8; WIDTH]> {
        let ends = texts.iter().scan(0, |end, text| {
            *end += text.len();
            Some(*end)
        });
        [0].into_iter().chain(ends).map(bytes).collect()
    }

    fn small(texts: &[&str]) -> Vec<[u8; 4]> {
        offsets(texts, |end| (end as i32).to_ne_bytes())
    }

    fn column(layout: Layout<'_>, rows: usize) -> Column<'_> {
        Column { layout, validity: None, start: 0, rows }
    }

    fn by_script(column: &Column<'_>) -> Result<Vec<i64>, Malformed> {
        tokens(column, &Measure::Script)
    }

    #[test]
    fn a_profile_weighs_each_row_by_itself() {
        let profile = Arc::new(oracle::Profile::sample().profile());
        let expected = TEXTS.map(|text| profile.quarters(Text::Utf8(text.as_bytes())).div_ceil(4) as i64);
        let (data, ends) = (TEXTS.concat(), small(&TEXTS));
        let texts = column(Layout::Offsets32(&ends, data.as_bytes()), TEXTS.len());
        assert_eq!(Ok(expected.to_vec()), tokens(&texts, &Measure::Profile(profile)));
    }

    #[test]
    fn offsets_of_both_widths() {
        let (data, narrow) = (TEXTS.concat(), small(&TEXTS));
        let wide = offsets(&TEXTS, |end| (end as i64).to_ne_bytes());
        for layout in [Layout::Offsets32(&narrow, data.as_bytes()), Layout::Offsets64(&wide, data.as_bytes())]
        {
            assert_eq!(Ok(expected(&TEXTS)), by_script(&column(layout.clone(), TEXTS.len())));
            let slice = Column { start: 2, ..column(layout, 3) };
            assert_eq!(Ok(expected(&TEXTS[2..5])), by_script(&slice));
        }
    }

    #[test]
    fn views_hold_short_texts_and_point_to_long_ones() {
        let long = "a text of some length, слово";
        let mut short = [0; 16];
        short[..4].copy_from_slice(&4i32.to_ne_bytes());
        short[4..8].copy_from_slice("字a".as_bytes());
        let mut pointer = [0; 16];
        for (at, number) in [(0, long.len() as i32), (8, 1), (12, 2)] {
            pointer[at..at + 4].copy_from_slice(&number.to_ne_bytes());
        }
        let content = format!("--{long}");
        let views = [short, pointer];
        let layout = Layout::Views(&views, vec![b"", content.as_bytes()]);
        assert_eq!(Ok(expected(&["字a", long])), by_script(&column(layout, 2)));
    }

    #[test]
    fn a_dictionary_is_counted_once_or_row_by_row() {
        let (data, ends) = (TEXTS.concat(), small(&TEXTS));
        let values = || column(Layout::Offsets32(&ends, data.as_bytes()), TEXTS.len());
        let keys = [[4], [0], [2], [2], [0], [3], [1]];
        for rows in [2, keys.len()] {
            let layout = Layout::Dictionary(Keys::U8(&keys), values().into());
            let texts: Vec<&str> = keys[..rows].iter().map(|&[key]| TEXTS[usize::from(key)]).collect();
            assert_eq!(Ok(expected(&texts)), by_script(&column(layout, rows)));
        }
        let minus_one = Layout::Dictionary(Keys::I8(&[[0], [255]]), values().into());
        assert_eq!(Err(Malformed { row: 1 }), by_script(&column(minus_one, 2)));
    }

    #[test]
    fn threads_count_each_row_once_and_tell_the_first_malformed_one() {
        let texts: Vec<&str> = TEXTS.into_iter().cycle().take(300_000).collect();
        let (data, mut ends) = (texts.concat(), small(&texts));
        assert!(data.len() > 3 * BYTES_PER_SHARE);
        assert_eq!(
            Ok(expected(&texts)),
            by_script(&column(Layout::Offsets32(&ends, data.as_bytes()), texts.len()))
        );
        for row in [150_000, 90_001] {
            ends[row] = i32::MAX.to_ne_bytes();
            let broken = column(Layout::Offsets32(&ends, data.as_bytes()), texts.len());
            assert_eq!(Err(Malformed { row: row - 1 }), by_script(&broken));
        }
    }

    #[test]
    fn nulls_become_zeros_and_bits() {
        let mut tokens: Vec<i64> = (0..10).map(|row| if row % 3 == 0 { NULL } else { row }).collect();
        assert_eq!(Some((vec![0b1011_0110, 0b01], 4)), split_nulls(&mut tokens));
        assert_eq!(vec![0, 1, 2, 0, 4, 5, 0, 7, 8, 0], tokens);
        assert_eq!(None, split_nulls(&mut tokens));
    }
}
