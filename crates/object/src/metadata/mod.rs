//! The metadata of kernels in a code object: names, arguments, resource use.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", "Code Object Metadata", versions 2 to 5.

mod arg;
mod block_lists;
mod msgpack;
mod text;
mod tree;
mod v2;
mod yaml;

pub use arg::{Access, AddressSpace, Arg, ArgKind};

use rmpv::ValueRef;

use crate::error::{Error, Result};
use crate::start::Start;
use tree::{Fields, Place, bad, text as text_in};

/// The encoding of the note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Text of version 2.
    Yaml,
    /// Binary data of versions 3 and later.
    MessagePack,
}

/// The contents of the whole note.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Metadata {
    pub kernels: Vec<KernelMetadata>,
    pub printf: Vec<String>,
}

/// The metadata note's entry for one kernel. Sizes are in bytes.
///
/// Counts that are missing in the note are `None`; missing sizes are 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelMetadata {
    /// The kernel's name in the source (mangled for HIP).
    pub name: String,
    /// The symbol of the kernel's descriptor: `NAME.kd`, or `NAME@kd` in version 2.
    pub symbol: String,
    /// Source language, e.g. `OpenCL C`.
    pub language: Option<String>,
    /// Major and minor version of the language.
    pub language_version: Option<(u32, u32)>,
    /// Arguments in order, the hidden ones included.
    pub args: Vec<Arg>,
    /// The offset of the caller's arguments, if they are not listed: they follow each other there, each aligned to its size.
    pub unlisted_args: Option<u32>,
    /// Size of the argument block in bytes.
    pub kernarg_segment_size: u32,
    /// Alignment of the argument block, a power of two.
    pub kernarg_segment_align: u32,
    /// LDS of a work-group, without dynamic LDS.
    pub group_segment_fixed_size: u32,
    /// Scratch of a work-item, without dynamic stack.
    pub private_segment_fixed_size: u32,
    /// SGPRs of a wave, with VCC, flat scratch and XNACK mask.
    pub sgpr_count: Option<u32>,
    /// VGPRs of a work-item.
    pub vgpr_count: Option<u32>,
    /// Number of spilled SGPRs.
    pub sgpr_spill_count: Option<u32>,
    /// Number of spilled VGPRs.
    pub vgpr_spill_count: Option<u32>,
    /// Number of work-items in a wave.
    pub wavefront_size: Option<u32>,
    /// The largest number of work-items in a work-group.
    pub max_flat_workgroup_size: Option<u32>,
    /// The work-group size that the source requires (`reqd_work_group_size`).
    pub reqd_workgroup_size: Option<[u32; 3]>,
    /// The work-group size that the source expects.
    pub workgroup_size_hint: Option<[u32; 3]>,
    /// Whether the depth of the stack is unknown at compile time (recursion, function pointers).
    pub uses_dynamic_stack: bool,
    /// The start state, for kernels of a driver with its own format (AMD's Catalyst).
    pub start: Option<Box<Start>>,
}

impl KernelMetadata {
    /// Returns the arguments that the caller passes.
    pub fn explicit_args(&self) -> impl Iterator<Item = &Arg> {
        self.args.iter().filter(|arg| !arg.hidden())
    }

    /// Returns the arguments that the runtime fills.
    pub fn hidden_args(&self) -> impl Iterator<Item = &Arg> {
        self.args.iter().filter(|arg| arg.hidden())
    }
}

impl Metadata {
    /// Reads the bytes of the note.
    pub(crate) fn read(note: &[u8], format: Format) -> Result<Self> {
        match format {
            Format::Yaml => Self::from_tree(&v2::read(note)?.as_ref()),
            Format::MessagePack => Self::from_tree(&msgpack::read(note)?),
        }
    }

    fn from_tree(tree: &ValueRef) -> Result<Self> {
        let root = Fields::new(tree, Place::Root)?;
        let kernels = root.list("amdhsa.kernels")?;
        let kernels = kernels
            .iter()
            .enumerate()
            .map(|(n, kernel)| read_kernel(&Fields::new(kernel, Place::Kernel(n))?));
        let printf = root.list("amdhsa.printf")?;
        let printf = printf.iter().map(|format| {
            let text = text_in(format).map(str::to_owned);
            text.ok_or_else(|| bad("a printf format is not a string".to_owned()))
        });
        Ok(Self {
            kernels: kernels.collect::<Result<_>>()?,
            printf: printf.collect::<Result<_>>()?,
        })
    }
}

/// Encodes a text of versions 3 and later. With `checked`, it must contain the entries that runtimes require.
pub(crate) fn of_text(text: &str, checked: bool) -> Result<Vec<u8>> {
    let tree = text::read(text).map_err(in_text)?;
    if checked {
        Metadata::from_tree(&tree.as_ref())?;
    }
    text::bytes(&tree)
}

/// Returns the text for the bytes of versions 3 and later.
pub(crate) fn text_of(note: &[u8]) -> Result<String> {
    text::print(&msgpack::read(note)?)
}

/// Returns a checked text of version 2 as it is stored in a note, from `---` to `...`.
pub(crate) fn v2_text(text: &str) -> Result<String> {
    let tree = yaml::read(text, &v2::Version2).map_err(in_text)?;
    Metadata::from_tree(&tree.as_ref())?;
    let text = text.trim();
    let start = if text.starts_with("---") { "" } else { "---\n" };
    let end = if text.ends_with("\n...") {
        "\n"
    } else {
        "\n...\n"
    };
    Ok(format!("{start}{text}{end}"))
}

fn in_text(wrong: yaml::Wrong) -> Error {
    let yaml::Wrong {
        line,
        column,
        problem,
    } = wrong;
    Error::MetadataText {
        line,
        column,
        problem,
    }
}

fn read_kernel(fields: &Fields) -> Result<KernelMetadata> {
    let name = fields.required_text(".name")?.to_owned();
    let kernarg_segment_size = fields.number(".kernarg_segment_size")?.unwrap_or(0);
    let args = arg::read_all(fields.list(".args")?, &name, kernarg_segment_size)?;
    Ok(KernelMetadata {
        symbol: match fields.text(".symbol")? {
            Some(symbol) => symbol.to_owned(),
            None => format!("{name}.kd"),
        },
        language: fields.text(".language")?.map(str::to_owned),
        language_version: fields
            .numbers::<2>(".language_version")?
            .map(|[a, b]| (a, b)),
        args,
        unlisted_args: None,
        start: None,
        kernarg_segment_size,
        kernarg_segment_align: fields.alignment(".kernarg_segment_align")?.unwrap_or(1),
        group_segment_fixed_size: fields.number(".group_segment_fixed_size")?.unwrap_or(0),
        private_segment_fixed_size: fields.number(".private_segment_fixed_size")?.unwrap_or(0),
        sgpr_count: fields.number(".sgpr_count")?,
        vgpr_count: fields.number(".vgpr_count")?,
        sgpr_spill_count: fields.number(".sgpr_spill_count")?,
        vgpr_spill_count: fields.number(".vgpr_spill_count")?,
        wavefront_size: fields.number(".wavefront_size")?,
        max_flat_workgroup_size: fields.number(".max_flat_workgroup_size")?,
        reqd_workgroup_size: fields.numbers::<3>(".reqd_workgroup_size")?,
        workgroup_size_hint: fields.numbers::<3>(".workgroup_size_hint")?,
        uses_dynamic_stack: fields.flag(".uses_dynamic_stack")?,
        name,
    })
}

#[cfg(test)]
mod tests {
    use rmpv::Value;

    use super::*;

    fn map(pairs: &[(&str, Value)]) -> Value {
        let pairs = pairs.iter().map(|(k, v)| (Value::from(*k), v.clone()));
        Value::Map(pairs.collect())
    }

    /// Makes metadata with one kernel of one argument.
    fn note(arg: &[(&str, Value)], kernarg_size: u64) -> Vec<u8> {
        let kernel = map(&[
            (".name", "k".into()),
            (".args", Value::Array(vec![map(arg)])),
            (".kernarg_segment_size", kernarg_size.into()),
        ]);
        let root = map(&[
            ("amdhsa.printf", Value::Array(vec!["1:1:4:%d\\n".into()])),
            ("amdhsa.kernels", Value::Array(vec![kernel])),
        ]);
        let mut note = Vec::new();
        rmpv::encode::write_value(&mut note, &root).unwrap();
        note
    }

    fn arg(kind: &'static str, offset: u32, size: u32) -> [(&'static str, Value); 3] {
        [
            (".value_kind", kind.into()),
            (".offset", offset.into()),
            (".size", size.into()),
        ]
    }

    #[test]
    fn printf_formats_are_kept() {
        let note = note(&arg("by_value", 4, 4), 8);
        let metadata = Metadata::read(&note, Format::MessagePack).unwrap();
        assert_eq!(metadata.printf, ["1:1:4:%d\\n"]);
        let text = b"---\nPrintf:\n  - '1:1:4:%d\\n'\n...\n";
        let metadata = Metadata::read(text, Format::Yaml).unwrap();
        assert_eq!(metadata.printf, ["1:1:4:%d\\n"]);
    }

    #[test]
    fn what_is_not_believed_is_named() {
        let error_text = |arg: &[(&str, Value)], kernarg_size| {
            let note = note(arg, kernarg_size);
            let error = Metadata::read(&note, Format::MessagePack).unwrap_err();
            error.to_string()
        };
        let text = error_text(&arg("by_value", 4, 8), 8);
        assert!(
            text.contains("argument 0 of kernel `k` takes 8 bytes at 4"),
            "{text}"
        );
        let text = error_text(&arg("by_value", u32::MAX, 8), 8);
        assert!(text.contains("beyond the 8 bytes"), "{text}");
        let text = error_text(&arg("by_magic", 0, 8), 8);
        assert!(text.contains("unknown kind `by_magic`"), "{text}");
        let text = error_text(&arg("by_value", 0, 8)[..2], 8);
        assert!(
            text.contains("argument 0 of kernel `k` has no .size"),
            "{text}"
        );
    }

    #[test]
    fn arguments_of_version_2_follow_each_other() {
        let text = b"Kernels:\n  - Name: k\n    Args:\n      - { Size: 1, Align: 1, ValueKind: ByValue }\n      \
            - { Size: 8, Align: 8, ValueKind: GlobalBuffer, AccQual: ReadOnly }\n    \
            CodeProps: { KernargSegmentSize: 16 }\n";
        let metadata = Metadata::read(text, Format::Yaml).unwrap();
        let args = &metadata.kernels[0].args;
        assert_eq!((args[0].offset, args[1].offset), (0, 8));
        assert_eq!(args[1].access, Some(Access::ReadOnly));
    }
}
