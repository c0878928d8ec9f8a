//! Roots of code: the kernels and functions of a code object.

use std::collections::HashSet;

use wavetank_object::{CodeObject, Kernel, SymbolKind};

/// The start of a kernel, or of a function that other code calls.
#[derive(Clone, Debug)]
pub struct Root<'o> {
    /// The name of the kernel or function.
    pub name: &'o str,
    /// The virtual address of the first instruction.
    pub entry: u64,
    /// The kernel; `None` for a function.
    pub kernel: Option<&'o Kernel>,
}

impl<'o> Root<'o> {
    /// Returns all kernels and functions of a code object.
    pub fn all(object: &'o CodeObject) -> Vec<Root<'o>> {
        let mut roots: Vec<Root<'o>> = object.kernels().iter().map(Root::of_kernel).collect();
        let functions = object.symbols().iter();
        let functions = functions.filter(|s| s.kind == SymbolKind::Function && s.size > 0);
        let mut known: HashSet<u64> = roots.iter().map(|root| root.entry).collect();
        for function in functions {
            if known.insert(function.address) {
                roots.push(Root {
                    name: &function.name,
                    entry: function.address,
                    kernel: None,
                });
            }
        }
        roots
    }

    /// Returns the kernel of this name, or else the function.
    pub fn of(object: &'o CodeObject, name: &str) -> Option<Root<'o>> {
        let kernel = object.kernel(name).map(Root::of_kernel);
        kernel.or_else(|| Root::all(object).into_iter().find(|root| root.name == name))
    }

    /// Returns the function that begins at an address.
    pub fn at(object: &'o CodeObject, entry: u64) -> Option<Root<'o>> {
        let (symbol, offset) = object.symbol_at(entry)?;
        (offset == 0 && symbol.kind == SymbolKind::Function).then_some(Root {
            name: &symbol.name,
            entry,
            kernel: None,
        })
    }

    fn of_kernel(kernel: &'o Kernel) -> Root<'o> {
        Root {
            name: &kernel.name,
            entry: kernel.entry,
            kernel: Some(kernel),
        }
    }
}
