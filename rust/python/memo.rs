//! What the memo asks at every step: how far is this history the one seen before?
//!
//! This runs over the whole history each time, so it compares pointers and reads one key a message.

use pyo3::buffer::PyBuffer;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyByteArray, PyDict, PyList, PyString};

/// The length of what is not a list.
const NOT_A_LIST: i64 = -1;

/// Return how many leading messages of ``history`` are those seen before, unchanged.
#[pyfunction]
pub(super) fn agreement(
    history: &Bound<'_, PyList>,
    seen: &Bound<'_, PyList>,
    witnesses: &Bound<'_, PyList>,
    lengths: PyBuffer<i64>,
) -> PyResult<usize> {
    let py = history.py();
    let lengths = lengths.to_vec(py)?;
    let limit = history.len().min(seen.len()).min(witnesses.len()).min(lengths.len());
    for (index, &length) in lengths[..limit].iter().enumerate() {
        // Checked each time: what a message runs when asked for an attribute may change the lists.
        let message = history.get_item(index)?;
        if !message.is(&seen.get_item(index)?) {
            return Ok(index);
        }
        if !has_content(&message, address(witnesses, index)?)? {
            return Ok(index);
        }
        // What is the same object is a list if it was one: only lists need to be looked into.
        if length != NOT_A_LIST && list_length(&witnesses.get_item(index)?) != length {
            return Ok(index);
        }
    }
    Ok(limit)
}

/// Where an object is in memory: enough to tell whether it is another one, without a look at it.
///
/// Owning an object counts a reference, which writes to its memory: on a history too large for the
/// nearest caches, that is a third of the time of a step.
type Address = *mut ffi::PyObject;

/// The address of an entry.
fn address(list: &Bound<'_, PyList>, index: usize) -> PyResult<Address> {
    // SAFETY: the list is alive; the call checks the index. The borrowed pointer is never followed.
    let found = unsafe { ffi::PyList_GetItem(list.as_ptr(), index as ffi::Py_ssize_t) };
    if found.is_null() { Err(PyErr::fetch(list.py())) } else { Ok(found) }
}

/// Whether the content of a message is still the object at an address.
fn has_content(message: &Bound<'_, PyAny>, known: Address) -> PyResult<bool> {
    if let Ok(members) = message.cast::<PyDict>()
        && let Some(found) = first_content(members)?
    {
        return Ok(found == known);
    }
    Ok(find_witness(message)?.as_ptr() == known)
}

/// The address of a dict's content, if it is in the most usual place.
fn first_content(members: &Bound<'_, PyDict>) -> PyResult<Option<Address>> {
    let py = members.py();
    let key = intern!(py, "content");
    let found = with_critical_section(members, || {
        // SAFETY: both pointers are of live objects, and the lock is held or, on builds without one,
        // the dict's own. The borrowed pointer that comes back is never followed.
        unsafe { ffi::PyDict_GetItemWithError(members.as_ptr(), key.as_ptr()) }
    });
    if found.is_null() {
        return PyErr::take(py).map_or(Ok(None), Err);
    }
    Ok((found != py.None().as_ptr()).then_some(found))
}

/// Return what stands for a message's content, and its length if it is a list, else -1.
#[pyfunction]
pub(super) fn witness<'py>(message: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, i64)> {
    let found = find_witness(message)?;
    let length = list_length(&found);
    Ok((found, length))
}

/// Return the witnesses of ``history[start:]`` and their lengths as native int64.
#[pyfunction]
pub(super) fn witnesses<'py>(
    history: &Bound<'py, PyList>,
    start: usize,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyByteArray>)> {
    let py = history.py();
    let (mut found, mut lengths) = (Vec::new(), Vec::new());
    for message in history.iter().skip(start) {
        let (witness, length) = witness(&message)?;
        found.push(witness);
        lengths.extend(length.to_ne_bytes());
    }
    Ok((PyList::new(py, found)?, PyByteArray::new(py, &lengths)))
}

/// The first of a message's usual places for content that holds something; None where none does.
fn find_witness<'py>(message: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = message.py();
    let keys =
        [intern!(py, "content"), intern!(py, "parts"), intern!(py, "output"), intern!(py, "tool_calls")];
    match message.cast::<PyDict>() {
        Ok(members) => first_value(py, keys, |key| members.get_item(key)),
        Err(_) => first_value(py, keys, |key| message.getattr_opt(key)),
    }
}

#[inline]
fn first_value<'py>(
    py: Python<'py>,
    keys: [&Bound<'py, PyString>; 4],
    read: impl Fn(&Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>>,
) -> PyResult<Bound<'py, PyAny>> {
    for key in keys {
        if let Some(value) = read(key)?.filter(|value| !value.is_none()) {
            return Ok(value);
        }
    }
    Ok(py.None().into_bound(py))
}

fn list_length(value: &Bound<'_, PyAny>) -> i64 {
    value.cast::<PyList>().map_or(NOT_A_LIST, |list| list.len() as i64)
}
