//! Kernels without code. A compiler removes what cannot run without undefined behaviour, which may be all of a kernel: its descriptor
//! then points to the code of the next one, or to where the file has none.

use wavetank_object::{CodeObject, SymbolKind};

use crate::code::{Bytes, Root};
use crate::finding::{Finding, Mark};
use crate::tool::Tool;

/// Whether a kernel has no code of its own: its symbol has no size, and there is no code at it, or that of another function. Assembly
/// without `.size` has code.
pub(crate) fn is_emptied(object: &CodeObject, root: &Root<'_>) -> bool {
    let here = || {
        let symbols = object.symbols().iter();
        symbols.filter(|symbol| symbol.address == root.entry && symbol.kind != SymbolKind::Object)
    };
    let is_own_empty = here().any(|symbol| symbol.name == root.name && symbol.size == 0);
    let is_of_other = || here().any(|symbol| symbol.name != root.name && symbol.size > 0);
    let has_code = || Bytes::of(object).at(root.entry).is_some();
    root.kernel.is_some() && is_own_empty && (is_of_other() || !has_code())
}

/// Returns the finding about a kernel without code.
pub(crate) fn finding(root: &Root<'_>) -> Finding {
    Finding {
        kernel: root.name.to_owned(),
        help: Some(
            "look for undefined behaviour on every path of the kernel, such as an index that is always out of bounds, an endless loop \
             without effect, or `__builtin_unreachable()`"
                .to_owned(),
        ),
        ..Finding::new(
            Tool::Limits,
            "no-code",
            "the compiler left no code of this kernel: its behaviour is undefined whenever it runs",
            Mark::at(root.entry, "the kernel would begin here"),
        )
    }
}

#[cfg(test)]
mod tests {
    use wavetank_asm::{Options, assemble_object};
    use wavetank_gcn::Chip;
    use wavetank_link::{Input, link};

    use super::*;
    use crate::finding::Findings;
    use crate::tool::Tools;
    use crate::{check_code, check_root};

    /// Kernels as clang 15 leaves those with `__builtin_unreachable()` alone, and one without `.size`.
    fn object() -> CodeObject {
        let kernel = |name: &str, code: &str, size: &str| {
            format!(
                ".text\n.globl {name}\n.p2align 8\n.type {name},@function\n{name}:\n{code}\n{size}\n\
                 .rodata\n.p2align 6\n.amdhsa_kernel {name}\n.amdhsa_next_free_vgpr 4\n.amdhsa_next_free_sgpr 8\n\
                 .end_amdhsa_kernel\n"
            )
        };
        let size = |name: &str| format!(".size {name}, .-{name}");
        let source = [
            kernel("first", "", &size("first")),
            kernel("second", "s_endpgm", &size("second")),
            kernel("bare", "s_endpgm", ""),
            kernel("last", "", &size("last")),
        ]
        .concat();
        let object = assemble_object("k.s", &source, &Options::new(Chip::Gfx900));
        let object = object.unwrap_or_else(|errors| panic!("{errors}"));
        let input = Input {
            name: "k.s",
            object: &object,
        };
        let linked = link(&[input], &Default::default()).expect("it can be linked");
        CodeObject::parse(&linked).expect("it is a code object")
    }

    #[test]
    fn kernels_without_code_are_found() {
        let object = object();
        let mut findings = Findings::default();
        check_code(&object, Tools::STATIC, &mut findings);
        let found: Vec<_> = findings
            .iter()
            .map(|f| (f.rule, f.kernel.as_str()))
            .collect();
        assert_eq!(found, [("no-code", "first"), ("no-code", "last")]);
        for (name, count) in [("first", 1), ("second", 0), ("bare", 0), ("last", 1)] {
            let root = Root::of(&object, name).expect("a kernel");
            let mut findings = Findings::default();
            check_root(&object, &root, Tools::STATIC, &mut findings);
            assert_eq!(findings.len(), count, "{name}");
        }
    }
}
