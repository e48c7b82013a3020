//! Arrow layouts, sound ones and nonsense, against a reading of the rules one row and one byte at a time.

#![no_main]

use libfuzzer_sys::arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use longturn::arrow::{Column, Keys, Layout, Malformed, NULL, split_nulls, tokens};
use longturn::measure::Measure;
use longturn::oracle;

/// Times a text is repeated to make the long ones that few inputs hold.
const REPEATS: usize = 40;

fuzz_target!(|bytes: &[u8]| {
    let _ = Parts::arbitrary(&mut Unstructured::new(bytes)).map(|parts| parts.check());
});

/// What columns are put together from.
struct Parts {
    start: usize,
    rows: usize,
    validity: Option<Vec<u8>>,
    numbers: Vec<u8>,
    texts: Vec<u8>,
    other_texts: Vec<u8>,
}

impl<'a> Arbitrary<'a> for Parts {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        let (start, rows, is_long) = (u8::arbitrary(input)?, u8::arbitrary(input)?, bool::arbitrary(input)?);
        let texts = Vec::<u8>::arbitrary(input)?;
        Ok(Self {
            start: usize::from(start % 12),
            rows: usize::from(rows),
            validity: Arbitrary::arbitrary(input)?,
            numbers: Arbitrary::arbitrary(input)?,
            other_texts: Arbitrary::arbitrary(input)?,
            texts: if is_long { texts.repeat(REPEATS) } else { texts },
        })
    }
}

impl Parts {
    fn check(&self) {
        let words: &[[u8; 4]] = self.numbers.as_chunks().0;
        let long_words: &[[u8; 8]] = self.numbers.as_chunks().0;
        let views: &[[u8; 16]] = self.numbers.as_chunks().0;
        let (sound, long_sound) = (self.sound_offsets(), self.long_sound_offsets());
        let sound_views = self.sound_views();
        let buffers = || vec![&self.texts[..], &self.other_texts];
        let offsets = [
            self.column(Layout::Offsets32(words, &self.texts)),
            self.column(Layout::Offsets64(long_words, &self.texts)),
            self.column(Layout::Offsets32(&sound, &self.texts)),
            self.column(Layout::Offsets64(&long_sound, &self.texts)),
            self.column(Layout::Views(views, buffers())),
            self.column(Layout::Views(&sound_views, buffers())),
            self.column(Layout::Null),
        ];
        offsets.iter().for_each(check);
        for (values, keys) in offsets.into_iter().cycle().zip(self.keys()) {
            check(&self.column(Layout::Dictionary(keys, values.into())));
        }
    }

    fn column<'a>(&'a self, layout: Layout<'a>) -> Column<'a> {
        Column { layout, validity: self.validity.as_deref(), start: self.start, rows: self.rows }
    }

    /// Ends of texts whose lengths are the numbers, as far as there is text.
    fn ends(&self) -> impl Iterator<Item = usize> {
        let lengths = [0].into_iter().chain(self.numbers.iter().map(|&number| usize::from(number)));
        lengths.scan(0, |end, length| {
            *end = (*end + length).min(self.texts.len());
            Some(*end)
        })
    }

    fn sound_offsets(&self) -> Vec<[u8; 4]> {
        self.ends().map(|end| (end as i32).to_ne_bytes()).collect()
    }

    fn long_sound_offsets(&self) -> Vec<[u8; 8]> {
        self.ends().map(|end| (end as i64).to_ne_bytes()).collect()
    }

    /// Views of the same texts; those of even length that are short enough, in the views themselves.
    fn sound_views(&self) -> Vec<[u8; 16]> {
        let ends: Vec<usize> = self.ends().collect();
        ends.windows(2).map(|pair| view(&self.texts, pair[0], pair[1])).collect()
    }

    fn keys(&self) -> [Keys<'_>; 8] {
        let numbers = &self.numbers;
        [
            Keys::I8(numbers.as_chunks().0),
            Keys::U8(numbers.as_chunks().0),
            Keys::I16(numbers.as_chunks().0),
            Keys::U16(numbers.as_chunks().0),
            Keys::I32(numbers.as_chunks().0),
            Keys::U32(numbers.as_chunks().0),
            Keys::I64(numbers.as_chunks().0),
            Keys::U64(numbers.as_chunks().0),
        ]
    }
}

fn view(texts: &[u8], start: usize, end: usize) -> [u8; 16] {
    let mut view = [0; 16];
    let text = &texts[start..end];
    view[..4].copy_from_slice(&(text.len() as i32).to_ne_bytes());
    if text.len() <= 12 {
        view[4..4 + text.len()].copy_from_slice(text);
    } else {
        view[4..8].copy_from_slice(&text[..4]);
        view[12..].copy_from_slice(&(start as i32).to_ne_bytes());
    }
    view
}

fn check(column: &Column<'_>) {
    let expected: std::result::Result<Vec<i64>, usize> =
        (0..column.rows).map(|row| tokens_of_row(column, row).ok_or(row)).collect();
    let found = tokens(column, &Measure::Script).map_err(|Malformed { row }| row);
    assert_eq!(expected, found);
    if let Ok(mut tokens) = found {
        check_nulls(&mut tokens);
    }
}

fn check_nulls(tokens: &mut [i64]) {
    let before = tokens.to_vec();
    let bitmap = split_nulls(tokens);
    let nulls = before.iter().filter(|&&tokens| tokens == NULL).count();
    assert_eq!(nulls, bitmap.as_ref().map_or(0, |&(_, nulls)| nulls));
    for (row, (&before, &after)) in before.iter().zip(&*tokens).enumerate() {
        let is_valid = bitmap.as_ref().is_none_or(|(bits, _)| bits[row / 8] >> (row % 8) & 1 == 1);
        assert_eq!((before != NULL, before.max(0)), (is_valid, after));
    }
}

/// The tokens of a row, [`NULL`], or None if the row makes no sense.
fn tokens_of_row(column: &Column<'_>, row: usize) -> Option<i64> {
    let at = column.start + row;
    if let Some(bits) = column.validity {
        let byte = bits.get(at / 8)?;
        if byte & (1 << (at % 8)) == 0 {
            return Some(NULL);
        }
    }
    let text = match &column.layout {
        Layout::Null => return Some(NULL),
        Layout::Offsets32(offsets, data) => {
            let ends = [*offsets.get(at)?, *offsets.get(at + 1)?].map(i32::from_ne_bytes);
            part(data, ends[0].into(), ends[1].into())?
        }
        Layout::Offsets64(offsets, data) => {
            let ends = [*offsets.get(at)?, *offsets.get(at + 1)?].map(i64::from_ne_bytes);
            part(data, ends[0].into(), ends[1].into())?
        }
        Layout::Views(views, buffers) => {
            let view = views.get(at)?;
            let words: [i32; 4] =
                std::array::from_fn(|word| i32::from_ne_bytes(view[4 * word..][..4].try_into().unwrap()));
            let [length, _, buffer, start] = words.map(i128::from);
            if length <= 12 {
                part(&view[4..], 0, length)?
            } else {
                part(buffers.get(usize::try_from(buffer).ok()?)?, start, start + length)?
            }
        }
        Layout::Dictionary(keys, values) => {
            let key = key(*keys, at)?;
            return (0..values.rows as i128).contains(&key).then(|| tokens_of_row(values, key as usize))?;
        }
    };
    Some(oracle::counts(oracle::utf8_code_points(text)).tokens() as i64)
}

fn part(data: &[u8], start: i128, end: i128) -> Option<&[u8]> {
    let is_sound = 0 <= start && start <= end && end <= data.len() as i128;
    is_sound.then(|| &data[start as usize..end as usize])
}

fn key(keys: Keys<'_>, at: usize) -> Option<i128> {
    Some(match keys {
        Keys::I8(keys) => i8::from_ne_bytes(*keys.get(at)?).into(),
        Keys::U8(keys) => u8::from_ne_bytes(*keys.get(at)?).into(),
        Keys::I16(keys) => i16::from_ne_bytes(*keys.get(at)?).into(),
        Keys::U16(keys) => u16::from_ne_bytes(*keys.get(at)?).into(),
        Keys::I32(keys) => i32::from_ne_bytes(*keys.get(at)?).into(),
        Keys::U32(keys) => u32::from_ne_bytes(*keys.get(at)?).into(),
        Keys::I64(keys) => i64::from_ne_bytes(*keys.get(at)?).into(),
        Keys::U64(keys) => u64::from_ne_bytes(*keys.get(at)?).into(),
    })
}
