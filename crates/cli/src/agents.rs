//! `wavetank agents`: the emulated GPUs and the CPU, as programs find them.

use std::fmt::Write;

use serde::Serialize;
use wavetank::environment::Settings;
use wavetank::numbers::{LDS_BYTES, MAX_GROUP_SIZE, SIMDS_PER_UNIT, waves_per_unit};
use wavetank::{ChipFacts, DEFAULT_CHIP, Device};

use crate::columns::Columns;
use crate::exit::{Failure, Result, print, print_json};
use crate::rocminfo;
use crate::target::check_gpus;

const EXAMPLES: &str = "\
Examples:
  wavetank agents                      a table of the GPUs
  wavetank agents --gpu gfx906:8G      one as programs find it with that option
  wavetank agents --gpu 'RX 580'
  wavetank agents --rocminfo --gpu gfx906
  wavetank agents --json | jq -r '.[].name'";

/// Lists the emulated GPUs, and the CPU that stands for them
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Agents {
    /// Only these GPUs, separated by commas, with the size of their memory if you like: gfx900:8G
    #[arg(long, value_name = "CHIP[:SIZE]")]
    gpu: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print the output of ROCm's rocminfo for GPUs that a driver has; without --gpu, for the GPU that `run` gives
    #[arg(long, conflicts_with = "json")]
    rocminfo: bool,
}

#[derive(Serialize)]
struct Agent {
    name: &'static str,
    kind: &'static str,
    /// The number of threads of this machine that run kernels.
    threads: usize,
    /// The number of compute units of the emulated chip; `None` for the CPU.
    compute_units: Option<u32>,
    #[serde(flatten)]
    gpu: Option<Gpu>,
}

/// The properties of an emulated GPU that programs can query. Sizes are in bytes, clocks in MHz.
#[derive(Serialize)]
struct Gpu {
    product: &'static str,
    other_names: Vec<&'static str>,
    isa: &'static str,
    chip_id: u32,
    shader_engines: u32,
    /// The number of dies that compute.
    xccs: u32,
    simds_per_unit: u32,
    waves_per_unit: u32,
    wave_size: u32,
    group_max_size: u32,
    lds_bytes: u32,
    l1_bytes: u32,
    l2_bytes: u32,
    memory_side_cache_bytes: u32,
    memory_bytes: u64,
    clock: u32,
    memory_clock: u32,
    memory_bus_bits: u32,
}

impl Gpu {
    fn new(facts: &ChipFacts, memory_bytes: u64) -> Gpu {
        Gpu {
            product: facts.product,
            other_names: facts.other_names(),
            isa: facts.isa,
            chip_id: facts.chip_id,
            shader_engines: facts.engines,
            xccs: facts.xccs,
            l1_bytes: facts.caches[0] << 10,
            l2_bytes: facts.caches[1] << 10,
            memory_side_cache_bytes: facts.caches[2] << 10,
            simds_per_unit: SIMDS_PER_UNIT,
            waves_per_unit: waves_per_unit(facts.chip),
            wave_size: 64,
            group_max_size: MAX_GROUP_SIZE,
            lds_bytes: LDS_BYTES,
            memory_bytes,
            clock: facts.clock,
            memory_clock: facts.memory_clock,
            memory_bus_bits: facts.memory_bits,
        }
    }
}

impl Agents {
    pub(crate) fn run(self) -> Result {
        // The GPUs set for programs are not listed here, but a wrong value is an error of every command.
        Settings::from_env().map_err(wavetank::Error::from)?;
        self.gpu.as_deref().map_or(Ok(()), check_gpus)?;
        if self.rocminfo {
            return self.rocminfo();
        }
        let mut agents = Vec::new();
        for (facts, memory) in self.gpus()? {
            let device = Device::builder(facts.chip).product(facts).build()?;
            agents.push(Agent {
                name: facts.chip.name(),
                kind: "gpu",
                threads: device.threads(),
                compute_units: Some(facts.compute_units),
                gpu: Some(Gpu::new(facts, memory)),
            });
        }
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let cpu = Agent {
            name: std::env::consts::ARCH,
            kind: "cpu",
            threads,
            compute_units: None,
            gpu: None,
        };
        agents.insert(0, cpu);
        if self.json {
            print_json(&agents)
        } else if self.gpu.is_none() {
            print(&table(&agents))
        } else {
            let texts: Vec<String> = agents.iter().enumerate().map(text).collect();
            print(&texts.join("\n"))
        }
    }
}

impl Agents {
    fn rocminfo(mut self) -> Result {
        let first = || DEFAULT_CHIP.name().to_owned();
        let default = std::env::var("WAVETANK_GPU")
            .ok()
            .filter(|gpus| !gpus.is_empty());
        self.gpu = self.gpu.or(default).or_else(|| Some(first()));
        let gpus = self.gpus()?;
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        print(&rocminfo::report("CPU", threads, &gpus))
    }

    /// Returns the requested GPUs, or else all, each with the memory that a program finds if it is the only GPU.
    fn gpus(&self) -> Result<Vec<(&'static ChipFacts, u64)>> {
        let names = match &self.gpu {
            Some(gpu) => vec![gpu.clone()],
            None => {
                let with_queues = ChipFacts::every().filter(|facts| facts.has_queues());
                with_queues.map(|facts| facts.name().into()).collect()
            }
        };
        let mut all = Vec::new();
        for name in names {
            let settings = Settings::read(|variable| match variable {
                "WAVETANK_GPU" => Some(name.clone().into()),
                variable => std::env::var_os(variable),
            });
            let settings = settings.map_err(|error| Failure::usage(error.to_string()))?;
            let gpus = settings.gpus.iter().map(|gpu| gpu.facts);
            all.extend(gpus.zip(settings.memory()));
        }
        Ok(all)
    }
}

/// Returns the agents as a table: a line for each GPU, and one for the CPU before.
fn table(agents: &[Agent]) -> String {
    let header = ["chip", "product", "units", "MHz", "other names"];
    let mut table = Columns::new(&header, &[2, 3], &[4, 3]);
    let mut text = String::new();
    for agent in agents {
        let (Some(gpu), Some(units)) = (&agent.gpu, agent.compute_units) else {
            let (name, threads) = (agent.name, agent.threads);
            text = format!("CPU {name}: {threads} of its threads run the kernels of each GPU\n\n");
            continue;
        };
        table.add(vec![
            agent.name.to_owned(),
            gpu.product.to_owned(),
            units.to_string(),
            gpu.clock.to_string(),
            gpu.other_names.join(", "),
        ]);
    }
    text + &table.text()
        + "\n`wavetank agents --gpu NAME` shows all of one, by any of these names\n"
}

/// Returns an agent as a list of its properties.
fn text((number, agent): (usize, &Agent)) -> String {
    let mut out = format!("Agent {number}\n");
    // Writing to a string does not fail.
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "  {:<28}{value}", format!("{name}:"));
    };
    line("Name", agent.name.to_owned());
    line("Device type", agent.kind.to_uppercase());
    line("Threads of this machine", agent.threads.to_string());
    let (Some(gpu), Some(units)) = (&agent.gpu, agent.compute_units) else {
        return out;
    };
    line("Marketing name", gpu.product.to_owned());
    line("ISA", gpu.isa.to_owned());
    line("Chip ID", format!("{:#06x}", gpu.chip_id));
    line("Compute units", units.to_string());
    line("Shader engines", gpu.shader_engines.to_string());
    line("Dies that compute (XCC)", gpu.xccs.to_string());
    line("SIMDs per compute unit", gpu.simds_per_unit.to_string());
    line("Waves per compute unit", gpu.waves_per_unit.to_string());
    line("Wavefront size", gpu.wave_size.to_string());
    line("Work-group max size", gpu.group_max_size.to_string());
    line(
        "LDS of a work-group",
        format!("{} KiB", gpu.lds_bytes >> 10),
    );
    let caches = [gpu.l1_bytes, gpu.l2_bytes, gpu.memory_side_cache_bytes];
    let caches: Vec<String> = caches
        .iter()
        .filter(|bytes| **bytes != 0)
        .map(|bytes| format!("{} KiB", bytes >> 10))
        .collect();
    line("Caches", caches.join(", "));
    line("Memory", format!("{} MiB", gpu.memory_bytes >> 20));
    line("Max clock", format!("{} MHz", gpu.clock));
    line(
        "Memory clock, bus",
        format!("{} MHz, {} bits", gpu.memory_clock, gpu.memory_bus_bits),
    );
    out
}
