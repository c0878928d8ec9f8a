//! `wavetank agents`: the processors that programs can be run on.

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use wavetank::SUPPORTED_CHIPS;

use crate::code_file::device;
use crate::exit::{Result, print, print_json};

const EXAMPLES: &str = "\
Examples:
  wavetank agents
  wavetank agents --json | jq -r '.[].name'";

/// Lists the emulated GPUs, and the CPU that stands for them
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Agents {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Agent {
    name: &'static str,
    kind: &'static str,
    /// Compute units of the chip that is emulated; none for the CPU.
    compute_units: Option<u32>,
    /// Threads of this machine that do the work.
    threads: usize,
}

impl Agents {
    pub fn run(self) -> Result {
        let mut agents = Vec::new();
        for chip in SUPPORTED_CHIPS {
            let device = device(*chip, None)?;
            agents.push(Agent {
                name: chip.name(),
                kind: "gpu",
                compute_units: Some(device.compute_units()),
                threads: device.threads(),
            });
        }
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let cpu = Agent {
            name: std::env::consts::ARCH,
            kind: "cpu",
            compute_units: None,
            threads,
        };
        agents.insert(0, cpu);
        match self.json {
            true => print_json(&agents),
            false => print(&table(&agents)),
        }
    }
}

fn table(agents: &[Agent]) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["agent", "kind", "compute units", "threads"]);
    for agent in agents {
        table.add_row([
            agent.name.to_owned(),
            agent.kind.to_owned(),
            agent.compute_units.map_or(String::new(), |n| n.to_string()),
            agent.threads.to_string(),
        ]);
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n")
}
