//! The extension module `longturn._core`: conversions and errors, nothing else.

mod arrow;
mod batch;
mod memo;
mod names;
mod place;
mod text;
mod walk;
mod weights;

use pyo3::prelude::*;

/// The Rust half of `longturn`; its plain-Python twin is `longturn.tokens.reference`.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::arrow::{TokenColumn, estimate_column};
    #[pymodule_export]
    use super::batch::{counts_batch, quarters_batch};
    #[pymodule_export]
    use super::memo::{agreement, witness, witnesses};
    #[pymodule_export]
    use super::walk::Walker;
    #[pymodule_export]
    use super::weights::{Classes, Weights};
    #[pymodule_export]
    use super::{counts, image_size, quarters, tokens};
}

/// Return how many code points of ``text`` are ASCII, Chinese/Japanese/Korean, and other.
#[pyfunction]
fn counts(text: &Bound<'_, PyAny>) -> PyResult<(u64, u64, u64)> {
    let counts = text::required(text)?.counts();
    Ok((counts.ascii, counts.cjk, counts.other))
}

/// Return the quarter-tokens of a text.
#[pyfunction]
fn quarters(text: &Bound<'_, PyAny>) -> PyResult<u64> {
    Ok(text::required(text)?.counts().quarters())
}

/// Return the tokens of a text, rounded up.
#[pyfunction]
fn tokens(text: &Bound<'_, PyAny>) -> PyResult<u64> {
    Ok(text::required(text)?.counts().tokens())
}

/// Return width and height in pixels from an image's header, or None.
#[pyfunction]
fn image_size(data: &[u8]) -> Option<(usize, usize)> {
    let size = imagesize::blob_size(data).ok()?;
    (size.width > 0 && size.height > 0).then_some((size.width, size.height))
}
