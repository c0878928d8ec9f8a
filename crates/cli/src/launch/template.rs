//! Calls that launch a kernel, for copying: arguments of the right number, types and sizes.

use std::path::Path;

use wavetank::object::{Access, Arg as Param, ArgKind};
use wavetank::{Dims, Kernel};
use wavetank_quote::{plain, readable};

use super::size::shown;

/// Work-items of the proposed grid, if the kernel requires no work-group size.
const ITEMS: u32 = 64;
/// Bytes of the proposed LDS for a pointer.
const LDS: u32 = 1024;

/// Returns a call for each kernel, after a comment with its signature.
pub(super) fn calls(file: &Path, kernels: &[Kernel], gpu: Option<&str>) -> String {
    let calls = kernels.iter().map(|kernel| call(file, kernel, gpu));
    calls.collect::<Vec<_>>().join("\n")
}

fn call(file: &Path, kernel: &Kernel, gpu: Option<&str>) -> String {
    let block = block(kernel);
    let items: u32 = block.size().iter().product();
    let mut text = format!("# {}\n", kernel.signature());
    let mut words = vec![
        "wavetank launch".to_owned(),
        quoted(&file.to_string_lossy()),
    ];
    if kernel.module().kernels().count() > 1 {
        words.push(quoted(kernel.name()));
    }
    words.extend(gpu.map(|gpu| format!("--gpu {}", quoted(gpu))));
    words.push(format!("--grid {}", shown(block)));
    words.push(format!("--block {}", shown(block)));
    let params = kernel.args();
    let types = types(kernel.name(), params.len());
    let results = results(&params);
    for (n, param) in params.iter().enumerate() {
        let ty = param.type_name.as_deref();
        let ty = ty.or_else(|| types.as_ref().map(|types| types[n].as_str()));
        match spec(param, ty.unwrap_or_default(), results.contains(&n), items) {
            Some(spec) => words.push(format!("--arg {spec}")),
            None => {
                let what = plain(ty.unwrap_or(param.kind.as_str())).to_string();
                text += &format!("# argument {n} ({what}) cannot be given by `launch`\n");
            }
        }
    }
    text + &wrapped(&words)
}

/// Returns the work-group size that the kernel was compiled for, or one wave.
fn block(kernel: &Kernel) -> Dims {
    let info = kernel.info();
    match (info.reqd_workgroup_size, info.max_flat_workgroup_size) {
        (Some(sizes), _) => sizes.into(),
        (None, Some(most)) => most.clamp(1, ITEMS).into(),
        (None, None) => ITEMS.into(),
    }
}

/// Returns the parameter types in the name of a C++ function, if there are `count` of them.
pub(super) fn types(name: &str, count: usize) -> Option<Vec<String>> {
    let text = readable(name);
    let text = text.strip_suffix(')').filter(|_| text != name)?;
    // Template arguments may have parentheses, too: the list begins at the one that has not been closed.
    let mut open = 0;
    let begins = |c: char| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open == 1
    };
    let list = &text[text.rfind(begins)? + 1..];
    let mut depth = 0;
    let parts = list.split(|c| {
        depth += i32::from(matches!(c, '<' | '(')) - i32::from(matches!(c, '>' | ')'));
        c == ',' && depth == 0
    });
    let types: Vec<String> = parts.map(|part| part.trim().to_owned()).collect();
    (types.len() == count).then_some(types)
}

/// Returns the buffers that may be results: those that are written or, if that is unknown, the last one.
fn results(params: &[&Param]) -> Vec<usize> {
    let of = |wanted: fn(&Param) -> bool| {
        let all = params.iter().enumerate();
        let buffers = all.filter(|(_, param)| param.kind == ArgKind::GlobalBuffer);
        buffers
            .filter(move |(_, param)| wanted(param))
            .map(|(n, _)| n)
    };
    let access = |param: &Param| param.actual_access.or(param.access);
    let written: Vec<usize> = of(|param| {
        matches!(
            param.actual_access,
            Some(Access::WriteOnly | Access::ReadWrite)
        )
    })
    .collect();
    let is_known = params
        .iter()
        .any(|param| param.is_const || access(param).is_some());
    match (written.is_empty(), is_known) {
        (false, _) => written,
        (true, true) => of(|param| !param.is_const).collect(),
        (true, false) => of(|_| true).next_back().into_iter().collect(),
    }
}

/// Returns an argument with the right type and size.
fn spec(param: &Param, ty: &str, is_result: bool, items: u32) -> Option<String> {
    match param.kind {
        ArgKind::ByValue => {
            let element = element(ty).filter(|(_, size)| *size == param.size);
            let (name, _) = element.or(match param.size {
                1 => Some(("u8", 1)),
                2 => Some(("u16", 2)),
                4 => Some(("u32", 4)),
                8 => Some(("u64", 8)),
                _ => None,
            })?;
            Some(if name.starts_with('f') {
                format!("{name}:1.0")
            } else {
                // Usually the number of elements.
                format!("{name}:{items}")
            })
        }
        ArgKind::GlobalBuffer => {
            let pointee = ty.replace("const", "");
            let pointee = pointee
                .split_once('*')
                .map_or(pointee.as_str(), |(first, _)| first);
            let (name, _) = element(pointee.trim()).unwrap_or(("u32", 4));
            Some(if is_result {
                format!("print:{name}:{items}")
            } else {
                format!("iota:{name}:{items}")
            })
        }
        ArgKind::DynamicSharedPointer => Some(format!("lds:{LDS}")),
        _ => None,
    }
}

/// Returns the number type of a C or OpenCL C type, and its size in bytes.
pub(super) fn element(ty: &str) -> Option<(&'static str, u32)> {
    Some(match ty {
        "char" | "signed char" => ("i8", 1),
        "uchar" | "unsigned char" | "bool" => ("u8", 1),
        "short" => ("i16", 2),
        "ushort" | "unsigned short" => ("u16", 2),
        "int" => ("i32", 4),
        "uint" | "unsigned int" | "unsigned" => ("u32", 4),
        "long" | "long long" => ("i64", 8),
        "ulong" | "unsigned long" | "unsigned long long" => ("u64", 8),
        "half" | "_Float16" | "__half" => ("f16", 2),
        "float" => ("f32", 4),
        "double" => ("f64", 8),
        _ => return None,
    })
}

/// Quotes a word for a shell, if necessary.
pub(super) fn quoted(word: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "._-/+:@%,".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Returns words on lines of at most 80 columns, joined by backslashes for a shell.
pub(super) fn wrapped(words: &[String]) -> String {
    let mut text = String::new();
    let mut width = 0;
    for word in words {
        // A blank and a backslash may follow the word.
        if width > 0 && width + 1 + word.len() > 78 {
            text += " \\\n   ";
            width = 3;
        }
        if width > 0 {
            text.push(' ');
            width += 1;
        }
        text += word;
        width += word.len();
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_come_from_names() {
        let of = |name, count| types(name, count).map(|types| types.join("; "));
        assert_eq!(of("_Z4overPiii", 3).as_deref(), Some("int*; int; int"));
        assert_eq!(of("_Z4overPiii", 2), None);
        assert_eq!(of("vecadd", 1), None);
        // void fill<1024u>(int*, void (*)(int), int), whose template argument has parentheses.
        let name = "_Z4fillILj1024EEvPiPFviEi";
        assert_eq!(of(name, 3).as_deref(), Some("int*; void (*)(int); int"));
        // axpy(std::pair<int, float>, double), of a struct with two template parameters.
        assert_eq!(
            of("_Z4axpySt4pairIifEd", 2).as_deref(),
            Some("std::pair<int, float>; double")
        );
    }

    #[test]
    fn words_are_safe_in_a_shell() {
        assert_eq!(quoted("a/b-c.hsaco"), "a/b-c.hsaco");
        assert_eq!(quoted("it's $HOME"), "'it'\\''s $HOME'");
    }

    #[test]
    fn lines_are_short() {
        let words = vec!["--arg iota:f32:64".to_owned(); 12];
        let text = wrapped(&words);
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        assert_eq!(text.replace(" \\\n   ", ""), words.join(" ") + "\n");
    }
}
