//! The checkers on kernels of CDNA: they find nothing, and change nothing.

use wavetank::check::{Tool, Tools};
use wavetank::{Arg, Buffer};

use super::{KERNELS, each};
use crate::common::{Build, Numbers};

/// Buffers for the pointers of a kernel, and its arguments, for one group of 64 items.
fn arguments(b: &Build, name: &str) -> (Vec<Buffer>, Vec<Arg>) {
    let mut numbers = Numbers::new(150);
    let mut buffers = Vec::new();
    let kernel = b.module.kernel(name).unwrap();
    let args = kernel.args().into_iter();
    let args = args.map(|param| match param.kind.as_str() {
        "dynamic_shared_pointer" => Arg::Lds(4 * 64),
        // The number of items, or that of columns.
        "by_value" => Arg::from(if name == "ids_and_lds" { 64u32 } else { 16 }),
        _ => {
            // Small numbers of any type.
            let words = numbers.many(1 << 15, |r| r.u32() & 0x3c3c_3c3c);
            let buffer = b.device.buffer_from(&words).unwrap();
            let arg = Arg::from(&buffer);
            buffers.push(buffer);
            arg
        }
    });
    let args = args.collect();
    (buffers, args)
}

#[test]
fn tools_find_nothing_and_change_nothing() {
    for (name, _) in KERNELS {
        let tools = match name {
            // The source has a barrier without a fence, after which other waves may see LDS as it was.
            "f64_atomics" => Tools::DEFAULT.without(Tools::of(&[Tool::Wait])),
            _ => Tools::DEFAULT,
        };
        each(name, |b| {
            let results = [Tools::of(&[]), tools].map(|tools| {
                let (buffers, args) = arguments(b, name);
                let kernel = b.module.kernel(name).unwrap();
                let dispatch = kernel.dispatch().grid(64).block(64).args(args).check(tools);
                let report = dispatch
                    .run()
                    .unwrap_or_else(|e| panic!("{}: {e}", b.label));
                assert!(
                    report.findings.is_empty(),
                    "{}: {:#?}",
                    b.label,
                    report.findings
                );
                let read = |buffer: &Buffer| buffer.read::<u32>().unwrap();
                buffers.iter().map(read).collect::<Vec<_>>()
            });
            assert!(results[0] == results[1], "{}", b.label);
        });
    }
}
