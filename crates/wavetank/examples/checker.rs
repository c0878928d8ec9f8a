//! A checker of one's own: memory instructions that most lanes of their waves sit out.
//!
//! `cargo run --example checker FILE KERNEL` runs four work-groups of a kernel on zeros.

use std::collections::BTreeMap;

use wavetank::check::report::{Look, text};
use wavetank::check::{Finding, Findings, Mark, SliceEnd, Watcher, WaveOf};
use wavetank::{AccessRecord, Chip, Device, Tool};

/// For each instruction, by its address: how often waves executed it, and the number of lanes that took part.
#[derive(Default)]
struct IdleLanes(BTreeMap<u64, (u64, u64)>);

const LANES: u64 = 64;

impl Watcher for IdleLanes {
    fn time_slice(&mut self, _wave: WaveOf, records: &[AccessRecord], _end: SliceEnd) {
        // Records of one execution follow each other, by lanes. Scalar loads have no lane.
        let one = |a: &AccessRecord, b: &AccessRecord| a.pc == b.pc && a.lane <= b.lane;
        for lanes in records
            .chunk_by(one)
            .filter(|lanes| lanes[0].lane.is_some())
        {
            let (times, sum) = self.0.entry(lanes[0].pc).or_default();
            *times += 1;
            *sum += lanes.chunk_by(|a, b| a.lane == b.lane).count() as u64;
        }
    }

    fn end(&mut self, findings: &mut Findings) {
        for (&pc, &(times, lanes)) in &self.0 {
            if 2 * lanes >= LANES * times {
                continue;
            }
            let message = format!("of {LANES} lanes {} access memory here", lanes / times);
            let at = Mark::at(pc, "the others wait");
            findings.add(Finding {
                help: Some("give the work to fewer waves, and let the others end".to_owned()),
                times,
                // The library fills in the kernel and the line.
                ..Finding::new(Tool::Memory, "idle-lanes", message, at)
            });
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(file), Some(kernel)) = (args.next(), args.next()) else {
        return Err("name a program or code object for gfx900, and a kernel".into());
    };
    let device = Device::new(Chip::Gfx900)?;
    let module = device.load(&std::fs::read(&file)?)?;
    let kernel = module.kernel(&kernel)?;
    let room = device.buffer_zeroed(1 << 20)?;
    let mut dispatch = kernel.dispatch().grid(1024).block(256);
    for arg in kernel.info().explicit_args() {
        dispatch = match arg.size {
            8 => dispatch.arg(&room),
            _ => dispatch.arg(64u32),
        };
    }
    let report = dispatch.watch(Box::new(IdleLanes::default())).run()?;
    for finding in &report.findings {
        let shown = module.show(finding, file.as_ref(), |finding, scene| {
            text(finding, scene, Look::default())
        });
        println!("{shown}");
    }
    Ok(())
}
