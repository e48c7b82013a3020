//! Classes and weights as Python hands them over, and what they are asked for.

use super::arrow::{self, TokenColumn};
use super::{batch, text};
use crate::classes;
use crate::measure::Measure;
use crate::profile::Profile;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use std::sync::Arc;

/// The class of each code point.
#[pyclass(frozen, module = "longturn._core")]
pub(super) struct Classes(Arc<classes::Classes>);

#[pymethods]
impl Classes {
    #[new]
    fn new(ranges: Vec<classes::Range>, start: u8) -> PyResult<Self> {
        let classes = classes::Classes::new(&ranges, start).map_err(PyValueError::new_err)?;
        Ok(Self(Arc::new(classes)))
    }

    fn __len__(&self) -> usize {
        self.0.count()
    }

    /// Return how often each class follows each other one, row by row, as native int64.
    fn pairs<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyByteArray>> {
        let mut pairs = vec![0; self.0.count() * self.0.count()];
        self.0.count_pairs(text::required(text)?, &mut pairs);
        let bytes: Vec<u8> = pairs.into_iter().flat_map(u64::to_ne_bytes).collect();
        Ok(PyByteArray::new(text.py(), &bytes))
    }
}

/// A weight for each pair of classes.
#[pyclass(frozen, module = "longturn._core")]
pub(super) struct Weights(Arc<Profile>);

impl Weights {
    pub(super) fn measure(&self) -> Measure {
        Measure::Profile(Arc::clone(&self.0))
    }
}

#[pymethods]
impl Weights {
    #[new]
    fn new(classes: &Classes, units: Vec<u16>) -> PyResult<Self> {
        let profile = Profile::new(Arc::clone(&classes.0), &units).map_err(PyValueError::new_err)?;
        Ok(Self(Arc::new(profile)))
    }

    /// Return the quarter-tokens of a text, rounded up.
    fn quarters(&self, text: &Bound<'_, PyAny>) -> PyResult<u64> {
        Ok(self.0.quarters(text::required(text)?))
    }

    /// Return the tokens of a text, rounded up.
    fn tokens(&self, text: &Bound<'_, PyAny>) -> PyResult<u64> {
        Ok(self.quarters(text)?.div_ceil(4))
    }

    /// Return the quarter-tokens of each text as native int64.
    fn quarters_batch<'py>(&self, texts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyByteArray>> {
        batch::measure_batch(texts, &self.measure())
    }

    /// Return the tokens of each entry of an Arrow column of texts, as an int64 column.
    fn estimate_column(&self, column: &Bound<'_, PyAny>) -> PyResult<TokenColumn> {
        arrow::measure_column(column, &self.measure())
    }
}
