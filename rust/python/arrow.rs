//! Columns by the Arrow PyCapsule interface: a column of texts in, an int64 column out.
//!
//! The interface is three C structs whose layout never changes, so neither side needs a library.
//! Nothing here holds the interpreter's lock while it counts or waits for a stream.

use crate::arrow::{self, Column, Keys, Layout, Malformed};
use crate::measure::Measure;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;
use std::{mem, ptr, slice};

/// Arrow's format string of int64; unsigned numbers are refused by Spark.
const INT64: &CStr = c"l";
/// Arrow's flag for a field that may hold nulls.
const NULLABLE: i64 = 2;

/// Return the tokens of each entry of an Arrow column of texts, as an int64 column.
#[pyfunction]
pub(super) fn estimate_column(column: &Bound<'_, PyAny>) -> PyResult<TokenColumn> {
    measure_column(column, &Measure::Script)
}

/// The same by any measure.
pub(super) fn measure_column(column: &Bound<'_, PyAny>, measure: &Measure) -> PyResult<TokenColumn> {
    let py = column.py();
    // A stream first: what can be both may have many chunks and then refuses to be one array.
    let tokens = if let Some(export) = column.getattr_opt(intern!(py, "__arrow_c_stream__"))? {
        let stream = Owned::<ArrowArrayStream>::take(&export.call0()?)?;
        py.detach(move || of_stream(stream, measure))?
    } else if let Some(export) = column.getattr_opt(intern!(py, "__arrow_c_array__"))? {
        let (schema, array) = export.call0()?.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        let (schema, array) = (Owned::<ArrowSchema>::take(&schema)?, Owned::take(&array)?);
        py.detach(move || of_array(&array, &schema.0.kind()?, measure))?
    } else {
        return Err(no_column(column));
    };
    Ok(TokenColumn(Arc::new(Numbers::new(tokens))))
}

fn no_column(value: &Bound<'_, PyAny>) -> PyErr {
    match value.get_type().name() {
        Ok(name) => PyTypeError::new_err(format!(
            "column must be an Arrow column, an object with __arrow_c_stream__ or __arrow_c_array__ (got {name})"
        )),
        Err(error) => error,
    }
}

/// Tokens of all chunks of a stream; each chunk is released before the next is asked for.
fn of_stream(mut stream: Owned<ArrowArrayStream>, measure: &Measure) -> Result<Vec<i64>, Refusal> {
    let kind = stream.schema()?.0.kind()?;
    let mut tokens = Vec::new();
    while let Some(chunk) = stream.next()? {
        let more = of_array(&chunk, &kind, measure).map_err(|refusal| refusal.after(tokens.len()))?;
        tokens.extend(more);
    }
    Ok(tokens)
}

fn of_array(array: &Owned<ArrowArray>, kind: &Kind, measure: &Measure) -> Result<Vec<i64>, Refusal> {
    arrow::tokens(&array.0.column(kind)?, measure).map_err(Refusal::Row)
}

// ------------------------------------------------------------------ what a column may be

/// How a column keeps its texts.  Binary ones are read as UTF-8, so they are no kinds of their own.
enum Kind {
    Null,
    Offsets32,
    Offsets64,
    Views,
    Dictionary(KeyType, Box<Kind>),
}

/// The integers that point into a dictionary.
#[derive(Clone, Copy)]
enum KeyType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
}

impl Kind {
    fn of_format(format: &str) -> Option<Self> {
        Some(match format {
            "n" => Self::Null,
            "u" | "z" => Self::Offsets32,
            "U" | "Z" => Self::Offsets64,
            "vu" | "vz" => Self::Views,
            _ => return None,
        })
    }
}

impl KeyType {
    fn of_format(format: &str) -> Option<Self> {
        Some(match format {
            "c" => Self::I8,
            "C" => Self::U8,
            "s" => Self::I16,
            "S" => Self::U16,
            "i" => Self::I32,
            "I" => Self::U32,
            "l" => Self::I64,
            "L" => Self::U64,
            _ => return None,
        })
    }
}

/// Why a column is not counted; becomes an exception once the interpreter is back.
enum Refusal {
    /// Arrow's format string of what holds no texts.
    Format(String),
    /// A row that its buffers contradict.
    Row(Malformed),
    /// What the structs themselves must not say.
    Structs(&'static str),
    /// The message of a stream that failed.
    Stream(String),
}

impl Refusal {
    /// The same, seen from a stream that has had this many rows before.
    fn after(self, rows: usize) -> Self {
        match self {
            Self::Row(Malformed { row }) => Self::Row(Malformed { row: rows + row }),
            other => other,
        }
    }
}

impl From<Refusal> for PyErr {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Format(format) => {
                let remedy = if format == "+s" { "; pass one column of the table" } else { "" };
                PyTypeError::new_err(format!(
                    "column must hold strings: utf8, large_utf8, utf8_view, the binary types, a dictionary \
                     of one of these, or null (got Arrow format '{format}'{remedy})"
                ))
            }
            Refusal::Row(malformed) => PyValueError::new_err(malformed.to_string()),
            Refusal::Structs(reason) => PyValueError::new_err(format!("malformed Arrow column: {reason}")),
            Refusal::Stream(message) => {
                PyRuntimeError::new_err(format!("the column's stream failed: {message}"))
            }
        }
    }
}

// ------------------------------------------------------------------ Arrow's C interface

/// The type of an array.
#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Self,
    dictionary: *mut Self,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

/// One contiguous array, or a slice of one.
#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Self,
    dictionary: *mut Self,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

/// Arrays of one type, one after the other.
#[repr(C)]
struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut Self, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Self, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Self) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

/// A struct that holds resources until its own callback releases them.
trait Releasable: Sized {
    /// What a capsule with this struct is called.
    const CAPSULE: &'static CStr;

    /// A struct that holds nothing.
    const EMPTY: Self;

    /// The callback; None where nothing is held.
    fn callback(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
}

impl Releasable for ArrowSchema {
    const CAPSULE: &'static CStr = c"arrow_schema";
    const EMPTY: Self = Self {
        format: ptr::null(),
        name: ptr::null(),
        metadata: ptr::null(),
        flags: 0,
        n_children: 0,
        children: ptr::null_mut(),
        dictionary: ptr::null_mut(),
        release: None,
        private_data: ptr::null_mut(),
    };

    fn callback(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.release
    }
}

impl Releasable for ArrowArray {
    const CAPSULE: &'static CStr = c"arrow_array";
    const EMPTY: Self = Self {
        length: 0,
        null_count: 0,
        offset: 0,
        n_buffers: 0,
        n_children: 0,
        buffers: ptr::null_mut(),
        children: ptr::null_mut(),
        dictionary: ptr::null_mut(),
        release: None,
        private_data: ptr::null_mut(),
    };

    fn callback(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.release
    }
}

impl Releasable for ArrowArrayStream {
    const CAPSULE: &'static CStr = c"arrow_array_stream";
    const EMPTY: Self = Self {
        get_schema: None,
        get_next: None,
        get_last_error: None,
        release: None,
        private_data: ptr::null_mut(),
    };

    fn callback(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.release
    }
}

/// A struct that is ours to release, once.
///
/// It comes out of a capsule, from a stream, or from below, each time as its producer filled it:
/// what is read from it rests on the promises that Arrow's specification makes for that.
#[repr(transparent)]
struct Owned<T: Releasable>(T);

// SAFETY: by the specification a struct may be moved and released in any thread as long as only
// one uses it at a time.  Callbacks that need Python take the interpreter's lock themselves, since
// consumers such as Arrow's own libraries call them without.
unsafe impl<T: Releasable> Send for Owned<T> {}

impl<T: Releasable> Owned<T> {
    /// Move a struct out of its capsule, where nothing is left to release.
    fn take(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(T::CAPSULE))?;
        // SAFETY: a capsule of this name holds this struct, aligned, and belongs to us alone: it
        // was made for this call.  A copy whose original loses its callback is how one is moved.
        let taken = Self(unsafe { pointer.cast().replace(T::EMPTY) });
        if taken.0.callback().is_none() {
            return Err(PyValueError::new_err("the Arrow capsule was used before; ask for a new one"));
        }
        Ok(taken)
    }

    /// Let a callback fill a struct; None if it reports success but fills in nothing.
    fn filled(fill: impl FnOnce(*mut T) -> c_int) -> Result<Option<Self>, c_int> {
        let mut filled = Self(T::EMPTY);
        match fill(&raw mut filled.0) {
            0 => Ok(filled.0.callback().is_some().then_some(filled)),
            code => {
                // Whatever a failing callback left there is not ours to release.
                mem::forget(filled);
                Err(code)
            }
        }
    }
}

impl<T: Releasable> Drop for Owned<T> {
    fn drop(&mut self) {
        if let Some(release) = self.0.callback() {
            // SAFETY: whoever releases this struct or moves it away also takes its callback away,
            // so this is the one release of what the producer filled in.
            unsafe { release(&raw mut self.0) };
        }
    }
}

impl ArrowSchema {
    fn kind(&self) -> Result<Kind, Refusal> {
        if self.format.is_null() {
            return Err(Refusal::Structs("its schema has no format"));
        }
        // SAFETY: not null, hence a C string that lives as long as the schema.
        let format = unsafe { CStr::from_ptr(self.format) }.to_string_lossy();
        // SAFETY: null, or a schema that this one owns and that lives as long.
        let kind = match unsafe { self.dictionary.as_ref() } {
            None => Kind::of_format(&format),
            Some(values) => {
                let values = values.kind()?;
                KeyType::of_format(&format).map(|keys| Kind::Dictionary(keys, values.into()))
            }
        };
        kind.ok_or_else(|| Refusal::Format(format.into_owned()))
    }
}

impl ArrowArray {
    /// The rows of this array, which has to be of this kind.
    fn column(&self, kind: &Kind) -> Result<Column<'_>, Refusal> {
        let (start, rows) = (size(self.offset)?, size(self.length)?);
        let end = start.checked_add(rows).ok_or(Refusal::Structs("its length is too large"))?;
        if rows == 0 {
            // An empty array need not have any buffers.
            return Ok(Column { layout: Layout::Null, validity: None, start: 0, rows: 0 });
        }
        let buffers = self.buffers(kind)?;
        // SAFETY: these are the buffers of an array of this kind, in the specification's order,
        // and as long as `end` rows need; the last offset says how long the texts are together.
        let layout = unsafe {
            match kind {
                Kind::Null => Layout::Null,
                Kind::Offsets32 => {
                    let offsets = borrow(buffers[1], end + 1)?;
                    let length = size(i32::from_ne_bytes(offsets[end]))?;
                    Layout::Offsets32(offsets, borrow_items(buffers[2].cast(), length)?)
                }
                Kind::Offsets64 => {
                    let offsets = borrow(buffers[1], end + 1)?;
                    let length = size(i64::from_ne_bytes(offsets[end]))?;
                    Layout::Offsets64(offsets, borrow_items(buffers[2].cast(), length)?)
                }
                Kind::Views => Layout::Views(borrow(buffers[1], end)?, texts_of_views(&buffers[2..])?),
                Kind::Dictionary(keys, values) => {
                    let values = self.values()?.column(values)?;
                    Layout::Dictionary(borrow_keys(*keys, buffers[1], end)?, values.into())
                }
            }
        };
        Ok(Column { layout, validity: self.validity(buffers, end)?, start, rows })
    }

    /// The pointers to this array's buffers; the first is that of the validity, if the kind has one.
    fn buffers(&self, kind: &Kind) -> Result<&[*const c_void], Refusal> {
        let wanted = match kind {
            Kind::Null => 0..=0,
            Kind::Dictionary(..) => 2..=2,
            Kind::Offsets32 | Kind::Offsets64 => 3..=3,
            Kind::Views => 3..=i64::MAX, // validity, views, any number of texts, their lengths
        };
        if !wanted.contains(&self.n_buffers) {
            return Err(Refusal::Structs("it has the wrong number of buffers"));
        }
        // SAFETY: the array says that it has so many pointers there; they live as long as it does.
        Ok(unsafe { borrow_items(self.buffers.cast_const(), size(self.n_buffers)?)? })
    }

    fn validity(&self, buffers: &[*const c_void], end: usize) -> Result<Option<&[u8]>, Refusal> {
        match buffers.first() {
            Some(bits) if !bits.is_null() && self.null_count != 0 => {
                // SAFETY: a bit for each row up to the end.
                Ok(Some(unsafe { borrow_items(bits.cast(), end.div_ceil(8))? }))
            }
            _ => Ok(None),
        }
    }

    /// The dictionary.
    fn values(&self) -> Result<&Self, Refusal> {
        // SAFETY: null, or an array that this one owns and that lives as long.
        unsafe { self.dictionary.as_ref() }.ok_or(Refusal::Structs("it has no dictionary"))
    }
}

impl Owned<ArrowArrayStream> {
    fn schema(&mut self) -> Result<Owned<ArrowSchema>, Refusal> {
        let get = self.0.get_schema.ok_or(Refusal::Structs("its stream has no schema"))?;
        // SAFETY: a stream that is not released, used by this thread alone, and a place to fill.
        let schema = Owned::filled(|place| unsafe { get(&raw mut self.0, place) });
        schema.map_err(|code| self.failure(code))?.ok_or(Refusal::Structs("its stream gave no schema"))
    }

    /// The next chunk; None at the end.
    fn next(&mut self) -> Result<Option<Owned<ArrowArray>>, Refusal> {
        let get = self.0.get_next.ok_or(Refusal::Structs("its stream has no chunks"))?;
        // SAFETY: as for the schema.
        let chunk = Owned::filled(|place| unsafe { get(&raw mut self.0, place) });
        chunk.map_err(|code| self.failure(code))
    }

    fn failure(&mut self, code: c_int) -> Refusal {
        // SAFETY: the call right before this one failed, which is when a message may be asked for.
        let message = self.0.get_last_error.map(|get| unsafe { get(&raw mut self.0) });
        let Some(message) = message.filter(|message| !message.is_null()) else {
            return Refusal::Stream(std::io::Error::from_raw_os_error(code).to_string());
        };
        // SAFETY: a C string that stays until the stream is next called; it is copied here.
        let message = unsafe { CStr::from_ptr(message) };
        Refusal::Stream(message.to_string_lossy().into_owned())
    }
}

/// Borrow a buffer of numbers as bytes, which have no alignment to get wrong.
///
/// # Safety
///
/// Unless null, the buffer holds so many numbers of this width for as long as the result is used.
unsafe fn borrow<'a, const WIDTH: usize>(
    buffer: *const c_void,
    numbers: usize,
) -> Result<&'a [[u8; WIDTH]], Refusal> {
    // SAFETY: passed on to the caller.
    unsafe { borrow_items(buffer.cast(), numbers) }
}

/// # Safety
///
/// Unless null, there are so many aligned items for as long as the result is used.
unsafe fn borrow_items<'a, T>(items: *const T, count: usize) -> Result<&'a [T], Refusal> {
    if count == 0 {
        return Ok(&[]);
    }
    let bytes = count.checked_mul(size_of::<T>()).filter(|&bytes| isize::try_from(bytes).is_ok());
    if items.is_null() || bytes.is_none() {
        return Err(Refusal::Structs("a buffer is missing or too large"));
    }
    // SAFETY: not null and no larger than a slice may be; the rest is the caller's promise.
    Ok(unsafe { slice::from_raw_parts(items, count) })
}

/// # Safety
///
/// As for [`borrow`], with numbers of this type.
unsafe fn borrow_keys<'a>(keys: KeyType, buffer: *const c_void, count: usize) -> Result<Keys<'a>, Refusal> {
    // SAFETY: passed on to the caller.
    unsafe {
        Ok(match keys {
            KeyType::I8 => Keys::I8(borrow(buffer, count)?),
            KeyType::U8 => Keys::U8(borrow(buffer, count)?),
            KeyType::I16 => Keys::I16(borrow(buffer, count)?),
            KeyType::U16 => Keys::U16(borrow(buffer, count)?),
            KeyType::I32 => Keys::I32(borrow(buffer, count)?),
            KeyType::U32 => Keys::U32(borrow(buffer, count)?),
            KeyType::I64 => Keys::I64(borrow(buffer, count)?),
            KeyType::U64 => Keys::U64(borrow(buffer, count)?),
        })
    }
}

/// The buffers that views point into; the last pointer is to their lengths.
///
/// # Safety
///
/// The pointers are those of an array of views, from the third on; it outlives the result.
unsafe fn texts_of_views<'a>(pointers: &[*const c_void]) -> Result<Vec<&'a [u8]>, Refusal> {
    let Some((lengths, texts)) = pointers.split_last() else { return Ok(Vec::new()) };
    // SAFETY: an int64 for each of these buffers, which is as long as it says.
    unsafe {
        let lengths = borrow(*lengths, texts.len())?;
        let text = |(text, length): (&*const c_void, &[u8; 8])| {
            borrow_items(text.cast(), size(i64::from_ne_bytes(*length))?)
        };
        texts.iter().zip(lengths).map(text).collect()
    }
}

fn size(number: impl TryInto<usize>) -> Result<usize, Refusal> {
    number.try_into().map_err(|_| Refusal::Structs("a length or offset is negative or too large"))
}

// ------------------------------------------------------------------ the result

/// Tokens of each entry of a column: an int64 Arrow column, null where the entry was null.
#[pyclass(frozen, module = "longturn._core")]
pub(super) struct TokenColumn(Arc<Numbers>);

struct Numbers {
    tokens: Vec<i64>,
    /// A bit for each row, 0 for null; None if there are no nulls.
    validity: Option<Vec<u8>>,
    nulls: usize,
}

impl Numbers {
    fn new(mut tokens: Vec<i64>) -> Self {
        match arrow::split_nulls(&mut tokens) {
            Some((validity, nulls)) => Self { tokens, validity: Some(validity), nulls },
            None => Self { tokens, validity: None, nulls: 0 },
        }
    }
}

#[pymethods]
impl TokenColumn {
    fn __len__(&self) -> usize {
        self.0.tokens.len()
    }

    /// Return capsules with the schema and the array; always int64, whatever is requested.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        Ok((capsule(py, schema_of_tokens())?, capsule(py, array_of(&self.0))?))
    }

    /// Return a capsule with a stream of one array; always int64, whatever is requested.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        capsule(py, stream_of(&self.0))
    }
}

fn capsule<T: Releasable + 'static>(py: Python<'_>, content: T) -> PyResult<Bound<'_, PyCapsule>> {
    // Released with the capsule, unless a consumer has moved it out.
    PyCapsule::new_with_value(py, Owned(content), T::CAPSULE)
}

fn schema_of_tokens() -> ArrowSchema {
    ArrowSchema {
        format: INT64.as_ptr(),
        name: c"".as_ptr(),
        flags: NULLABLE,
        release: Some(release_schema),
        ..ArrowSchema::EMPTY
    }
}

/// What an exported array keeps alive.
struct Exported {
    buffers: [*const c_void; 2],
    _numbers: Arc<Numbers>,
}

fn array_of(numbers: &Arc<Numbers>) -> ArrowArray {
    let validity = numbers.validity.as_ref().map_or(ptr::null(), |bits| bits.as_ptr().cast());
    let buffers = [validity, numbers.tokens.as_ptr().cast()];
    let exported = Box::into_raw(Box::new(Exported { buffers, _numbers: Arc::clone(numbers) }));
    ArrowArray {
        length: numbers.tokens.len() as i64,
        null_count: numbers.nulls as i64,
        n_buffers: buffers.len() as i64,
        // SAFETY: only the address of a field of the box is taken.
        buffers: unsafe { &raw mut (*exported).buffers }.cast(),
        release: Some(release_array),
        private_data: exported.cast(),
        ..ArrowArray::EMPTY
    }
}

fn stream_of(numbers: &Arc<Numbers>) -> ArrowArrayStream {
    let rest = Some(Arc::clone(numbers));
    ArrowArrayStream {
        get_schema: Some(give_schema),
        get_next: Some(give_next),
        get_last_error: Some(give_no_error),
        release: Some(release_stream),
        private_data: Box::into_raw(Box::new(rest)).cast(),
    }
}

// Consumers call these with a struct from above, whole and not yet released, or a place to fill.
// None of them needs the interpreter: what they drop is memory of this library.

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: all it points to is static, so losing its callback is all of its release.
    unsafe { (*schema).release = None };
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: `array_of` made the box; without a callback it is not dropped twice.
    unsafe {
        drop(Box::from_raw((*array).private_data.cast::<Exported>()));
        (*array).release = None;
    }
}

unsafe extern "C" fn give_schema(_: *mut ArrowArrayStream, place: *mut ArrowSchema) -> c_int {
    // SAFETY: a place to fill, whose former content is nobody's.
    unsafe { place.write(schema_of_tokens()) };
    0
}

unsafe extern "C" fn give_next(stream: *mut ArrowArrayStream, place: *mut ArrowArray) -> c_int {
    // SAFETY: `stream_of` made the box, and only one thread at a time uses a stream; the place as above.
    unsafe {
        let rest = &mut *(*stream).private_data.cast::<Option<Arc<Numbers>>>();
        place.write(rest.take().map_or(ArrowArray::EMPTY, |numbers| array_of(&numbers)));
    }
    0
}

unsafe extern "C" fn give_no_error(_: *mut ArrowArrayStream) -> *const c_char {
    ptr::null() // nothing above fails
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: `stream_of` made the box; without a callback it is not dropped twice.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<Option<Arc<Numbers>>>()));
        (*stream).release = None;
    }
}
