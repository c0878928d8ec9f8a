//! The kernels on the emulated GPU.

use std::error;
use std::time::{Duration, Instant};

use wavetank::{Arg, Buffer, Chip, Device, EngineChoice, Error, Module, Simd};

use crate::cases::{Case, Param};
use crate::turns::Engine;

const CODE: &[u8] = include_bytes!("../data/bench-gfx900.hsaco");

/// A device with the kernels loaded.
pub(crate) struct Ours {
    label: String,
    threads: usize,
    device: Device,
    module: Module,
}

/// A kernel's arguments on the device.
pub(crate) struct Ready {
    args: Vec<Arg>,
    output: Buffer,
}

impl Ours {
    pub(crate) fn new(engine: EngineChoice, threads: usize, simd: Simd) -> Result<Ours, Error> {
        let what = match engine {
            EngineChoice::Interpreter => "interpreted",
            _ => "compiled",
        };
        let device = Device::builder(Chip::Gfx900).threads(threads).simd(simd);
        let device = device.engine(engine);
        let device = device.build()?;
        let module = device.load(CODE)?;
        Ok(Ours {
            label: format!("{what}, {simd:?}, {threads}"),
            threads,
            device,
            module,
        })
    }

    /// The wave instructions of one run.
    pub(crate) fn count(&self, case: &Case) -> Result<u64, Error> {
        let ready = self.arguments(case)?;
        let report = self.dispatch(case, &ready)?.count(true).run()?;
        Ok(report.instructions.map_or(0, |counts| counts.waves()))
    }

    fn arguments(&self, case: &Case) -> Result<Ready, Error> {
        let mut args = Vec::new();
        let mut output = None;
        for param in &case.params {
            args.push(match param {
                Param::Input(words) => self.device.buffer_from(words)?.into(),
                Param::Output(words) => {
                    let buffer = self.device.buffer_zeroed(4 * *words as u64)?;
                    output.insert(buffer).clone().into()
                }
                Param::Value(value) => (*value).into(),
            });
        }
        let output = output.expect("every case has an output");
        Ok(Ready { args, output })
    }

    fn clear(&self, ready: &Ready) -> Result<(), Error> {
        ready
            .output
            .write_at(0, &vec![0u8; ready.output.len() as usize])
    }

    fn dispatch(&self, case: &Case, ready: &Ready) -> Result<wavetank::Dispatch<'static>, Error> {
        let kernel = self.module.kernel(case.name)?;
        let dispatch = kernel.dispatch().grid(case.grid.map(|n| n as u32));
        let dispatch = dispatch.block(case.block.map(|n| n as u32));
        Ok(dispatch.args(ready.args.iter().cloned()))
    }
}

impl Engine for Ours {
    type Ready = Ready;

    fn label(&self) -> &str {
        &self.label
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn prepare(&self, case: &Case) -> Result<Option<Ready>, Box<dyn error::Error>> {
        Ok(Some(self.arguments(case)?))
    }

    fn time(&self, case: &Case, ready: &mut Ready) -> Result<Duration, Box<dyn error::Error>> {
        self.clear(ready)?;
        let dispatch = self.dispatch(case, ready)?;
        let start = Instant::now();
        dispatch.run()?;
        Ok(start.elapsed())
    }

    fn result(&self, ready: &Ready) -> Result<Vec<u32>, Box<dyn error::Error>> {
        Ok(ready.output.read()?)
    }
}
