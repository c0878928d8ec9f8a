//! The kernels on the emulated GPU.

use std::error;
use std::time::{Duration, Instant};

use wavetank::{Arg, Buffer, Chip, Compiled, Device, Dispatch, EngineChoice, Error, Module, Simd};

use crate::cases::{Case, Contents, GROUP, Launch, Param};
use crate::turns::Engine;

const CODE: &[u8] = include_bytes!("../data/libraries-gfx900.hsaco");

/// A device with the kernels loaded.
pub(crate) struct Ours {
    label: String,
    engine: EngineChoice,
    threads: usize,
    simd: Simd,
    device: Device,
    module: Module,
}

/// The buffers of a case, and that of the result.
pub(crate) struct Ready {
    buffers: Vec<Buffer>,
    output: Buffer,
}

/// What a run of a case does.
#[derive(Default)]
pub(crate) struct Instructions {
    /// Wave instructions.
    pub waves: u64,
    /// Those of them that ran compiled.
    pub compiled: u64,
    /// What was compiled for them.
    pub code: Compiled,
}

impl Ours {
    pub(crate) fn new(engine: EngineChoice, threads: usize, simd: Simd) -> Result<Ours, Error> {
        let what = match engine {
            EngineChoice::Interpreter => "interpreted",
            _ => "compiled",
        };
        let device = Device::builder(Chip::Gfx900).threads(threads).simd(simd);
        let device = device.engine(engine).build()?;
        let module = device.load(CODE)?;
        Ok(Ours {
            label: format!("{what}, {simd:?}"),
            engine,
            threads,
            simd,
            device,
            module,
        })
    }

    /// What one run does once everything hot is compiled, on a device of its own: what is compiled is told of all kernels
    /// that a module ran.
    pub(crate) fn work(&self, case: &Case) -> Result<Instructions, Error> {
        let fresh = Ours::new(self.engine, self.threads, self.simd)?;
        let buffers = fresh.buffers(case)?;
        let first = fresh.count(case, &buffers)?;
        let mut work = fresh.count(case, &buffers)?;
        // The second run finds code that the first has compiled.
        work.code.add(&first.code);
        Ok(work)
    }

    fn count(&self, case: &Case, buffers: &[Buffer]) -> Result<Instructions, Error> {
        let mut work = Instructions::default();
        for launch in &case.launches {
            let report = self.dispatch(launch, buffers)?.count(true).run()?;
            let counts = report.instructions.unwrap_or_default();
            work.waves += counts.waves();
            work.compiled += counts.compiled;
            work.code.add(&report.compiled.unwrap_or_default());
        }
        Ok(work)
    }

    fn buffers(&self, case: &Case) -> Result<Vec<Buffer>, Error> {
        let buffer = |contents: &Contents| match contents {
            Contents::Words(words) => self.device.buffer_from(words),
            Contents::Zeros(words) => self.device.buffer_zeroed(4 * *words as u64),
        };
        case.buffers.iter().map(buffer).collect()
    }

    fn dispatch(&self, launch: &Launch, buffers: &[Buffer]) -> Result<Dispatch<'static>, Error> {
        let kernel = self.module.kernel(launch.kernel)?;
        let [x, y] = launch.groups;
        let dispatch = kernel.dispatch().grid([x * GROUP, y]).block([GROUP, 1]);
        let arg = |param: &Param| -> Arg {
            match *param {
                Param::Buffer(number) => buffers[number].clone().into(),
                Param::Value(value) => value.into(),
            }
        };
        Ok(dispatch.args(launch.params.iter().map(arg)))
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
        let buffers = self.buffers(case)?;
        let output = buffers[case.output].clone();
        Ok(Some(Ready { buffers, output }))
    }

    fn time(&self, case: &Case, ready: &mut Ready) -> Result<Duration, Box<dyn error::Error>> {
        let zeros = vec![0u8; ready.output.len() as usize];
        ready.output.write_at(0, &zeros)?;
        let launches = case.launches.iter();
        let dispatches: Vec<_> = launches
            .map(|launch| self.dispatch(launch, &ready.buffers))
            .collect::<Result<_, _>>()?;
        let start = Instant::now();
        for dispatch in dispatches {
            dispatch.run()?;
        }
        Ok(start.elapsed())
    }

    fn result(&self, ready: &Ready) -> Result<Vec<u32>, Box<dyn error::Error>> {
        Ok(ready.output.read()?)
    }
}
