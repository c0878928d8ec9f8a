//! Arrays in the memory of a device.

use std::sync::{Arc, PoisonError, RwLock};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use wavetank::Buffer;

use crate::error::{argument_error, error, raised};
use crate::host_array::{HostArray, Memory, imported, numpy};
use crate::shared::Shared;

/// An array in the memory of a device, with the shape and the type of elements that NumPy gives it, in the order of C.
///
/// `numpy.asarray(array)` is a view of the same memory: no copy is made. The memory is given back when neither the array nor a view
/// is left. Do not write to a view while a kernel runs that uses it.
#[pyclass(frozen, module = "wavetank")]
pub(crate) struct Array {
    device: Arc<Shared>,
    buffer: RwLock<Option<Buffer>>,
    shape: Vec<usize>,
    /// The type of elements, as an object of NumPy.
    dtype: Py<PyAny>,
    type_string: String,
    /// Kind and size of an element.
    pub element: (u8, usize),
}

impl Array {
    /// Returns a copy of an array of the host, or of what NumPy makes one of.
    pub(crate) fn copy_of(
        py: Python<'_>,
        device: &Arc<Shared>,
        values: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Array> {
        let keywords = PyDict::new(py);
        keywords.set_item("order", "C")?;
        let values = if values.is_instance_of::<Array>() {
            values.clone()
        } else {
            imported(values)?
        };
        let values = numpy(py)?.call_method("asarray", (values, dtype), Some(&keywords))?;
        let array = Array::like(py, device, &values)?;
        let host = plain(&values)?;
        array
            .get(py)?
            .write_at(0, host.bytes())
            .map_err(|e| raised(py, &e))?;
        Ok(array)
    }

    /// Returns an array of zeros.
    pub(crate) fn zeros(
        py: Python<'_>,
        device: &Arc<Shared>,
        shape: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Array> {
        let shape: Vec<usize> = shape
            .extract::<usize>()
            .map(|size| vec![size])
            .or_else(|_| shape.extract())?;
        let default = "float32".into_pyobject(py)?.into_any();
        let dtype = numpy(py)?.call_method1("dtype", (dtype.unwrap_or(&default),))?;
        Array::new(py, device, shape, &dtype)
    }

    /// Returns an array of zeros with the shape and the elements of an array of NumPy.
    fn like(py: Python<'_>, device: &Arc<Shared>, values: &Bound<'_, PyAny>) -> PyResult<Array> {
        let shape = values.getattr("shape")?.extract()?;
        Array::new(py, device, shape, &values.getattr("dtype")?)
    }

    fn new(
        py: Python<'_>,
        device: &Arc<Shared>,
        shape: Vec<usize>,
        dtype: &Bound<'_, PyAny>,
    ) -> PyResult<Array> {
        if dtype.getattr("hasobject")?.extract()? {
            let sentence = "an array of Python objects has no elements that a kernel can read: give it a dtype of numbers";
            return Err(argument_error(py, sentence));
        }
        if !dtype.getattr("isnative")?.extract::<bool>()? {
            let sentence = "the bytes of the elements are in the order of another machine: take a.astype(a.dtype.newbyteorder('='))";
            return Err(argument_error(py, sentence));
        }
        let item_size: usize = dtype.getattr("itemsize")?.extract()?;
        let kind: String = dtype.getattr("kind")?.extract()?;
        let count = shape
            .iter()
            .try_fold(item_size, |n, size| n.checked_mul(*size));
        let bytes = count.ok_or_else(|| argument_error(py, "the shape has too many elements"))?;
        let buffer = device.get(py)?.buffer_zeroed(bytes as u64);
        Ok(Array {
            device: device.clone(),
            buffer: RwLock::new(Some(buffer.map_err(|e| raised(py, &e))?)),
            shape,
            type_string: dtype.getattr("str")?.extract()?,
            dtype: dtype.clone().unbind(),
            element: (kind.bytes().next().unwrap_or(b'V'), item_size),
        })
    }

    /// Returns the memory.
    ///
    /// # Errors
    /// The array has been freed, or its device closed.
    pub(crate) fn get(&self, py: Python<'_>) -> PyResult<Buffer> {
        self.device.get(py)?;
        let buffer = self.buffer.read().unwrap_or_else(PoisonError::into_inner);
        let buffer = buffer.as_ref();
        Ok(buffer
            .ok_or_else(|| error(py, "the array has been freed"))?
            .clone())
    }

    /// Whether kernels of a device can reach the memory.
    pub(crate) fn is_of(&self, py: Python<'_>, device: &wavetank::Device) -> PyResult<bool> {
        Ok(self.get(py)?.is_of(device))
    }

    /// Returns a view of the memory.
    fn view<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let buffer = self.get(py)?;
        let address = buffer.address() as usize;
        let owner = Box::new(buffer);
        // SAFETY: addresses of a device are those of the host, and the buffer has the size of shape and elements.
        unsafe { Memory::view(py, address, &self.shape, &self.type_string, true, owner) }
    }
}

/// Returns an array of NumPy that is plain.
fn plain<'py>(values: &Bound<'py, PyAny>) -> PyResult<HostArray<'py>> {
    let host = HostArray::of(values)?.filter(HostArray::is_plain);
    host.ok_or_else(|| argument_error(values.py(), "its elements are not in the order of C"))
}

#[pymethods]
impl Array {
    /// The sizes in each dimension.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// The type of elements, `numpy.dtype`.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.dtype.bind(py).clone()
    }

    /// The number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// The number of dimensions.
    #[getter]
    fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// The size in bytes.
    #[getter]
    fn nbytes(&self) -> usize {
        self.size() * self.element.1
    }

    /// The device address of the first element, which is also that on the host.
    #[getter]
    fn address(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.get(py)?.address())
    }

    /// Whether the array has been freed.
    #[getter]
    fn freed(&self) -> bool {
        let buffer = self.buffer.read();
        buffer.unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Frees the memory now: the array raises `wavetank.Error` afterwards. Views that are left keep the memory until they end.
    fn free(&self) {
        let buffer = self.buffer.write();
        *buffer.unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Returns a copy of the elements as an array of NumPy.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.view(py)?.call_method0("copy")
    }

    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let view = self.view(py)?;
        let other = match dtype {
            Some(dtype) => !view.getattr("dtype")?.eq(dtype)?,
            None => false,
        };
        match (other, copy) {
            (true, Some(false)) => {
                let sentence = "another dtype needs a copy";
                Err(pyo3::exceptions::PyValueError::new_err(sentence))
            }
            (true, _) => view.call_method1("astype", (dtype,)),
            (false, Some(true)) => view.call_method0("copy"),
            (false, _) => Ok(view),
        }
    }

    /// Exports the memory for other libraries (DLPack), on the CPU.
    #[pyo3(signature = (**keywords))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.view(py)?.call_method("__dlpack__", (), keywords)
    }

    /// The device of DLPack: the CPU.
    fn __dlpack_device__(&self) -> (i32, i32) {
        (1, 0)
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = self.shape.first().copied();
        first.ok_or_else(|| {
            pyo3::exceptions::PyTypeError::new_err("len() of an array without dimensions")
        })
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.view(py)?.get_item(index)
    }

    fn __setitem__(
        &self,
        py: Python<'_>,
        index: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.view(py)?.set_item(index, values)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (shape, dtype) = (self.shape(py)?, self.dtype.bind(py));
        let freed = if self.freed() { ", freed" } else { "" };
        Ok(format!("Array(shape={shape}, dtype={dtype}{freed})"))
    }
}
