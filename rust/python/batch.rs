//! Many texts in one crossing, counted with the interpreter's lock released.

use super::text;
use crate::script::Counts;
use crate::text::Text;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyList, PySequence};
use std::num::NonZero;
use std::thread;

/// Bytes that are worth a thread of their own: about 0.1 ms, ten times what it takes to start one.
const BYTES_PER_THREAD: usize = 1 << 20;

/// Return the quarter-tokens of each text as native int64.
#[pyfunction]
pub(super) fn quarters_batch<'py>(texts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyByteArray>> {
    int64_rows(texts, |counts| [counts.quarters()])
}

/// Return the three counts of each text, row by row, as native int64.
#[pyfunction]
pub(super) fn counts_batch<'py>(texts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyByteArray>> {
    int64_rows(texts, |counts| [counts.ascii, counts.cjk, counts.other])
}

fn int64_rows<'py, const WIDTH: usize>(
    texts: &Bound<'py, PyAny>,
    row: impl Fn(Counts) -> [u64; WIDTH],
) -> PyResult<Bound<'py, PyByteArray>> {
    let counts = count_all(texts)?;
    let numbers = counts.into_iter().flat_map(row);
    let bytes: Vec<u8> = numbers.flat_map(u64::to_ne_bytes).collect();
    Ok(PyByteArray::new(texts.py(), &bytes))
}

fn count_all(texts: &Bound<'_, PyAny>) -> PyResult<Vec<Counts>> {
    // References of our own: the caller's list may change while the lock is released.
    let owned: Vec<Bound<'_, PyAny>> = match texts.cast::<PyList>() {
        Ok(list) => list.iter().collect(),
        Err(_) => texts.cast::<PySequence>()?.try_iter()?.collect::<PyResult<_>>()?,
    };
    let borrowed = borrow_all(&owned)?;
    Ok(texts.py().detach(|| count_in_threads(&borrowed)))
}

fn borrow_all<'a>(texts: &'a [Bound<'_, PyAny>]) -> PyResult<Vec<Text<'a>>> {
    let borrow = |(index, value)| {
        text::borrow(value)?.ok_or_else(|| text::wrong_type(&format!("texts[{index}]"), value))
    };
    texts.iter().enumerate().map(borrow).collect()
}

/// Count texts in as many threads as their size is worth.
fn count_in_threads(texts: &[Text<'_>]) -> Vec<Counts> {
    let bytes: usize = texts.iter().map(|text| text.bytes_to_read()).sum();
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(bytes / BYTES_PER_THREAD).max(1);
    if threads == 1 {
        return texts.iter().map(|text| text.counts()).collect();
    }
    let mut counts = vec![Counts::default(); texts.len()];
    thread::scope(|scope| {
        let mut rest = counts.as_mut_slice();
        for share in shares(texts, bytes.div_ceil(threads)) {
            let (places, others) = rest.split_at_mut(share.len());
            rest = others;
            scope.spawn(move || count_into(share, places));
        }
    });
    counts
}

fn count_into(texts: &[Text<'_>], places: &mut [Counts]) {
    for (place, text) in places.iter_mut().zip(texts) {
        *place = text.counts();
    }
}

/// Cut texts into runs, each but the last of at least this many bytes.
fn shares<'t, 'a>(texts: &'t [Text<'a>], least: usize) -> impl Iterator<Item = &'t [Text<'a>]> {
    let mut gathered = 0;
    texts.split_inclusive(move |text| {
        gathered += text.bytes_to_read();
        let is_full = gathered >= least;
        gathered = if is_full { 0 } else { gathered };
        is_full
    })
}
