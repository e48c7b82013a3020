//! The tables of `rules.py`, turned around: from a name to everything the tables say about it.
//!
//! A key or a type is looked up once, by the hash Python keeps in the string, instead of once a table.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyString};

/// How the value of a key is counted; the numbers are those of `rules.Rule`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Rule {
    #[default]
    Unknown,
    Silent,
    Text,
    Content,
    Calls,
    Call,
    Result,
    Opaque,
    Extras,
}

impl Rule {
    const ALL: [Self; 9] = [
        Self::Unknown,
        Self::Silent,
        Self::Text,
        Self::Content,
        Self::Calls,
        Self::Call,
        Self::Result,
        Self::Opaque,
        Self::Extras,
    ];

    fn numbered(number: usize) -> PyResult<Self> {
        let unknown =
            || PyValueError::new_err(format!("key_rules has no rule of this number (got {number})"));
        Self::ALL.get(number).copied().ok_or_else(unknown)
    }
}

/// The keys that the walk itself reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Meaning {
    #[default]
    None,
    Type,
    PartKind,
    Kind,
    Role,
    ToolCalls,
    FunctionCall,
}

const MEANINGS: [(&str, Meaning); 6] = [
    ("type", Meaning::Type),
    ("part_kind", Meaning::PartKind),
    ("kind", Meaning::Kind),
    ("role", Meaning::Role),
    ("tool_calls", Meaning::ToolCalls),
    ("function_call", Meaning::FunctionCall),
];

/// What is known of a key.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Key {
    pub(super) rule: Rule,
    pub(super) meaning: Meaning,
    pub(super) holds_media: bool,
    pub(super) makes_block: bool,
}

/// What is known of a value of `type`, `part_kind`, `kind` or `role`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Type {
    pub(super) is_call: bool,
    pub(super) is_result: bool,
    pub(super) is_result_role: bool,
    pub(super) is_media: bool,
    pub(super) is_item: bool,
}

/// Facts by name.
pub(super) struct Names<T> {
    places: Py<PyDict>,
    facts: Vec<T>,
}

impl<T: Copy + Default> Names<T> {
    pub(super) fn new(py: Python<'_>) -> Self {
        Self { places: PyDict::new(py).unbind(), facts: Vec::new() }
    }

    /// The facts of a name; nothing is known of other names, nor of anything but strings.
    pub(super) fn get(&self, name: &Bound<'_, PyAny>) -> PyResult<T> {
        if !name.is_instance_of::<PyString>() {
            return Ok(T::default());
        }
        let place = self.places.bind(name.py()).get_item(name)?;
        place.map_or(Ok(T::default()), |place| Ok(self.facts[place.extract::<usize>()?]))
    }

    /// Write down a fact of a name.
    pub(super) fn note(&mut self, name: &Bound<'_, PyAny>, fact: impl FnOnce(&mut T)) -> PyResult<()> {
        let places = self.places.bind(name.py());
        let place = match places.get_item(name)? {
            Some(place) => place.extract()?,
            None => {
                places.set_item(name, self.facts.len())?;
                self.facts.push(T::default());
                self.facts.len() - 1
            }
        };
        fact(&mut self.facts[place]);
        Ok(())
    }

    /// Write down the same fact of each name of a set.
    pub(super) fn note_all(&mut self, names: &Bound<'_, PyFrozenSet>, fact: fn(&mut T)) -> PyResult<()> {
        names.iter().try_for_each(|name| self.note(&name, fact))
    }
}

impl Names<Key> {
    pub(super) fn of_rules(key_rules: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut keys = Self::new(key_rules.py());
        for (name, rule) in key_rules {
            let rule = Rule::numbered(rule.extract()?)?;
            keys.note(&name, |key| key.rule = rule)?;
        }
        for (name, meaning) in MEANINGS {
            let name = PyString::intern(key_rules.py(), name);
            keys.note(&name, |key| key.meaning = meaning)?;
        }
        Ok(keys)
    }
}
