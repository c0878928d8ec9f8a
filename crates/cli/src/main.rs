//! The `wavetank` command. Each subcommand is a module with its arguments and a function `run`.

mod agents;
mod asm;
mod atomics;
mod bundle;
mod captured;
mod cc;
mod check;
mod code_file;
mod columns;
mod demo;
mod diagram;
mod dis;
mod exec;
mod exit;
mod explain;
mod failure;
mod fidelity;
mod fold;
mod hex_lines;
mod host;
mod info;
mod input;
mod isa;
mod junit;
mod lanes;
mod launch;
mod manual;
mod out_of_memory;
mod output;
mod pager;
mod paint;
mod profile;
mod progress;
mod reference;
mod rocminfo;
mod run;
mod running;
mod search_path;
mod seconds;
mod source;
mod statistics;
mod surface_isa;
mod target;
mod terminal;
mod unknown;
mod whole;
mod wrong_lines;

use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use pager::Pager;

/// Runs and explains GPU machine code (AMD GCN, Vega) on the CPU.
#[derive(Parser)]
#[command(name = "wavetank", version, arg_required_else_help = true, after_help = EXAMPLES)]
struct Cli {
    /// Do not show long output page by page
    #[arg(long, global = true)]
    no_pager: bool,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  wavetank demo                  a first picture, computed by Vega machine code
  wavetank run ./a.out           a HIP, OpenCL or OpenMP program on an emulated GPU
                                 (also without the word `run`)
  wavetank info kernels.hsaco    what is in a code object
  wavetank launch vecadd.hsaco --grid 1024 --block 64 --arg iota:f32:1024 \\
      --arg rand:f32:1024 --arg print:f32:1024 --arg i32:1024
  wavetank check kernels.hsaco   missing waits and wait states in machine code
  wavetank profile -- ./a.out    what kernels do, by line, with advice
  wavetank exec 'v_lshl_add_u32 v0, v1, 4, v2' v1=0..63 v2=100
                                                  one instruction on a given state
  echo 'v_add_f32 v0, 1.0, v1' | wavetank asm --show-encoding -
  wavetank dis vecadd.hsaco      its machine code as text
  wavetank cc -target amdgcn-amd-amdhsa -mcpu=gfx900 -c k.s -o k.o
                                 in the place of clang, for assembly and linking
  wavetank isa --coverage        every instruction, and how exactly it is executed

Exit codes: 0 done; 1 the kernel failed (fault, unsupported instruction,
timeout), or something was found; 2 the call or a file is wrong.";

#[derive(Subcommand)]
enum Command {
    Demo(demo::Demo),
    Run(run::Run),
    Info(info::Info),
    Launch(launch::Launch),
    Check(check::Check),
    Profile(profile::Profiled),
    Agents(agents::Agents),
    Exec(exec::Exec),
    #[command(alias = "assemble")]
    Asm(asm::Asm),
    #[command(aliases = ["disasm", "disassemble", "objdump"])]
    Dis(dis::Dis),
    Cc(cc::Cc),
    Bundle(bundle::Bundle),
    Unbundle(bundle::Unbundle),
    Explain(explain::Explain),
    Isa(isa::Isa),
    Completions(manual::Completions),
    Man(manual::Man),
}

impl Command {
    /// Whether the output goes to the pager: it is text for people, and not the progress of a long run.
    fn is_paged(&self) -> bool {
        use Command::*;
        match self {
            Info(_) | Agents(_) | Exec(_) | Dis(_) | Explain(_) | Isa(_) => true,
            Asm(asm) => asm.prints(),
            Check(check) => check.is_read(),
            Profile(profile) => profile.is_read(),
            Cc(_) | Demo(_) | Run(_) | Launch(_) | Bundle(_) | Unbundle(_) | Completions(_)
            | Man(_) => false,
        }
    }
}

#[global_allocator]
static MEMORY: out_of_memory::ExitOnOom = out_of_memory::ExitOnOom;

fn main() -> ExitCode {
    host::fail_large_writes();
    let mut words = std::env::args_os();
    let program = words.next().unwrap_or_default();
    if let Some(tool) = cc::Tool::of_program(Path::new(&program)) {
        return cc::run(tool, &program.to_string_lossy(), words.collect());
    }
    let cli: Cli = unknown::parse();
    let pager = (!cli.no_pager && cli.command.is_paged())
        .then(Pager::start)
        .flatten();
    let result = match cli.command {
        Command::Demo(demo) => demo.run(),
        Command::Run(run) => match run.run() {
            Ok(code) => return code,
            Err(failure) => Err(failure),
        },
        Command::Profile(profile) => match profile.run() {
            Ok(code) => {
                drop(pager);
                return code;
            }
            Err(failure) => Err(failure),
        },
        Command::Info(info) => info.run(),
        Command::Launch(launch) => launch.run(),
        Command::Check(check) => match check.run() {
            Ok(end) => {
                drop(pager);
                return end.print();
            }
            Err(failure) => Err(failure),
        },
        Command::Agents(agents) => agents.run(),
        Command::Exec(exec) => exec.run(),
        Command::Asm(asm) => asm.run(),
        Command::Dis(dis) => dis.run(),
        Command::Cc(cc) => return cc.run(),
        Command::Bundle(bundle) => bundle.run(),
        Command::Unbundle(unbundle) => unbundle.run(),
        Command::Explain(explain) => explain.run(),
        Command::Isa(isa) => isa.run(),
        Command::Completions(completions) => completions.run(Cli::command()),
        Command::Man(man) => man.run(Cli::command()),
    };
    // The pager ends before the error is printed.
    drop(pager);
    exit::code(result)
}
