//! Nested values counted in one crossing; `rules.py` says what counts, `reference.Walker` how.

use super::names::{Key, Meaning, Names, Rule, Type};
use super::place::Place;
use super::text;
use super::weights::Weights;
use crate::measure::{Json, Measure};
use pyo3::exceptions::{PyRecursionError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pyclass::{PyTraverseError, PyVisit};
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyMapping, PyString, PyTuple,
};
use std::cell::Cell;

/// Pricing may walk what a document holds, and that may hold documents: this deep and no deeper,
/// since each walk may use the stack of as many levels as a value may nest.
const WALKS_IN_WALKS: usize = 16;

/// Quarter-tokens of structure and of content whose length says nothing.
struct Costs {
    message: i64,
    call: i64,
    result: i64,
    opaque: i64,
}

/// Counts nested values; ``longturn.tokens.rules`` says what counts and how.
#[pyclass(frozen, module = "longturn._core")]
pub(super) struct Walker {
    keys: Names<Key>,
    types: Names<Type>,
    costs: Costs,
    max_depth: usize,
    plain: Py<PyAny>,
    price: Py<PyAny>,
    measure: Measure,
}

#[pymethods]
impl Walker {
    #[new]
    #[pyo3(signature = (*, key_rules, call_types, result_types, result_roles, media_types, media_keys,
                        item_types, block_keys, costs, max_depth, plain, price, weights=None))]
    #[expect(clippy::too_many_arguments, reason = "the tables of rules.py, by their names")]
    fn new(
        key_rules: &Bound<'_, PyDict>,
        call_types: &Bound<'_, PyFrozenSet>,
        result_types: &Bound<'_, PyFrozenSet>,
        result_roles: &Bound<'_, PyFrozenSet>,
        media_types: &Bound<'_, PyFrozenSet>,
        media_keys: &Bound<'_, PyFrozenSet>,
        item_types: &Bound<'_, PyFrozenSet>,
        block_keys: &Bound<'_, PyFrozenSet>,
        costs: (i64, i64, i64, i64),
        max_depth: usize,
        plain: Py<PyAny>,
        price: Py<PyAny>,
        weights: Option<&Weights>,
    ) -> PyResult<Self> {
        let mut keys = Names::of_rules(key_rules)?;
        keys.note_all(media_keys, |key| key.holds_media = true)?;
        keys.note_all(block_keys, |key| key.makes_block = true)?;
        let mut types = Names::new(key_rules.py());
        types.note_all(call_types, |of: &mut Type| of.is_call = true)?;
        types.note_all(result_types, |of| of.is_result = true)?;
        types.note_all(result_roles, |of| of.is_result_role = true)?;
        types.note_all(media_types, |of| of.is_media = true)?;
        types.note_all(item_types, |of| of.is_item = true)?;
        let (message, call, result, opaque) = costs;
        let costs = Costs { message, call, result, opaque };
        let measure = weights.map_or(Measure::Script, Weights::measure);
        Ok(Self { keys, types, costs, max_depth, plain, price, measure })
    }

    /// What prices may measure by this very walker: the collector has to see the circle.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.plain)?;
        visit.call(&self.price)
    }

    /// Return the quarter-tokens of the compact JSON text of ``value``.
    fn json(&self, value: &Bound<'_, PyAny>) -> PyResult<i64> {
        within(|| self.json_at(value, &Place::ROOT, 0))
    }

    /// Return the quarter-tokens of a message's content: a text, a block, or a list of them.
    fn content(&self, value: &Bound<'_, PyAny>) -> PyResult<i64> {
        within(|| self.content_at(value, &Place::ROOT, 0, false))
    }

    /// Return the quarter-tokens of one message.
    fn message(&self, value: &Bound<'_, PyAny>) -> PyResult<i64> {
        within(|| self.message_at(value, &Place::ROOT))
    }

    /// Return the quarter-tokens of each message of ``history[start:]``.
    #[pyo3(signature = (history, start=0))]
    fn messages(&self, history: &Bound<'_, PyAny>, start: usize) -> PyResult<Vec<i64>> {
        let count = |index| self.message_at(&history.get_item(index)?, &Place::ROOT.at(index));
        within(|| (start..history.len()?).map(count).collect())
    }

    /// Tell whether ``value`` is a message rather than a JSON value.
    fn is_message(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = value.py();
        let (role, parts, kind) = (intern!(py, "role"), intern!(py, "parts"), intern!(py, "type"));
        let kind = if let Ok(members) = value.cast::<PyDict>() {
            if members.contains(role)? || members.contains(parts)? {
                return Ok(true);
            }
            members.get_item(kind)?
        } else if is_builtin(value) {
            return Ok(false);
        } else if let Ok(mapping) = value.cast::<PyMapping>() {
            return self.is_message(&py.get_type::<PyDict>().call1((mapping,))?);
        } else {
            if value.getattr_opt(role)?.is_some() || value.getattr_opt(parts)?.is_some() {
                return Ok(true);
            }
            value.getattr_opt(kind)?
        };
        kind.map_or(Ok(false), |kind| Ok(self.types.get(&kind)?.is_item))
    }
}

/// A mapping with what the tables say of its keys and of its type, each looked up once.
struct Block<'py> {
    mapping: Bound<'py, PyDict>,
    members: Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>, Key)>,
    /// Of `type`, or of `part_kind` where there is no `type`.
    kind: Type,
    has_result_type: bool,
    has_result_role: bool,
    has_media: bool,
    has_calls: bool,
    is_block: bool,
}

impl Walker {
    // ---------------------------------------------------------------- messages and blocks

    fn message_at<'py>(&self, value: &Bound<'py, PyAny>, place: &Place<'_, 'py>) -> PyResult<i64> {
        let found = self.builtin(value, place)?;
        let Ok(mapping) = found.cast::<PyDict>() else {
            return Err(place.not_a_message(value));
        };
        let block = self.read(mapping)?;
        let is_result = block.has_result_role && !block.has_result_type;
        let result = if is_result { self.costs.result } else { 0 };
        Ok(self.costs.message + result + self.block(&block, place, 1)?)
    }

    fn read<'py>(&self, mapping: &Bound<'py, PyDict>) -> PyResult<Block<'py>> {
        let mut block = Block {
            mapping: mapping.clone(),
            members: Vec::with_capacity(mapping.len()),
            kind: Type::default(),
            has_result_type: false,
            has_result_role: false,
            has_media: false,
            has_calls: false,
            is_block: false,
        };
        let mut part_kind = Type::default();
        let mut has_type = false;
        // Copied before anything else runs: what prices a block or dumps an object may change it.
        for (name, value) in mapping {
            block.members.push((name, value, Key::default()));
        }
        for (name, value, key) in &mut block.members {
            *key = self.keys.get(name)?;
            block.is_block |= key.makes_block;
            block.has_media |= key.holds_media && value.is_instance_of::<PyDict>();
            match key.meaning {
                Meaning::Type => {
                    has_type = !value.is_none();
                    block.kind = self.types.get(value)?;
                    block.has_result_type = block.kind.is_result;
                }
                Meaning::PartKind => part_kind = self.types.get(value)?,
                Meaning::Kind => block.has_media |= self.types.get(value)?.is_media,
                Meaning::Role => block.has_result_role = self.types.get(value)?.is_result_role,
                Meaning::ToolCalls => block.has_calls = value.is_truthy()?,
                Meaning::FunctionCall | Meaning::None => {}
            }
        }
        block.kind = if has_type { block.kind } else { part_kind };
        block.has_media |= block.kind.is_media;
        Ok(block)
    }

    fn block<'py>(&self, block: &Block<'py>, place: &Place<'_, 'py>, depth: usize) -> PyResult<i64> {
        self.check_depth(place, depth)?;
        if block.has_media
            && let Some(priced) = self.priced(block)?
        {
            return Ok(priced);
        }
        let mut total = if block.kind.is_call { self.costs.call } else { 0 };
        total += if block.kind.is_result { self.costs.result } else { 0 };
        for (name, value, key) in &block.members {
            if !value.is_none() {
                // LangChain keeps the same calls in `tool_calls` and in the content: counted once.
                total += self.member(name, value, key.rule, place, depth, block.has_calls)?;
            }
        }
        Ok(total)
    }

    fn priced(&self, block: &Block<'_>) -> PyResult<Option<i64>> {
        let mapping = &block.mapping;
        self.price.bind(mapping.py()).call1((mapping,))?.extract()
    }

    fn content_at<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        place: &Place<'_, 'py>,
        depth: usize,
        skip_calls: bool,
    ) -> PyResult<i64> {
        self.check_depth(place, depth)?;
        if value.is_none() {
            return Ok(0);
        }
        if let Some(text) = text::borrow(value)? {
            return Ok(self.measure.quarters(text) as i64);
        }
        let item = |item: &_, index| self.content_at(item, &place.at(index), depth + 1, skip_calls);
        if let Some(total) = sum_items(value, item)? {
            return Ok(total);
        }
        if let Ok(mapping) = value.cast::<PyDict>() {
            let block = self.read(mapping)?;
            return match block {
                Block { is_block: false, .. } => self.json_at(value, place, depth),
                Block { kind: Type { is_call: true, .. }, .. } if skip_calls => Ok(0),
                block => self.block(&block, place, depth + 1),
            };
        }
        if is_number(value) {
            return self.json_at(value, place, depth);
        }
        self.content_at(&self.builtin(value, place)?, place, depth + 1, skip_calls)
    }

    // ---------------------------------------------------------------- one arm per rule

    fn member<'py>(
        &self,
        name: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
        rule: Rule,
        place: &Place<'_, 'py>,
        depth: usize,
        skip_calls: bool,
    ) -> PyResult<i64> {
        let here = place.under(name);
        let unknown = || self.unknown(name, value, place, depth);
        match rule {
            Rule::Unknown => unknown(),
            Rule::Silent => Ok(0),
            Rule::Text => self.text(value, &here, depth + 1),
            Rule::Content => self.content_at(value, &here, depth + 1, skip_calls),
            Rule::Calls => self.calls(value, &here, depth + 1)?.map_or_else(unknown, Ok),
            Rule::Call => self.call(value, &here, depth + 1),
            Rule::Result => self.result(value, &here, depth + 1),
            Rule::Opaque => Ok(if value.is_truthy()? { self.costs.opaque } else { 0 }),
            Rule::Extras => self.extras(value, &here, depth + 1)?.map_or_else(unknown, Ok),
        }
    }

    /// A JSON member: its name, a colon and a comma, its value.
    fn unknown<'py>(
        &self,
        name: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
        place: &Place<'_, 'py>,
        depth: usize,
    ) -> PyResult<i64> {
        let mut json = self.measure.begin();
        self.write_name(&mut json, name, place)?;
        json.ascii(":");
        self.write(&mut json, value, &place.under(name), depth + 1)?;
        json.ascii(",");
        Ok(json.quarters() as i64)
    }

    fn text<'py>(&self, value: &Bound<'py, PyAny>, place: &Place<'_, 'py>, depth: usize) -> PyResult<i64> {
        match text::borrow(value)? {
            Some(text) => Ok(self.measure.quarters(text) as i64),
            None => self.json_at(value, place, depth),
        }
    }

    fn calls<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        place: &Place<'_, 'py>,
        depth: usize,
    ) -> PyResult<Option<i64>> {
        sum_items(value, |item, index| self.call(item, &place.at(index), depth + 1))
    }

    fn call<'py>(&self, value: &Bound<'py, PyAny>, place: &Place<'_, 'py>, depth: usize) -> PyResult<i64> {
        self.wrapped(value, place, depth, self.costs.call, |kind| kind.is_call)
    }

    fn result<'py>(&self, value: &Bound<'py, PyAny>, place: &Place<'_, 'py>, depth: usize) -> PyResult<i64> {
        self.wrapped(value, place, depth, self.costs.result, |kind| kind.is_result)
    }

    /// Unknown members, without a second copy of the calls.
    fn extras<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        place: &Place<'_, 'py>,
        depth: usize,
    ) -> PyResult<Option<i64>> {
        let Ok(mapping) = value.cast::<PyDict>() else {
            return Ok(None);
        };
        let mut total = 0;
        for (name, member, key) in self.read(mapping)?.members {
            let repeats_calls = matches!(key.meaning, Meaning::ToolCalls | Meaning::FunctionCall);
            if !member.is_none() && !repeats_calls {
                total += self.unknown(&name, &member, place, depth)?;
            }
        }
        Ok(Some(total))
    }

    /// A call or a result under a key of its own; its `type`, if any, adds no second constant.
    fn wrapped<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        place: &Place<'_, 'py>,
        depth: usize,
        cost: i64,
        is_typed: impl Fn(&Type) -> bool,
    ) -> PyResult<i64> {
        let found = self.builtin(value, place)?;
        let Ok(mapping) = found.cast::<PyDict>() else {
            return Ok(cost + self.content_at(&found, place, depth, false)?);
        };
        let block = self.read(mapping)?;
        let cost = if is_typed(&block.kind) { 0 } else { cost };
        Ok(cost + self.block(&block, place, depth)?)
    }

    // ---------------------------------------------------------------- JSON

    fn json_at<'py>(&self, value: &Bound<'py, PyAny>, place: &Place<'_, 'py>, depth: usize) -> PyResult<i64> {
        let mut json = self.measure.begin();
        self.write(&mut json, value, place, depth)?;
        Ok(json.quarters() as i64)
    }

    fn write<'py>(
        &self,
        json: &mut Json<'_>,
        value: &Bound<'py, PyAny>,
        place: &Place<'_, 'py>,
        depth: usize,
    ) -> PyResult<()> {
        if write_scalar(json, value)? {
            return Ok(());
        }
        self.check_depth(place, depth)?;
        if let Ok(mapping) = value.cast::<PyDict>() {
            return self.write_object(json, mapping, place, depth);
        }
        let is_items = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
        if !is_items {
            return self.write(json, &self.builtin(value, place)?, place, depth + 1);
        }
        json.ascii("[");
        let item = |item: &_, index| {
            json.ascii(comma(index));
            self.write(json, item, &place.at(index), depth + 1)
        };
        each_item(value, item)?;
        json.ascii("]");
        Ok(())
    }

    fn write_object<'py>(
        &self,
        json: &mut Json<'_>,
        mapping: &Bound<'py, PyDict>,
        place: &Place<'_, 'py>,
        depth: usize,
    ) -> PyResult<()> {
        let members: Vec<_> = mapping.iter().collect();
        json.ascii("{");
        for (index, (name, member)) in members.iter().enumerate() {
            json.ascii(comma(index));
            self.write_name(json, name, place)?;
            json.ascii(":");
            self.write(json, member, &place.under(name), depth + 1)?;
        }
        json.ascii("}");
        Ok(())
    }

    /// A member's name; JSON turns numbers, booleans and None into text.
    fn write_name<'py>(
        &self,
        json: &mut Json<'_>,
        name: &Bound<'py, PyAny>,
        place: &Place<'_, 'py>,
    ) -> PyResult<()> {
        if let Ok(name) = name.cast::<PyString>() {
            json.string(text::of_string(name)?);
            return Ok(());
        }
        if name.is_instance_of::<PyBytes>() {
            return Err(place.uncountable_key(name));
        }
        json.ascii("\"");
        if !write_scalar(json, name)? {
            return Err(place.uncountable_key(name));
        }
        json.ascii("\"");
        Ok(())
    }

    // ---------------------------------------------------------------- bounds and strangers

    /// The value itself, or the built-in one that stands for an object.
    fn builtin<'py>(&self, value: &Bound<'py, PyAny>, place: &Place<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
        if is_builtin(value) || value.is_instance_of::<PyDict>() {
            return Ok(value.clone());
        }
        let py = value.py();
        self.plain.bind(py).call1((value,)).map_err(|error| {
            if error.is_instance_of::<PyTypeError>(py) { place.uncountable(value) } else { error }
        })
    }

    #[inline]
    fn check_depth(&self, place: &Place<'_, '_>, depth: usize) -> PyResult<()> {
        if depth > self.max_depth { Err(place.too_deep(self.max_depth)) } else { Ok(()) }
    }
}

/// Run a walk, unless too many are under way further up the same stack.
fn within<T>(walk: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    thread_local!(static WALKS: Cell<usize> = const { Cell::new(0) });
    struct Left(usize);
    impl Drop for Left {
        fn drop(&mut self) {
            WALKS.set(self.0);
        }
    }
    let walks = WALKS.get();
    if walks >= WALKS_IN_WALKS {
        return Err(PyRecursionError::new_err("documents nest too deep inside documents"));
    }
    let _left = Left(walks);
    WALKS.set(walks + 1);
    walk()
}

/// Sum over the items of a list or tuple; None for anything else.
fn sum_items<'py>(
    value: &Bound<'py, PyAny>,
    mut count: impl FnMut(&Bound<'py, PyAny>, usize) -> PyResult<i64>,
) -> PyResult<Option<i64>> {
    let mut total = 0;
    let add = |item: &_, index| {
        total += count(item, index)?;
        Ok(())
    };
    Ok(each_item(value, add)?.then_some(total))
}

/// Do something with each item of a list or tuple; false for anything else.
fn each_item<'py>(
    value: &Bound<'py, PyAny>,
    mut see: impl FnMut(&Bound<'py, PyAny>, usize) -> PyResult<()>,
) -> PyResult<bool> {
    if let Ok(list) = value.cast::<PyList>() {
        for (index, item) in list.iter().enumerate() {
            see(&item, index)?;
        }
    } else if let Ok(tuple) = value.cast::<PyTuple>() {
        for (index, item) in tuple.iter_borrowed().enumerate() {
            see(&item, index)?;
        }
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// What stands before an item or a member.
fn comma(index: usize) -> &'static str {
    if index == 0 { "" } else { "," }
}

/// Write what nests nothing; false for anything else.
fn write_scalar(json: &mut Json<'_>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Some(text) = text::borrow(value)? {
        json.string(text);
    } else if value.is_none() {
        json.ascii("null");
    } else if let Ok(truth) = value.cast::<PyBool>() {
        json.ascii(if truth.is_true() { "true" } else { "false" });
    } else if let Ok(number) = value.cast::<PyInt>() {
        write_int(json, number)?;
    } else if let Ok(number) = value.cast::<PyFloat>() {
        json.float(number.value());
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// Write an integer; one that Python refuses to print counts as so many zeros.
fn write_int(json: &mut Json<'_>, number: &Bound<'_, PyInt>) -> PyResult<()> {
    if let Ok(small) = number.extract::<i64>() {
        json.int(small);
        return Ok(());
    }
    let py = number.py();
    let int = py.get_type::<PyInt>();
    // The type's own method: what JSON writes, also for an enumeration's members.
    if let Ok(printed) = int.call_method1("__repr__", (number,)) {
        json.ascii(printed.cast::<PyString>()?.to_str()?);
        return Ok(());
    }
    if number.lt(0)? {
        json.ascii("-");
    }
    let digits = digits(&int.call_method1("__abs__", (number,))?)?;
    json.ascii(&"0".repeat(digits as usize));
    Ok(())
}

/// How many decimal digits a large number has.
fn digits(size: &Bound<'_, PyAny>) -> PyResult<u64> {
    let py = size.py();
    let bits: u64 = size.call_method0("bit_length")?.extract()?;
    // The first guess is never too high, and at most one power of ten too low.
    let mut digits = ((bits - 1) as f64 * std::f64::consts::LOG10_2) as u64;
    let ten = 10u8.into_pyobject(py)?;
    while size.ge(ten.pow(digits, py.None())?)? {
        digits += 1;
    }
    Ok(digits)
}

/// Whether JSON has a form for the value's type, mappings apart.
fn is_builtin(value: &Bound<'_, PyAny>) -> bool {
    value.is_none()
        || value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyTuple>()
        || is_number(value)
}

/// Whether the value is a number, which a bool is in Python.
fn is_number(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>()
}
