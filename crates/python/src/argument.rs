//! Arguments of launches: from objects of Python to values of the kernel's types.

use half::f16;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt};
use wavetank::object::{Access, Arg as Metadata, ArgKind};
use wavetank::{Arg, Buffer, Device};

use crate::array::Array;
use crate::error::{argument_error, raised};
use crate::host_array::{HostArray, imported, numpy};
use crate::host_memory::HostMemory;

/// What an argument of a kernel takes, by its metadata.
pub(crate) struct Parameter {
    kind: ArgKind,
    size: u32,
    /// The type of the value, or of the elements behind a pointer, if it is one of numbers.
    scalar: Option<Scalar>,
    /// Whether the kernel only reads the memory behind the pointer.
    is_read_only: bool,
    /// Type and name for messages: `float* x`.
    shown: String,
}

/// A type of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Scalar {
    class: Class,
    size: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Signed,
    Unsigned,
    Float,
}

impl Scalar {
    /// Returns the type with a name in OpenCL; a vector's is that of its elements.
    fn named(name: &str) -> Option<Scalar> {
        let name = name.trim().trim_end_matches(|c: char| c.is_ascii_digit());
        let (class, size) = match name {
            "char" => (Class::Signed, 1),
            "uchar" | "bool" => (Class::Unsigned, 1),
            "short" => (Class::Signed, 2),
            "ushort" => (Class::Unsigned, 2),
            "int" => (Class::Signed, 4),
            "uint" => (Class::Unsigned, 4),
            "long" => (Class::Signed, 8),
            "ulong" => (Class::Unsigned, 8),
            "half" => (Class::Float, 2),
            "float" => (Class::Float, 4),
            "double" => (Class::Float, 8),
            _ => return None,
        };
        Some(Scalar { class, size })
    }

    /// Whether an array with these elements fits. Signs do not matter, and structures are not compared.
    fn takes(self, kind: u8, item_size: usize) -> bool {
        match kind {
            b'f' => self.class == Class::Float && self.size == item_size,
            b'i' | b'u' | b'b' => self.class != Class::Float && self.size == item_size,
            b'c' => self.class == Class::Float && 2 * self.size == item_size,
            _ => true,
        }
    }
}

impl Parameter {
    pub(crate) fn of(number: usize, arg: &Metadata) -> Parameter {
        let ty = arg.type_name.as_deref();
        let pointee = ty.and_then(|ty| ty.trim().strip_suffix('*'));
        let shown_type = ty.unwrap_or_else(|| arg.kind.as_str());
        let name = arg.name.as_deref().unwrap_or_default();
        Parameter {
            kind: arg.kind,
            size: arg.size,
            scalar: pointee.or(ty).and_then(Scalar::named),
            is_read_only: arg.is_const || arg.actual_access == Some(Access::ReadOnly),
            shown: format!(
                "argument {number} `{}`",
                format!("{shown_type} {name}").trim()
            ),
        }
    }
}

/// The arguments of a launch, with the arrays of the host that are copied back.
pub(crate) struct Arguments<'py> {
    pub values: Vec<Arg>,
    copied: Vec<Copied<'py>>,
}

/// An array of the host with its copy on the device.
struct Copied<'py> {
    /// The array as it was given.
    given: Bound<'py, PyAny>,
    /// The array, or a plain copy of it.
    host: HostArray<'py>,
    /// The plain copy, if there is one.
    copy: Option<Bound<'py, PyAny>>,
    buffer: Buffer,
    is_read_only: bool,
    shown: String,
}

impl<'py> Arguments<'py> {
    pub(crate) fn new() -> Arguments<'py> {
        Arguments {
            values: Vec::new(),
            copied: Vec::new(),
        }
    }

    /// Adds the next argument. Without a parameter, the code object does not list arguments: values need types of their own.
    ///
    /// # Errors
    /// An object that does not fit, as a clause for a sentence that begins with the kernel.
    pub(crate) fn add(
        &mut self,
        object: &Bound<'py, PyAny>,
        parameter: Option<&Parameter>,
        device: &Device,
    ) -> PyResult<Result<(), String>> {
        let py = object.py();
        let shown = parameter.map_or("an argument", |parameter| &parameter.shown);
        let wrong = |what: &str| Ok(Err(format!("has {shown}, which {what}")));
        if let Ok(array) = object.cast::<Array>() {
            let array = array.get();
            if let Some(parameter) = parameter {
                let (kind, size) = array.element;
                if let Err(what) = fits_pointer(parameter, kind, size, || array_type(kind, size)) {
                    return wrong(&what);
                }
            }
            let buffer = array.get(py)?;
            if !array.is_of(py, device)? {
                return wrong("was given an array of another device");
            }
            self.values.push(Arg::Buffer(buffer));
            return Ok(Ok(()));
        }
        if let Ok(memory) = object.cast::<HostMemory>() {
            return match memory.get().address_on(device) {
                Ok(address) => {
                    self.values.push(Arg::Pointer(address));
                    Ok(Ok(()))
                }
                Err(what) => wrong(what),
            };
        }
        if let Some(parameter) = parameter {
            match plain_value(object, parameter)? {
                Some(Ok(value)) => {
                    self.values.push(value);
                    return Ok(Ok(()));
                }
                Some(Err(what)) => return wrong(&what),
                None => {}
            }
        }
        let object = &imported(object)?;
        let Some(host) = HostArray::of(object)? else {
            let class = object.get_type().name()?;
            return wrong(&match parameter {
                Some(_) => format!("cannot be made of a value of the class `{class}`"),
                None => format!(
                    "was given a value of the class `{class}`: this code object does not list its arguments, so give each a type, such as numpy.uint32(7)"
                ),
            });
        };
        let by_value = match parameter {
            Some(parameter) => parameter.kind == ArgKind::ByValue,
            None => host.shape.is_empty(),
        };
        if by_value || host.shape.is_empty() {
            return match value_of(&host, by_value) {
                Ok(value) => {
                    self.values.push(value);
                    Ok(Ok(()))
                }
                Err(what) => wrong(&what),
            };
        }
        if let Some(parameter) = parameter
            && let Err(what) =
                fits_pointer(parameter, host.kind, host.item_size, || host.type_name())
        {
            return wrong(&what);
        }
        let is_read_only = parameter.is_some_and(|parameter| parameter.is_read_only);
        self.add_host(object, host, is_read_only, shown, device)
    }

    /// Adds an array of the host: a copy of it, which is copied back after the launch.
    fn add_host(
        &mut self,
        given: &Bound<'py, PyAny>,
        host: HostArray<'py>,
        is_read_only: bool,
        shown: &str,
        device: &Device,
    ) -> PyResult<Result<(), String>> {
        let py = given.py();
        if host.kind == b'O' {
            return Ok(Err(format!("has {shown}, which was given Python objects")));
        }
        let range = host.address()..host.address() + host.len();
        for other in &mut self.copied {
            let (first, end) = (
                other.host.address(),
                other.host.address() + other.host.len(),
            );
            if other.copy.is_none() && (first, end) == (range.start, range.end) && first < end {
                // An array that is given twice is one piece of memory.
                self.values.push(Arg::Buffer(other.buffer.clone()));
                other.is_read_only &= is_read_only;
                return Ok(Ok(()));
            }
            if other.copy.is_none() && first < range.end && range.start < end {
                return Ok(Err(format!(
                    "has {shown}, whose memory overlaps that of another: put both into one array of the device"
                )));
            }
        }
        let (host, copy) = if host.is_plain() {
            (host, None)
        } else {
            let native = given
                .getattr("dtype")?
                .call_method1("newbyteorder", ("=",))?;
            let keywords = PyDict::new(py);
            keywords.set_item("dtype", native)?;
            keywords.set_item("order", "C")?;
            let copy = numpy(py)?.call_method("array", (given,), Some(&keywords))?;
            let Some(host) = HostArray::of(&copy)? else {
                return Err(argument_error(py, "NumPy made no array"));
            };
            (host, Some(copy))
        };
        let buffer = device
            .buffer_from(host.bytes())
            .map_err(|e| raised(py, &e))?;
        self.values.push(Arg::Buffer(buffer.clone()));
        self.copied.push(Copied {
            given: given.clone(),
            host,
            copy,
            buffer,
            is_read_only,
            shown: shown.to_owned(),
        });
        Ok(Ok(()))
    }

    /// Copies the arrays of the host back, after the kernel has run.
    ///
    /// # Errors
    /// The kernel has written to an array that may not be written.
    pub(crate) fn copy_back(self, py: Python<'_>, kernel: &str) -> PyResult<()> {
        for mut copied in self.copied {
            if copied.is_read_only {
                continue;
            }
            let given: bool = match &copied.copy {
                Some(_) => copied
                    .given
                    .getattr("flags")?
                    .getattr("writeable")?
                    .extract()?,
                None => copied.host.is_writeable(),
            };
            if !given {
                let bytes: Vec<u8> = copied.buffer.read().map_err(|e| raised(py, &e))?;
                if bytes != copied.host.bytes() {
                    let shown = &copied.shown;
                    let sentence = format!(
                        "kernel `{kernel}` has written to {shown}, and the array that was given is read-only: give a copy"
                    );
                    return Err(argument_error(py, sentence));
                }
                continue;
            }
            let read = copied.buffer.read_at(0, copied.host.bytes_mut());
            read.map_err(|e| raised(py, &e))?;
            if let Some(copy) = &copied.copy {
                numpy(py)?.call_method1("copyto", (&copied.given, copy))?;
            }
        }
        Ok(())
    }
}

/// Checks elements behind a pointer.
fn fits_pointer(
    parameter: &Parameter,
    kind: u8,
    item_size: usize,
    shown: impl Fn() -> String,
) -> Result<(), String> {
    if matches!(
        parameter.kind,
        ArgKind::ByValue | ArgKind::DynamicSharedPointer
    ) {
        return Err("takes a number, and was given an array".to_owned());
    }
    match parameter.scalar {
        Some(scalar) if !scalar.takes(kind, item_size) => {
            Err(format!("was given an array of {}", shown()))
        }
        _ => Ok(()),
    }
}

/// Returns the type of elements in words.
fn array_type(kind: u8, size: usize) -> String {
    let name = match kind {
        b'i' => "int",
        b'u' => "uint",
        b'f' => "float",
        b'c' => "complex",
        b'b' => return "bool".to_owned(),
        _ => return format!("{size}-byte elements"),
    };
    format!("{name}{}", 8 * size)
}

/// Returns the value of a number of Python, of `None`, or of bytes; `None` for other objects.
fn plain_value(
    object: &Bound<'_, PyAny>,
    parameter: &Parameter,
) -> PyResult<Option<Result<Arg, String>>> {
    let is_pointer = !matches!(
        parameter.kind,
        ArgKind::ByValue | ArgKind::DynamicSharedPointer
    );
    if object.is_none() {
        return Ok(Some(if is_pointer {
            Ok(Arg::Pointer(0))
        } else {
            Err("takes a number, and was given None".to_owned())
        }));
    }
    if object.is_exact_instance_of::<PyInt>() || object.is_exact_instance_of::<PyBool>() {
        let Ok(number) = object.extract::<i128>() else {
            return Ok(Some(Err("was given a number that is too large".to_owned())));
        };
        if parameter.scalar.is_some_and(|s| s.class == Class::Float) && !is_pointer {
            return Ok(Some(float(number as f64, parameter)));
        }
        return Ok(Some(integer(number, parameter, is_pointer)));
    }
    if object.is_exact_instance_of::<PyFloat>() {
        let number: f64 = object.extract()?;
        return Ok(Some(match parameter.scalar {
            _ if parameter.kind != ArgKind::ByValue => Err("was given a float".to_owned()),
            Some(scalar) if scalar.class != Class::Float => Err("was given a float".to_owned()),
            _ => float(number, parameter),
        }));
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(Some(match parameter.kind {
            ArgKind::ByValue => Ok(Arg::Bytes(bytes.as_bytes().to_vec())),
            _ => Err("was given bytes".to_owned()),
        }));
    }
    Ok(None)
}

/// Returns a number as a float of the parameter's size.
fn float(number: f64, parameter: &Parameter) -> Result<Arg, String> {
    match parameter.size {
        2 => Ok(Arg::F16(f16::from_f64(number).to_bits())),
        4 => Ok(Arg::F32(number as f32)),
        8 => Ok(Arg::F64(number)),
        size => Err(format!("takes {size} bytes, and was given a float")),
    }
}

/// Returns a number as an integer of the parameter's size, as an address, or as a size of LDS.
fn integer(number: i128, parameter: &Parameter, is_pointer: bool) -> Result<Arg, String> {
    let out_of_range = || format!("was given {number}, which does not fit");
    if parameter.kind == ArgKind::DynamicSharedPointer {
        return u32::try_from(number)
            .map(Arg::Lds)
            .map_err(|_| out_of_range());
    }
    if is_pointer {
        return u64::try_from(number)
            .map(Arg::Pointer)
            .map_err(|_| out_of_range());
    }
    if !matches!(parameter.size, 1 | 2 | 4 | 8) {
        let size = parameter.size;
        return Err(format!(
            "takes {size} bytes: give bytes or an array of NumPy"
        ));
    }
    let bits = 8 * parameter.size;
    let class = parameter.scalar.map(|scalar| scalar.class);
    let least = match class {
        Some(Class::Unsigned) => 0,
        _ => -(1i128 << (bits - 1)),
    };
    let most = match class {
        Some(Class::Signed) => (1i128 << (bits - 1)) - 1,
        _ => (1i128 << bits) - 1,
    };
    if !(least..=most).contains(&number) {
        return Err(out_of_range());
    }
    // The low bits are those of a negative number, too.
    Ok(match parameter.size {
        1 => Arg::U8(number as u8),
        2 => Arg::U16(number as u16),
        4 => Arg::U32(number as u32),
        _ => Arg::U64(number as u64),
    })
}

/// Returns the value of a scalar of NumPy, or of a small array that is passed by value.
fn value_of(host: &HostArray<'_>, by_value: bool) -> Result<Arg, String> {
    if !host.is_plain() {
        return Err("was given an array whose elements are not side by side".to_owned());
    }
    let bytes = host.bytes();
    let word = bytes
        .iter()
        .take(8)
        .rev()
        .fold(0u64, |word, byte| word << 8 | u64::from(*byte));
    if !host.shape.is_empty() || !by_value && host.kind != b'u' {
        return if by_value {
            Ok(Arg::Bytes(bytes.to_vec()))
        } else {
            let given = host.type_name();
            Err(format!("takes an array, and was given a {given}"))
        };
    }
    Ok(match (host.kind, host.item_size) {
        (b'u', 8) if !by_value => Arg::Pointer(word),
        (b'i', 1) => Arg::I8(word as i8),
        (b'u' | b'b', 1) => Arg::U8(word as u8),
        (b'i', 2) => Arg::I16(word as i16),
        (b'u', 2) => Arg::U16(word as u16),
        (b'i', 4) => Arg::I32(word as i32),
        (b'u', 4) => Arg::U32(word as u32),
        (b'i', 8) => Arg::I64(word as i64),
        (b'u', 8) => Arg::U64(word),
        (b'f', 2) => Arg::F16(word as u16),
        (b'f', 4) => Arg::F32(f32::from_bits(word as u32)),
        (b'f', 8) => Arg::F64(f64::from_bits(word)),
        (b'V' | b'c', _) => Arg::Bytes(bytes.to_vec()),
        _ => return Err(format!("was given a {}", host.type_name())),
    })
}
