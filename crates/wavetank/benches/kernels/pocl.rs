//! The same source compiled for the CPU by PoCL, where it is installed.

use std::error::Error;
use std::ptr;
use std::time::{Duration, Instant};

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_CPU, Device};
use opencl3::kernel::Kernel;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, ClMem};
use opencl3::platform::get_platforms;
use opencl3::program::Program;
use opencl3::types::CL_BLOCKING;

use crate::cases::{Case, Param};
use crate::turns::Engine;

const SOURCE: &str = include_str!("../data/bench.cl");

/// A CPU device of PoCL with the kernels built.
pub(crate) struct Pocl {
    label: String,
    threads: usize,
    context: Context,
    queue: CommandQueue,
    program: Program,
}

/// A kernel with its arguments.
pub(crate) struct Ready {
    kernel: Kernel,
    /// Kept alive: the kernel names them.
    _inputs: Vec<Buffer<u32>>,
    output: Buffer<u32>,
    words: usize,
}

impl Pocl {
    /// PoCL's first CPU device; `Err` says why there is none.
    pub(crate) fn new() -> Result<Pocl, String> {
        let platforms = get_platforms().map_err(|_| "no OpenCL loader finds a platform")?;
        let named = |name: &str| name.contains("Portable Computing Language");
        let platform = platforms
            .iter()
            .find(|p| p.name().is_ok_and(|name| named(&name)))
            .ok_or("no OpenCL platform is PoCL")?;
        let devices = platform.get_devices(CL_DEVICE_TYPE_CPU).map_err(text)?;
        let device = Device::new(*devices.first().ok_or("PoCL has no CPU device")?);
        let threads = device.max_compute_units().map_err(text)?;
        let context = Context::from_device(&device).map_err(text)?;
        // SAFETY: the device is one of the context.
        let queue = unsafe { CommandQueue::create(&context, device.id(), 0) };
        let program = Program::create_and_build_from_source(&context, SOURCE, "")?;
        Ok(Pocl {
            label: format!("PoCL, {threads} threads"),
            threads: threads as usize,
            context,
            queue: queue.map_err(text)?,
            program,
        })
    }

    fn arguments(&self, case: &Case) -> Result<Ready, String> {
        let kernel = Kernel::create(&self.program, case.name).map_err(text)?;
        let mut inputs = Vec::new();
        let mut output = None;
        for (n, param) in (0..).zip(&case.params) {
            // SAFETY: the kernels take buffers and 32-bit numbers in the order of the case.
            let set = unsafe {
                match param {
                    Param::Input(words) => {
                        let mut buffer = self.buffer(words.len())?;
                        self.write(&mut buffer, words)?;
                        inputs.push(buffer);
                        kernel.set_arg(n, &inputs[inputs.len() - 1].get())
                    }
                    Param::Output(words) => {
                        let (buffer, _) = output.insert((self.buffer(*words)?, *words));
                        kernel.set_arg(n, &buffer.get())
                    }
                    Param::Value(value) => kernel.set_arg(n, value),
                }
            };
            set.map_err(text)?;
        }
        let (output, words) = output.expect("every case has an output");
        Ok(Ready {
            kernel,
            _inputs: inputs,
            output,
            words,
        })
    }

    fn buffer(&self, words: usize) -> Result<Buffer<u32>, String> {
        // SAFETY: no host memory is shared.
        let buffer =
            unsafe { Buffer::create(&self.context, CL_MEM_READ_WRITE, words, ptr::null_mut()) };
        buffer.map_err(text)
    }

    fn write(&self, buffer: &mut Buffer<u32>, words: &[u32]) -> Result<(), String> {
        // SAFETY: the write blocks, and the buffer has as many words.
        let event = unsafe {
            self.queue
                .enqueue_write_buffer(buffer, CL_BLOCKING, 0, words, &[])
        };
        event.map(drop).map_err(text)
    }
}

impl Engine for Pocl {
    type Ready = Ready;

    fn label(&self) -> &str {
        &self.label
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn prepare(&self, case: &Case) -> Result<Option<Ready>, Box<dyn Error>> {
        Ok(Some(self.arguments(case)?))
    }

    /// From the call to the end of the queue.
    fn time(&self, case: &Case, ready: &mut Ready) -> Result<Duration, Box<dyn Error>> {
        self.write(&mut ready.output, &vec![0; ready.words])?;
        let start = Instant::now();
        // SAFETY: all arguments were set and the sizes are two numbers each.
        let event = unsafe {
            self.queue.enqueue_nd_range_kernel(
                ready.kernel.get(),
                2,
                ptr::null(),
                case.grid.as_ptr(),
                case.block.as_ptr(),
                &[],
            )
        };
        event.map_err(text)?;
        self.queue.finish().map_err(text)?;
        Ok(start.elapsed())
    }

    fn result(&self, ready: &Ready) -> Result<Vec<u32>, Box<dyn Error>> {
        let mut out = vec![0; ready.words];
        // SAFETY: the read blocks, and the buffer has as many words.
        let event = unsafe {
            self.queue
                .enqueue_read_buffer(&ready.output, CL_BLOCKING, 0, &mut out, &[])
        };
        event.map_err(text)?;
        Ok(out)
    }
}

fn text(error: impl std::fmt::Display) -> String {
    format!("OpenCL says: {error}")
}
