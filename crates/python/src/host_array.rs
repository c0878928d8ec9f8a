//! Arrays of the host, through NumPy's array interface.
//!
//! The buffer protocol is in the stable ABI of Python only from 3.11 on. NumPy's `__array_struct__` (NumPy manual, *The array interface
//! protocol*) says the same, for arrays and for scalars.

use std::ffi::{c_char, c_int, c_void};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCapsule, PyModule};

use crate::error::argument_error;

/// Flags of the interface.
const C_CONTIGUOUS: c_int = 0x1;
const ALIGNED: c_int = 0x100;
const NOT_SWAPPED: c_int = 0x200;
const WRITEABLE: c_int = 0x400;

/// The structure behind the capsule.
#[repr(C)]
struct Interface {
    /// Always 2, as a check.
    two: c_int,
    dimensions: c_int,
    kind: c_char,
    item_size: c_int,
    flags: c_int,
    shape: *const isize,
    strides: *const isize,
    data: *mut c_void,
    description: *mut c_void,
}

/// An array or scalar of the host, whose memory stays while this exists.
pub(crate) struct HostArray<'py> {
    _owner: Bound<'py, PyAny>,
    /// The kind of an element: `i`, `u`, `f`, `b`, `c`, `V` and others (NumPy manual, *typestr*).
    pub kind: u8,
    /// The size of an element in bytes.
    pub item_size: usize,
    /// The sizes in each dimension; none for a scalar.
    pub shape: Vec<usize>,
    flags: c_int,
    data: *mut u8,
}

impl<'py> HostArray<'py> {
    /// Returns the array behind an object; `None` if it has no array interface.
    ///
    /// # Errors
    /// Those of the object.
    pub(crate) fn of(object: &Bound<'py, PyAny>) -> PyResult<Option<HostArray<'py>>> {
        let py = object.py();
        let Ok(capsule) = object.getattr(pyo3::intern!(py, "__array_struct__")) else {
            return Ok(None);
        };
        let capsule = capsule.cast_into::<PyCapsule>()?;
        let pointer = capsule.pointer_checked(None)?.cast::<Interface>();
        // SAFETY: a capsule with this attribute's name holds an `Interface` (NumPy manual, *C-struct access*), which lives as long
        // as the capsule.
        let interface = unsafe { pointer.as_ref() };
        if interface.two != 2 {
            return Err(argument_error(py, "its array interface is damaged"));
        }
        let dimensions = usize::try_from(interface.dimensions).unwrap_or(0);
        let mut shape = Vec::with_capacity(dimensions);
        for n in 0..dimensions {
            // SAFETY: the interface has as many sizes as dimensions.
            let size = unsafe { *interface.shape.add(n) };
            shape.push(usize::try_from(size).unwrap_or(0));
        }
        Ok(Some(HostArray {
            kind: interface.kind as u8,
            item_size: usize::try_from(interface.item_size).unwrap_or(0),
            shape,
            flags: interface.flags,
            data: interface.data.cast(),
            // The capsule keeps the array.
            _owner: capsule.into_any(),
        }))
    }

    /// Returns the size of all elements in bytes.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product::<usize>() * self.item_size
    }

    /// Returns the address of the first element.
    pub(crate) fn address(&self) -> usize {
        self.data as usize
    }

    /// Whether the elements may be written.
    pub(crate) fn is_writeable(&self) -> bool {
        self.flags & WRITEABLE != 0
    }

    /// Whether the elements are side by side in the order of C, and their bytes in the order of this machine.
    pub(crate) fn is_plain(&self) -> bool {
        let plain = C_CONTIGUOUS | ALIGNED | NOT_SWAPPED;
        self.flags & plain == plain
    }

    /// The bytes of a plain array.
    pub(crate) fn bytes(&self) -> &[u8] {
        if self.len() == 0 {
            return &[];
        }
        // SAFETY: the array is plain, so that its elements fill this memory, and its owner keeps it. Code that changes an array while
        // others read it races in NumPy too.
        unsafe { std::slice::from_raw_parts(self.data, self.len()) }
    }

    /// The bytes of a plain array that may be written.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        if self.len() == 0 || !self.is_writeable() {
            return &mut [];
        }
        // SAFETY: as above, and the array says that it may be written.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.len()) }
    }

    /// Returns the type of an element in words: `float32`.
    pub(crate) fn type_name(&self) -> String {
        let bits = 8 * self.item_size;
        match self.kind {
            b'i' => format!("int{bits}"),
            b'u' => format!("uint{bits}"),
            b'f' => format!("float{bits}"),
            b'c' => format!("complex{bits}"),
            b'b' => "bool".to_owned(),
            _ => format!("{}-byte elements", self.item_size),
        }
    }
}

/// Returns an array of another library (DLPack) as one of NumPy, of the same memory; any other object as it is.
///
/// # Errors
/// An array that is not in memory of the host, or whose elements NumPy does not have.
pub(crate) fn imported<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let is_foreign = object.hasattr(pyo3::intern!(py, "__dlpack__"))?
        && !object.hasattr(pyo3::intern!(py, "__array_struct__"))?
        && !object.is_instance_of::<pyo3::types::PyType>();
    if !is_foreign {
        return Ok(object.clone());
    }
    PyModule::import(py, "wavetank._dlpack")?.call_method1("imported", (object,))
}

/// Returns the module NumPy.
pub(crate) fn numpy(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = NUMPY.get_or_try_init(py, || PyModule::import(py, "numpy").map(Bound::unbind))?;
    Ok(module.bind(py))
}

/// Memory of this library as an array of NumPy sees it: NumPy keeps this object as the base of the array.
#[pyclass(frozen, module = "wavetank._wavetank")]
pub(crate) struct Memory {
    address: usize,
    shape: Vec<usize>,
    type_string: String,
    writeable: bool,
    /// Keeps the memory.
    _owner: Box<dyn Send + Sync>,
}

impl Memory {
    /// Returns a view without a copy.
    ///
    /// # Safety
    /// `address` must be that of so many elements, which stay as long as the owner.
    pub(crate) unsafe fn view<'py>(
        py: Python<'py>,
        address: usize,
        shape: &[usize],
        type_string: &str,
        writeable: bool,
        owner: Box<dyn Send + Sync>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let memory = Memory {
            address,
            shape: shape.to_vec(),
            type_string: type_string.to_owned(),
            writeable,
            _owner: owner,
        };
        numpy(py)?.call_method1("asarray", (memory,))
    }
}

#[pymethods]
impl Memory {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let interface = pyo3::types::PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", pyo3::types::PyTuple::new(py, &self.shape)?)?;
        interface.set_item("typestr", &self.type_string)?;
        interface.set_item("data", (self.address, !self.writeable))?;
        Ok(interface.into_any())
    }
}

/// Returns a new array with a copy of some elements.
pub(crate) fn array_of<'py, T: bytemuck::NoUninit>(
    py: Python<'py>,
    elements: &[T],
    type_name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let array = numpy(py)?.call_method1("empty", (elements.len(), type_name))?;
    if let Some(mut host) = HostArray::of(&array)? {
        host.bytes_mut()
            .copy_from_slice(bytemuck::cast_slice(elements));
    }
    Ok(array)
}
