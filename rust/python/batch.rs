//! Many texts in one crossing, counted with the interpreter's lock released.

use super::text;
use crate::measure::Measure;
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
    measure_batch(texts, &Measure::Script)
}

/// The same by any measure.
pub(super) fn measure_batch<'py>(
    texts: &Bound<'py, PyAny>,
    measure: &Measure,
) -> PyResult<Bound<'py, PyByteArray>> {
    int64_rows(texts, |text| measure.bytes_to_read(text), |text| [measure.quarters(text)])
}

/// Return the three counts of each text, row by row, as native int64.
#[pyfunction]
pub(super) fn counts_batch<'py>(texts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyByteArray>> {
    int64_rows(
        texts,
        |text| text.bytes_to_read(),
        |text| {
            let counts = text.counts();
            [counts.ascii, counts.cjk, counts.other]
        },
    )
}

fn int64_rows<'py, const WIDTH: usize>(
    texts: &Bound<'py, PyAny>,
    bytes_to_read: impl Fn(Text<'_>) -> usize + Sync,
    row: impl Fn(Text<'_>) -> [u64; WIDTH] + Sync,
) -> PyResult<Bound<'py, PyByteArray>> {
    // References of our own: the caller's list may change while the lock is released.
    let owned: Vec<Bound<'_, PyAny>> = match texts.cast::<PyList>() {
        Ok(list) => list.iter().collect(),
        Err(_) => texts.cast::<PySequence>()?.try_iter()?.collect::<PyResult<_>>()?,
    };
    let borrowed = borrow_all(&owned)?;
    let rows = texts.py().detach(|| in_threads(&borrowed, &bytes_to_read, &row));
    let bytes: Vec<u8> = rows.into_iter().flatten().flat_map(u64::to_ne_bytes).collect();
    Ok(PyByteArray::new(texts.py(), &bytes))
}

fn borrow_all<'a>(texts: &'a [Bound<'_, PyAny>]) -> PyResult<Vec<Text<'a>>> {
    let borrow = |(index, value)| {
        text::borrow(value)?.ok_or_else(|| text::wrong_type(&format!("texts[{index}]"), value))
    };
    texts.iter().enumerate().map(borrow).collect()
}

/// Read texts in as many threads as their size is worth.
fn in_threads<const WIDTH: usize>(
    texts: &[Text<'_>],
    bytes_to_read: &(impl Fn(Text<'_>) -> usize + Sync),
    row: &(impl Fn(Text<'_>) -> [u64; WIDTH] + Sync),
) -> Vec<[u64; WIDTH]> {
    let bytes: usize = texts.iter().map(|&text| bytes_to_read(text)).sum();
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(bytes / BYTES_PER_THREAD).max(1);
    if threads == 1 {
        return texts.iter().map(|&text| row(text)).collect();
    }
    let mut rows = vec![[0; WIDTH]; texts.len()];
    thread::scope(|scope| {
        let mut rest = rows.as_mut_slice();
        for share in shares(texts, bytes_to_read, bytes.div_ceil(threads)) {
            let (places, others) = rest.split_at_mut(share.len());
            rest = others;
            scope.spawn(move || {
                for (place, &text) in places.iter_mut().zip(share) {
                    *place = row(text);
                }
            });
        }
    });
    rows
}

/// Cut texts into runs, each but the last of at least this many bytes.
fn shares<'t, 'a>(
    texts: &'t [Text<'a>],
    bytes_to_read: &impl Fn(Text<'_>) -> usize,
    least: usize,
) -> impl Iterator<Item = &'t [Text<'a>]> {
    let mut gathered = 0;
    texts.split_inclusive(move |&text| {
        gathered += bytes_to_read(text);
        let is_full = gathered >= least;
        gathered = if is_full { 0 } else { gathered };
        is_full
    })
}
