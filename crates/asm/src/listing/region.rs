//! The input of a listing: runs of bytes, and names of addresses.

use std::collections::BTreeMap;

use wavetank_gcn::{DecodeError, Inst};
use wavetank_object::{CodeObject, KERNEL_CODE_SIZE, Symbol, SymbolKind};

/// The name of an address.
pub(super) struct Label {
    pub name: String,
    /// Whether the label is a symbol of the code object; otherwise it was made for a branch target.
    pub symbol: bool,
}

/// A run of bytes at an address.
pub(super) struct Region<'a> {
    pub address: u64,
    pub bytes: &'a [u8],
    /// Whether the bytes are code; descriptors of version 2 lie in between.
    pub code: bool,
}

/// Returns the length of the item at the start of `code`: an instruction, or else a dword.
pub(super) fn length(code: &[u8], inst: &Result<Inst, DecodeError>) -> usize {
    let length = inst.as_ref().map_or(4, |inst| inst.len.into());
    length.min(code.len())
}

/// Returns the executable parts of a code object.
pub(super) fn regions(object: &CodeObject) -> Vec<Region<'_>> {
    let mut descriptors: Vec<u64> = Vec::new();
    if object.version() == 2 {
        descriptors.extend(object.kernels().iter().map(|k| k.descriptor_address));
        descriptors.sort_unstable();
    }
    let mut regions = Vec::new();
    for segment in object.segments().iter().filter(|s| s.executable) {
        let start = segment.file_offset as usize;
        let end = start.saturating_add(segment.file_size as usize);
        let Some(bytes) = object.bytes().get(start..end) else {
            continue;
        };
        let mut at = 0;
        let mut push = |from: usize, to: usize, code: bool| {
            if let Some(bytes) = bytes.get(from..to).filter(|b| !b.is_empty()) {
                regions.push(Region {
                    address: segment.address + from as u64,
                    bytes,
                    code,
                });
            }
        };
        for descriptor in &descriptors {
            let Some(from) = descriptor.checked_sub(segment.address) else {
                continue;
            };
            let from = (from as usize).min(bytes.len());
            let to = (from + KERNEL_CODE_SIZE).min(bytes.len());
            push(at, from, true);
            push(from, to, false);
            at = at.max(to);
        }
        push(at, bytes.len(), true);
    }
    regions
}

/// Returns the names of code addresses, the best one for each.
pub(super) fn symbols(object: &CodeObject) -> BTreeMap<u64, Label> {
    let rank = |s: &&Symbol| match s.kind {
        SymbolKind::Kernel => 0,
        SymbolKind::Function => 1,
        _ => 2,
    };
    let mut symbols: Vec<&Symbol> = object.symbols().iter().collect();
    symbols.retain(|s| matches!(rank(s), 0 | 1) || s.kind == SymbolKind::Label);
    symbols.sort_by_key(|s| std::cmp::Reverse((rank(s), !s.global)));
    // In version 2 the symbol of a kernel is at its descriptor.
    let code = |s: &Symbol| match (object.version(), object.kernel(&s.name)) {
        (2, Some(kernel)) if s.address == kernel.descriptor_address => kernel.entry,
        _ => s.address,
    };
    let label = |s: &Symbol| Label {
        name: s.name.clone(),
        symbol: true,
    };
    symbols.iter().map(|s| (code(s), label(s))).collect()
}
