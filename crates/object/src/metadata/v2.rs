//! Metadata of code object version 2: YAML in a note of type `NT_AMD_HSA_METADATA`.
//!
//! The tree is converted to the shape and names of version 3, so that one reader serves both. Source: LLVM's guide, tables
//! "AMDHSA Code Object V2 Metadata Map" and "... V3 Metadata Map".

use rmpv::Value;

use super::tree::bad;
use super::yaml::{self, Shape};
use crate::error::Result;

/// Keys whose name changed between versions 2 and 3. Keys that are not listed are ignored.
#[rustfmt::skip]
const RENAMED: &[(&str, &str)] = &[
    ("Version", "amdhsa.version"),          ("Printf", "amdhsa.printf"),
    ("Kernels", "amdhsa.kernels"),
    ("Name", ".name"),                      ("SymbolName", ".symbol"),
    ("Language", ".language"),              ("LanguageVersion", ".language_version"),
    ("Args", ".args"),                      ("TypeName", ".type_name"),
    ("Size", ".size"),                      ("Align", ".align"),
    ("ValueKind", ".value_kind"),           ("PointeeAlign", ".pointee_align"),
    ("AddrSpaceQual", ".address_space"),    ("AccQual", ".access"),
    ("ActualAccQual", ".actual_access"),    ("IsConst", ".is_const"),
    ("IsRestrict", ".is_restrict"),         ("IsVolatile", ".is_volatile"),
    ("IsPipe", ".is_pipe"),
    ("ReqdWorkGroupSize", ".reqd_workgroup_size"),
    ("WorkGroupSizeHint", ".workgroup_size_hint"),
    ("VecTypeHint", ".vec_type_hint"),      ("RuntimeHandle", ".device_enqueue_symbol"),
    ("KernargSegmentSize", ".kernarg_segment_size"),
    ("KernargSegmentAlign", ".kernarg_segment_align"),
    ("GroupSegmentFixedSize", ".group_segment_fixed_size"),
    ("PrivateSegmentFixedSize", ".private_segment_fixed_size"),
    ("WavefrontSize", ".wavefront_size"),   ("MaxFlatWorkGroupSize", ".max_flat_workgroup_size"),
    ("NumSGPRs", ".sgpr_count"),            ("NumVGPRs", ".vgpr_count"),
    ("NumSpilledSGPRs", ".sgpr_spill_count"),
    ("NumSpilledVGPRs", ".vgpr_spill_count"),
    ("IsDynamicCallStack", ".uses_dynamic_stack"),
];

/// Maps of version 2 whose members are in the kernel's own map from version 3 on.
const LIFTED: &[&str] = &["CodeProps", "Attrs"];

/// Keys whose values are words, `HiddenGlobalOffsetX` in version 2 and `hidden_global_offset_x` in later versions.
const WORDS: &[&str] = &[".value_kind", ".address_space", ".access", ".actual_access"];

/// Parses the note's text to a tree in the shape of version 3. Scalars stay strings.
pub(super) fn read(note: &[u8]) -> Result<Value> {
    let text = std::str::from_utf8(note)
        .map_err(|error| bad(format!("it is not UTF-8 text ({error})")))?;
    // Some compilers count the terminating zero as part of the note.
    yaml::read(text.trim_end_matches('\0'), &Version2)
        .map_err(|wrong| bad(format!("line {}: {}", wrong.line, wrong.problem)))
}

/// The schema of version 2.
pub(super) struct Version2;

impl Shape for Version2 {
    fn scalar(&self, text: &str, _: Option<&str>) -> Result<Value, String> {
        Ok(Value::from(text))
    }

    fn map(&self, pairs: Vec<(Value, Value)>) -> Result<Value, String> {
        let mut renamed = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            add(&mut renamed, key, value);
        }
        Ok(Value::Map(renamed))
    }
}

/// Adds a pair under its version 3 name. Members of nested property maps are moved up.
fn add(pairs: &mut Vec<(Value, Value)>, key: Value, value: Value) {
    let Some(key) = key.as_str() else { return };
    match value {
        Value::Map(members) if LIFTED.contains(&key) => pairs.extend(members),
        value => {
            let Some((_, renamed)) = RENAMED.iter().find(|(old, _)| *old == key) else {
                return;
            };
            let value = match value.as_str() {
                Some(word) if WORDS.contains(renamed) => Value::from(snake_case(word)),
                _ => value,
            };
            pairs.push((Value::from(*renamed), value));
        }
    }
}

/// Converts `HiddenGlobalOffsetX` to `hidden_global_offset_x`; but `HiddenMultiGridSyncArg` to `hidden_multigrid_sync_arg`.
fn snake_case(word: &str) -> String {
    let word = word.replace("MultiGrid", "Multigrid");
    let mut out = String::with_capacity(word.len() + 4);
    for (at, c) in word.char_indices() {
        if c.is_ascii_uppercase() && at > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_nesting_become_those_of_version_3() {
        let tree = read(
            b"---\nKernels:\n  - Name: k\n    Args:\n      - Size: 8\n        ValueKind: HiddenGlobalOffsetX\n      \
              - Size: 8\n        ValueKind: HiddenMultiGridSyncArg\n    CodeProps:\n      NumSGPRs: 11\n      IsXNACKEnabled: true\n...\n\0",
        )
        .unwrap();
        let kernel = &tree["amdhsa.kernels"][0];
        assert_eq!(kernel[".name"].as_str(), Some("k"));
        assert_eq!(kernel[".sgpr_count"].as_str(), Some("11"));
        assert_eq!(
            kernel[".args"][0][".value_kind"].as_str(),
            Some("hidden_global_offset_x")
        );
        assert_eq!(
            kernel[".args"][1][".value_kind"].as_str(),
            Some("hidden_multigrid_sync_arg")
        );
    }

    /// As hand-written kernels of MIOpen have it, which LLVM's reader takes.
    #[test]
    fn block_lists_may_stand_within_braces() {
        let tree = read(
            b"{ Version: [ 1, 0 ],\n  Kernels:\n  - { Name: k, LanguageVersion: [ 1, 2 ],\n      Attrs:\n        \
              { ReqdWorkGroupSize: [ 64, 1, 1 ] }\n      CodeProps: { NumSGPRs: 11 }\n      Args:\n      - { Name: a, Size: 8 }\n      \
              - { Name: 'b', Size: 4 }\n    }\n}\n",
        )
        .unwrap();
        let kernel = &tree["amdhsa.kernels"][0];
        assert_eq!(kernel[".name"].as_str(), Some("k"));
        assert_eq!(kernel[".sgpr_count"].as_str(), Some("11"));
        assert_eq!(kernel[".args"][1][".name"].as_str(), Some("b"));
    }

    #[test]
    fn aliases_depth_and_nonsense_are_errors() {
        for text in [
            "a: &x [1]\nb: *x".to_owned(),
            "[".repeat(100),
            "- ".repeat(100),
            "{".repeat(5000),
            "a: [1".to_owned(),
            String::new(),
        ] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
        assert!(read(&[0xff, 0xfe]).is_err());
    }

    proptest::proptest! {
        #[test]
        fn text_of_yaml_marks_never_panics(text in "[-:?,&*!|>'\"%@`{}\\[\\] \n\ta0\\\\#]{0,200}") {
            let _ = read(text.as_bytes());
        }

        #[test]
        fn any_text_never_panics(text in ".{0,200}") {
            let _ = read(text.as_bytes());
        }
    }
}
