//! Python's strings and bytes as borrowed texts: nothing is copied, nothing is cached in them.

use crate::text::Text;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::string::PyStringData;
use pyo3::types::{PyBytes, PyString};

/// Borrow a str or bytes; anything else is None.
pub(super) fn borrow<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<Option<Text<'a>>> {
    if let Ok(string) = value.cast::<PyString>() {
        return of_string(string).map(Some);
    }
    Ok(value.cast::<PyBytes>().ok().map(|bytes| Text::Utf8(bytes.as_bytes())))
}

/// Borrow the argument called ``text``.
pub(super) fn required<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<Text<'a>> {
    borrow(value)?.ok_or_else(|| wrong_type("text", value))
}

/// The error for what is neither a str nor bytes.
pub(super) fn wrong_type(place: &str, value: &Bound<'_, PyAny>) -> PyErr {
    match value.get_type().name() {
        Ok(name) => PyTypeError::new_err(format!("{place} must be str or bytes (got {name})")),
        Err(error) => error,
    }
}

/// Borrow a string in the form Python keeps it.
pub(super) fn of_string<'a>(string: &'a Bound<'_, PyString>) -> PyResult<Text<'a>> {
    // SAFETY: a str never changes, and the slice borrows from a reference that keeps it alive.
    // PyO3 reads its layout from a C bit field before Python 3.14, which is right for the
    // little-endian compilers that wheels are built with, and the suite runs on each of them.
    let data = unsafe { string.data()? };
    Ok(match data {
        PyStringData::Ucs1(bytes) if is_ascii(string, bytes) => Text::Ascii(bytes),
        PyStringData::Ucs1(bytes) => Text::Latin1(bytes),
        PyStringData::Ucs2(units) => Text::Ucs2(units),
        PyStringData::Ucs4(units) => Text::Ucs4(units),
    })
}

/// Whether Python knows a string to be ASCII, told by where its characters are.
///
/// Python 3.14 hides the flag.  But only ASCII strings have the shorter header, with their
/// characters right behind it; instances of subclasses keep them elsewhere and are counted in full.
fn is_ascii(string: &Bound<'_, PyString>, bytes: &[u8]) -> bool {
    let header = bytes.as_ptr().addr().wrapping_sub(string.as_ptr().addr());
    header == size_of::<ffi::PyASCIIObject>()
}
