//! Where in a nested value the walk is, and the errors that say so.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyInt;
use std::fmt::Write;

/// Enough to find a value, also one that nests without end.
const SHOWN_STEPS: usize = 12;

const WANTED: &str =
    "a str, bytes, number, bool, None, list, tuple, mapping, dataclass or object with model_dump()";

/// The steps from the root to a value, the last one outermost; lives on the stack of the walk.
#[derive(Clone, Copy)]
pub(super) struct Place<'a, 'py> {
    above: Option<&'a Place<'a, 'py>>,
    step: Step<'a, 'py>,
}

#[derive(Clone, Copy)]
enum Step<'a, 'py> {
    Root,
    Index(usize),
    Key(&'a Bound<'py, PyAny>),
}

impl<'a, 'py> Place<'a, 'py> {
    /// The value that was handed in.
    pub(super) const ROOT: Self = Self { above: None, step: Step::Root };

    pub(super) fn at(&'a self, index: usize) -> Self {
        Self { above: Some(self), step: Step::Index(index) }
    }

    pub(super) fn under(&'a self, key: &'a Bound<'py, PyAny>) -> Self {
        Self { above: Some(self), step: Step::Key(key) }
    }

    pub(super) fn not_a_message(&self, value: &Bound<'py, PyAny>) -> PyErr {
        self.type_error(value, |place, name| {
            format!("{place} must be a message: a mapping or an object (got {name})")
        })
    }

    pub(super) fn uncountable(&self, value: &Bound<'py, PyAny>) -> PyErr {
        self.type_error(value, |place, name| {
            format!("cannot count a value of type {name} at {place} ({WANTED} is needed)")
        })
    }

    pub(super) fn uncountable_key(&self, key: &Bound<'py, PyAny>) -> PyErr {
        self.type_error(key, |place, name| {
            format!("cannot count a key of type {name} at {place} (a str is needed)")
        })
    }

    pub(super) fn too_deep(&self, max_depth: usize) -> PyErr {
        PyValueError::new_err(format!(
            "nested more than {max_depth} levels deep, or a cycle, at {} (flatten the value or leave it out)",
            self.shown()
        ))
    }

    fn type_error(&self, value: &Bound<'py, PyAny>, text: impl Fn(&str, &str) -> String) -> PyErr {
        match value.get_type().name() {
            Ok(name) => PyTypeError::new_err(text(&self.shown(), &name.to_string_lossy())),
            Err(error) => error,
        }
    }

    /// The place written like `$[3].content[0].input`.
    fn shown(&self) -> String {
        let mut steps: Vec<_> = std::iter::successors(Some(self), |place| place.above).collect();
        steps.reverse();
        let beyond_root = &steps[1..];
        let mut shown = String::from("$");
        for place in beyond_root.iter().take(SHOWN_STEPS) {
            place.step.show(&mut shown);
        }
        if beyond_root.len() > SHOWN_STEPS {
            shown.push('…');
        }
        shown
    }
}

impl Step<'_, '_> {
    fn show(&self, shown: &mut String) {
        let written = match self {
            Self::Root => Ok(()),
            Self::Index(index) => write!(shown, "[{index}]"),
            Self::Key(key) if key.is_instance_of::<PyInt>() => write!(shown, "[{key}]"),
            Self::Key(key) => write!(shown, ".{key}"),
        };
        written.expect("a String takes whatever is written");
    }
}
