//! A checker of one's own: which instructions store dwords across a line of 64 bytes.
//!
//! `cargo run --example checker FILE KERNEL` runs one work-group of a kernel on zeros.

use std::collections::BTreeMap;

use wavetank::check::report::{Look, text};
use wavetank::check::{Finding, Findings, Mark, SliceEnd, Watcher, WaveOf};
use wavetank::{AccessRecord, Chip, Device, MemoryKind, Tool};

/// Counts, for each instruction, the stores to global memory that reach into a second line.
#[derive(Default)]
struct TornStores(BTreeMap<u64, u64>);

const LINE: u64 = 64;

impl Watcher for TornStores {
    fn time_slice(&mut self, _wave: WaveOf, records: &[AccessRecord], _end: SliceEnd) {
        for record in records {
            let stores = record.kind != wavetank::MemKind::Load;
            let last = record.address + u64::from(record.bytes) - 1;
            let torn = record.address / LINE != last / LINE;
            if stores && torn && record.memory == MemoryKind::Global {
                *self.0.entry(record.pc).or_default() += 1;
            }
        }
    }

    fn end(&mut self, findings: &mut Findings) {
        for (&pc, &times) in &self.0 {
            findings.add(Finding {
                tool: Tool::Memory,
                rule: "torn-store",
                // The kernel and the place are filled in by the caller.
                kernel: String::new(),
                message: format!("a store reaches into a second line of {LINE} bytes"),
                at: Mark::at(pc, "a whole line costs less"),
                related: vec![],
                host: Vec::new(),
                notes: vec![],
                help: Some("align what is stored".to_owned()),
                address: None,
                also: Vec::new(),
                times,
            });
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(file), Some(kernel)) = (args.next(), args.next()) else {
        return Err("name a code object for gfx900 and a kernel".into());
    };
    let device = Device::new(Chip::Gfx900)?;
    let module = device.load(&std::fs::read(&file)?)?;
    let kernel = module.kernel(&kernel)?;
    let room = device.buffer_zeroed(1 << 20)?;
    let mut dispatch = kernel.dispatch().grid(64).block(64);
    for arg in kernel.info().explicit_args() {
        dispatch = match arg.size {
            8 => dispatch.arg(&room),
            _ => dispatch.arg(64u32),
        };
    }
    let report = dispatch.watch(Box::new(TornStores::default())).run()?;
    for finding in &report.findings {
        let shown = module.show(finding, file.as_ref(), |finding, scene| {
            text(finding, scene, Look::default())
        });
        println!("{shown}");
    }
    Ok(())
}
