//! Kernel arguments, checked against the kernel's signature.

use wavetank_object::{Arg as Param, ArgKind};

use crate::buffer::Buffer;

/// The alignment of LDS for a pointer without an alignment, and the maximum alignment of an unlisted argument: that of vectors of
/// 16 bytes and more.
const LDS_ALIGN: u32 = 16;
const MAX_ALIGN: usize = 16;

/// One explicit argument of a dispatch.
///
/// Numbers, buffers and byte strings turn into arguments by `into()`:
///
/// ```
/// use wavetank::Arg;
/// assert_eq!(Arg::from(1.5f32).to_string(), "an f32");
/// assert_eq!(Arg::from(7u64).to_string(), "a u64");
/// assert_eq!(Arg::Lds(1024).to_string(), "1024 bytes of LDS");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Arg {
    I8(i8),
    U8(u8),
    I16(i16),
    U16(u16),
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    /// Half precision, by its bits.
    F16(u16),
    F32(f32),
    F64(f64),
    /// A buffer: its address is passed, and it stays alive while the kernel runs.
    Buffer(Buffer),
    /// A device address.
    Pointer(u64),
    /// A structure or vector passed by value.
    Bytes(Vec<u8>),
    /// Bytes of dynamic LDS, for a pointer to LDS.
    Lds(u32),
}

macro_rules! from_numbers {
    ($($ty:ty => $variant:ident,)*) => {
        $(impl From<$ty> for Arg {
            fn from(value: $ty) -> Arg {
                Arg::$variant(value)
            }
        })*
    };
}

from_numbers! {
    i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64,
    f32 => F32, f64 => F64, Vec<u8> => Bytes, Buffer => Buffer,
}

impl From<&Buffer> for Arg {
    fn from(buffer: &Buffer) -> Arg {
        Arg::Buffer(buffer.clone())
    }
}

/// The class of an argument's value, for messages and for the check against a type name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Integer,
    Float,
    Pointer,
    Other,
}

impl Arg {
    /// Returns the bytes for the argument block.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Arg::I8(v) => v.to_le_bytes().into(),
            Arg::U8(v) => v.to_le_bytes().into(),
            Arg::I16(v) => v.to_le_bytes().into(),
            Arg::U16(v) | Arg::F16(v) => v.to_le_bytes().into(),
            Arg::I32(v) => v.to_le_bytes().into(),
            Arg::U32(v) | Arg::Lds(v) => v.to_le_bytes().into(),
            Arg::I64(v) => v.to_le_bytes().into(),
            Arg::U64(v) | Arg::Pointer(v) => v.to_le_bytes().into(),
            Arg::F32(v) => v.to_le_bytes().into(),
            Arg::F64(v) => v.to_le_bytes().into(),
            Arg::Buffer(b) => b.address().to_le_bytes().into(),
            Arg::Bytes(bytes) => bytes.clone(),
        }
    }

    fn class(&self) -> Class {
        match self {
            Arg::F16(_) | Arg::F32(_) | Arg::F64(_) => Class::Float,
            Arg::Buffer(_) | Arg::Pointer(_) => Class::Pointer,
            Arg::Bytes(_) | Arg::Lds(_) => Class::Other,
            _ => Class::Integer,
        }
    }
}

impl std::fmt::Display for Arg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self {
            Arg::I8(_) => "an i8",
            Arg::U8(_) => "a u8",
            Arg::I16(_) => "an i16",
            Arg::U16(_) => "a u16",
            Arg::I32(_) => "an i32",
            Arg::U32(_) => "a u32",
            Arg::I64(_) => "an i64",
            Arg::U64(_) => "a u64",
            Arg::F16(_) => "an f16",
            Arg::F32(_) => "an f32",
            Arg::F64(_) => "an f64",
            Arg::Buffer(_) => "a buffer",
            Arg::Pointer(_) => "an address",
            Arg::Bytes(bytes) => return write!(f, "{} bytes", bytes.len()),
            Arg::Lds(bytes) => return write!(f, "{bytes} bytes of LDS"),
        };
        f.write_str(name)
    }
}

/// Returns the scalar class of a type name in the metadata, if it names one.
fn named_class(type_name: &str) -> Option<Class> {
    match type_name {
        "half" | "float" | "double" => Some(Class::Float),
        "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "bool" => {
            Some(Class::Integer)
        }
        _ => None,
    }
}

/// Returns the bytes of an argument for a parameter that is not an LDS pointer, or the reason for which it does not fit.
fn encode(arg: &Arg, param: &Param) -> Result<Vec<u8>, String> {
    let fits = match (param.kind, arg.class()) {
        (_, Class::Other) if matches!(arg, Arg::Lds(_)) => false,
        (ArgKind::ByValue, Class::Pointer) => false,
        (ArgKind::ByValue, class) => {
            let named = param.type_name.as_deref().and_then(named_class);
            class == Class::Other || named.is_none_or(|named| named == class)
        }
        // Buffers, images, samplers, pipes and queues are passed by address.
        (_, Class::Pointer) => true,
        (_, class) => class == Class::Integer && matches!(arg, Arg::U64(_)),
    };
    let bytes = arg.bytes();
    if !fits {
        return Err(format!("was given {arg}"));
    }
    if bytes.len() != param.size as usize {
        let (given, wanted) = (bytes.len(), param.size);
        return Err(format!(
            "takes {wanted} bytes and was given {arg} ({given} bytes)"
        ));
    }
    Ok(bytes)
}

/// Explicit arguments laid out for a kernel.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Explicit {
    /// The argument block, hidden arguments still zero.
    pub block: Vec<u8>,
    /// All LDS in bytes: the kernel's own, and that of LDS pointers.
    pub lds_bytes: u64,
}

/// Lays out explicit arguments in an argument block of `size` bytes. `lds` is the LDS of the kernel itself in bytes.
///
/// # Errors
/// A clause that describes the mismatch, such as "takes 4 arguments and was given 3".
pub(crate) fn lay_out(
    args: &[Arg],
    params: &[&Param],
    size: u32,
    lds: u32,
) -> Result<Explicit, String> {
    if args.len() != params.len() {
        let plural = if params.len() == 1 { "" } else { "s" };
        return Err(format!(
            "takes {} argument{plural} and was given {}",
            params.len(),
            args.len()
        ));
    }
    let mut out = Explicit {
        block: vec![0; size as usize],
        lds_bytes: lds.into(),
    };
    for (n, (arg, param)) in args.iter().zip(params).enumerate() {
        let bytes = match (param.kind, arg) {
            (ArgKind::DynamicSharedPointer, Arg::Lds(bytes)) => {
                let align = param.pointee_align.unwrap_or(LDS_ALIGN);
                place_in_lds(&mut out.lds_bytes, *bytes, align)
            }
            _ => encode(arg, param).map_err(|problem| {
                format!("has argument {n} `{}`, which {problem}", describe(n, param))
            })?,
        };
        // The reader of metadata has checked that every argument lies within the block.
        let at = param.offset as usize;
        let end = at + bytes.len().min(param.size as usize);
        out.block[at..end].copy_from_slice(&bytes[..end - at]);
        let negative = bytes.last().is_some_and(|byte| *byte >= 0x80);
        let whole = at + param.sign_extended_to as usize;
        if let Some(rest) = out.block.get_mut(end..whole).filter(|_| negative) {
            rest.fill(0xff);
        }
    }
    Ok(out)
}

/// Lays out explicit arguments of a kernel without a list of arguments: from `first` on they follow one another, each aligned to
/// its size relative to `first`. After them, Mesa's drivers put the dimensions of the grid and three offsets. `size` is that of
/// the block, or 0 if it is unknown; `lds` is the LDS of the kernel itself in bytes.
///
/// # Errors
/// A clause that describes the mismatch.
pub(crate) fn lay_out_in_order(
    args: &[Arg],
    first: u32,
    size: u32,
    lds: u32,
    dimensions: u16,
) -> Result<Explicit, String> {
    let mut lds_bytes = lds.into();
    let mut list = Vec::new();
    for arg in args {
        let bytes = match arg {
            Arg::Lds(bytes) => place_in_lds(&mut lds_bytes, *bytes, LDS_ALIGN),
            _ => arg.bytes(),
        };
        let align = bytes.len().next_power_of_two().min(MAX_ALIGN);
        list.resize(list.len().next_multiple_of(align), 0);
        list.extend(bytes);
    }
    let given = list.len().next_multiple_of(4);
    list.resize(given, 0);
    list.extend(u32::from(dimensions).to_le_bytes());
    list.extend([0; 12]);
    let taken = size.saturating_sub(first) as usize;
    if size != 0 && taken != given && taken != list.len() {
        return Err(format!(
            "takes {taken} bytes of arguments, which nothing lists, and was given {given}"
        ));
    }
    let mut block = vec![0; first as usize];
    block.extend(list);
    Ok(Explicit { block, lds_bytes })
}

/// Allocates LDS for a pointer after all LDS so far, and returns the bytes of the pointer.
fn place_in_lds(so_far: &mut u64, bytes: u32, align: u32) -> Vec<u8> {
    let offset = so_far.next_multiple_of(align.max(1).into());
    *so_far = offset + u64::from(bytes);
    // Beyond 64 KiB the dispatch is refused, so the value does not matter.
    (offset as u32).to_le_bytes().to_vec()
}

/// Returns a parameter of the signature: type and name, if the metadata has them.
pub(crate) fn describe(n: usize, param: &Param) -> String {
    let name = match &param.name {
        Some(name) => name.clone(),
        None => format!("arg{n}"),
    };
    match (&param.type_name, param.kind) {
        (Some(ty), _) => format!("{ty} {name}"),
        (None, ArgKind::ByValue) => format!("{}-byte value {name}", param.size),
        (None, ArgKind::GlobalBuffer) => format!("buffer {name}"),
        (None, ArgKind::DynamicSharedPointer) => format!("LDS pointer {name}"),
        (None, kind) => format!("{} {name}", kind.as_str()),
    }
}

/// Returns a kernel's signature: `vecadd(float* a, float* b, float* c, int n)`.
pub(crate) fn signature(name: &str, params: &[&Param]) -> String {
    let name = wavetank_quote::function(name);
    let params = params.iter().enumerate();
    let params: Vec<_> = params.map(|(n, param)| describe(n, param)).collect();
    let text = format!("{name}({})", params.join(", "));
    wavetank_quote::plain(&text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn param(kind: ArgKind, offset: u32, size: u32, ty: Option<&str>) -> Param {
        Param {
            name: Some(format!("p{offset}")),
            type_name: ty.map(str::to_owned),
            kind,
            offset,
            size,
            sign_extended_to: 0,
            align: size.max(1),
            pointee_align: None,
            address_space: None,
            access: None,
            actual_access: None,
            is_const: false,
            is_restrict: false,
            is_volatile: false,
        }
    }

    #[test]
    fn values_stand_at_their_offsets() {
        let params = [
            param(ArgKind::GlobalBuffer, 0, 8, Some("float*")),
            param(ArgKind::ByValue, 8, 4, Some("float")),
            param(ArgKind::ByValue, 12, 2, None),
            param(ArgKind::ByValue, 16, 3, Some("uchar3")),
        ];
        let params: Vec<_> = params.iter().collect();
        let args = [
            Arg::Pointer(0x1122_3344_5566_7788),
            1.0f32.into(),
            Arg::F16(0x3c00),
            vec![7u8, 8, 9].into(),
        ];
        let out = lay_out(&args, &params, 20, 100).unwrap();
        assert_eq!(out.lds_bytes, 100);
        assert_eq!(
            out.block,
            [
                0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0, 0, 0x80, 0x3f, 0, 0x3c, 0, 0, 7,
                8, 9, 0
            ]
        );
    }

    #[test]
    fn signs_fill_what_mesa_says() {
        let short = |offset| Param {
            sign_extended_to: 4,
            ..param(ArgKind::ByValue, offset, 2, None)
        };
        let params = [short(0), short(4), param(ArgKind::ByValue, 8, 2, None)];
        let params: Vec<_> = params.iter().collect();
        let args = [Arg::I16(-2), Arg::I16(3), Arg::I16(-4)];
        let out = lay_out(&args, &params, 12, 0).unwrap();
        assert_eq!(
            out.block,
            [0xfe, 0xff, 0xff, 0xff, 3, 0, 0, 0, 0xfc, 0xff, 0, 0]
        );
    }

    #[test]
    fn lds_pointers_follow_the_kernels_own_lds() {
        let mut params = [
            param(ArgKind::DynamicSharedPointer, 0, 4, None),
            param(ArgKind::DynamicSharedPointer, 4, 4, None),
        ];
        params[1].pointee_align = Some(8);
        let params: Vec<_> = params.iter().collect();
        let out = lay_out(&[Arg::Lds(12), Arg::Lds(100)], &params, 8, 17).unwrap();
        assert_eq!(out.block, [32, 0, 0, 0, 48, 0, 0, 0]);
        assert_eq!(out.lds_bytes, 148);
        assert!(lay_out(&[Arg::U32(1), Arg::Lds(1)], &params, 8, 0).is_err());
    }

    #[test]
    fn arguments_that_nothing_lists_are_in_order() {
        let args = [
            Arg::U8(1),
            Arg::Pointer(2),
            Arg::U32(3),
            Arg::Bytes(vec![4; 12]),
            Arg::Lds(20),
            Arg::U16(5),
        ];
        let out = lay_out_in_order(&args, 36, 0, 40, 2).unwrap();
        let at = |n: usize| u32::from_le_bytes(out.block[n..n + 4].try_into().unwrap());
        // The vector of three is aligned as one of four; after all the number of dimensions.
        for (offset, want) in [
            (36, 1),
            (44, 2),
            (52, 3),
            (68, 0x0404_0404),
            (80, 48),
            (84, 5),
            (88, 2),
        ] {
            assert_eq!(at(offset), want, "{offset}");
        }
        assert_eq!((out.block.len(), out.lds_bytes), (104, 68));
        // 28 bytes, or 44 with the values that drivers add.
        let args = [
            Arg::Pointer(0),
            Arg::Pointer(0),
            Arg::Pointer(0),
            Arg::U32(0),
        ];
        for (size, fits) in [(28, true), (44, true), (32, false), (24, false)] {
            let out = lay_out_in_order(&args, 0, size, 0, 1);
            assert_eq!(out.is_ok(), fits, "{size}: {out:?}");
        }
    }

    #[test]
    fn arguments_of_another_size_are_refused() {
        let text = |arg: Arg, kind, size, ty| {
            lay_out(&[arg], &[&param(kind, 0, size, ty)], 16, 0).unwrap_err()
        };
        let int = Some("int");
        assert_eq!(
            text(Arg::F32(1.0), ArgKind::ByValue, 4, int),
            "has argument 0 `int p0`, which was given an f32"
        );
        assert_eq!(
            text(Arg::I64(1), ArgKind::ByValue, 4, int),
            "has argument 0 `int p0`, which takes 4 bytes and was given an i64 (8 bytes)"
        );
        assert!(text(Arg::Pointer(1), ArgKind::ByValue, 8, None).contains("an address"));
        assert!(text(Arg::I32(1), ArgKind::GlobalBuffer, 8, None).contains("buffer p0"));
        assert!(text(Arg::Lds(1), ArgKind::GlobalBuffer, 8, None).contains("of LDS"));
        assert_eq!(
            lay_out(&[], &[&param(ArgKind::ByValue, 0, 4, int)], 16, 0),
            Err("takes 1 argument and was given 0".to_owned())
        );
    }
}
