//! Prints what tools, hooks and profiles cost: the time of kernels with each, to that without any in the same run.
//!
//! `hook:ends` is a hook on one mnemonic that each wave executes once, so that it shows what it costs the rest; `hook:stores`
//! gets the accesses of each store.
//!
//! `cargo bench -p wavetank --bench checks [-- [--quick] [--compiled] [--sets=SET,…] [NAME…]]`. One thread; interpreted, and compiled,
//! or only the latter. All take turns, and the shortest processor time of each counts, so that other programs count for little. Of
//! `--sets`, each of which is `memory`, `wait+hazard`, `init`, `race`, `all`, `hook:ends`, `hook:stores` or `profile`, only these
//! are measured.

#[allow(dead_code, reason = "what it says of results is for another bench")]
#[path = "../kernels/agreement.rs"]
mod agreement;
#[allow(dead_code, reason = "how results agree is for another bench")]
#[path = "../kernels/cases.rs"]
mod cases;
#[path = "../kernels/words.rs"]
mod words;

use std::error::Error;
use std::ops::ControlFlow::Continue;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

use wavetank::hooks::{Accesses, Hooks, Places};
use wavetank::profile::Profiler;
use wavetank::{Arg, Chip, Device, EngineChoice, Module, Tool, Tools};

use cases::{Case, Param};

const CODE: &[u8] = include_bytes!("../data/bench-gfx900.hsaco");
const TURNS: usize = 3;

/// The hooks of a launch.
type MakeHooks = fn() -> Hooks<'static>;

/// A set of tools and hooks, with its name.
type Set = (&'static str, Tools, MakeHooks);

/// What is compared.
const SETS: [Set; 9] = [
    ("none", Tools::of(&[]), Hooks::default),
    ("memory", Tools::of(&[Tool::Memory]), Hooks::default),
    (
        "wait+hazard",
        Tools::of(&[Tool::Wait, Tool::Hazard]),
        Hooks::default,
    ),
    ("init", Tools::of(&[Tool::Init]), Hooks::default),
    ("race", Tools::of(&[Tool::Race]), Hooks::default),
    ("all", Tools::DEFAULT, Hooks::default),
    ("hook:ends", Tools::of(&[]), || {
        Hooks::default().instructions(Places::all().mnemonic("s_endpgm"), |_| Continue(()))
    }),
    ("hook:stores", Tools::of(&[]), || {
        Hooks::default().accesses(Accesses::all().stores(), |_, _| Continue(()))
    }),
    ("profile", Tools::of(&[]), Hooks::default),
];

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo passes `--bench`.
    let args: Vec<String> = std::env::args().skip(1).collect();
    let quick = args.iter().any(|arg| arg == "--quick");
    let names: Vec<_> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let chosen = |case: &Case| names.is_empty() || names.iter().any(|n| *n == case.name);
    let wanted = args.iter().find_map(|arg| arg.strip_prefix("--sets="));
    let is_wanted = |(name, ..): &Set| {
        let mut wanted = wanted.iter().flat_map(|sets| sets.split(','));
        wanted.clone().next().is_none() || *name == "none" || wanted.any(|set| set == *name)
    };
    let sets: Vec<Set> = SETS.into_iter().filter(is_wanted).collect();
    let engines = [
        (EngineChoice::Interpreter, "interpreted"),
        (EngineChoice::Auto, "compiled"),
    ];
    let only_compiled = args.iter().any(|arg| arg == "--compiled");
    for (engine, label) in engines.into_iter().skip(usize::from(only_compiled)) {
        let device = Device::builder(Chip::Gfx900).threads(1).engine(engine);
        let device = device.build()?;
        println!("{:<14}{:>10}   times that of none", label, "ms");
        print_row("", sets.iter().skip(1).map(|(name, ..)| (*name).to_owned()));
        let mut products = vec![0.0; sets.len()];
        let mut count = 0;
        for case in cases::cases(quick).into_iter().filter(chosen) {
            let times = measure(&device, &case, &sets)?;
            let none = times[0].as_secs_f64();
            let ratios: Vec<f64> = times.iter().map(|time| time.as_secs_f64() / none).collect();
            let shown = ratios.iter().skip(1).map(|ratio| format!("{ratio:.2}"));
            print_row(&format!("{:<14}{:>10.1}", case.name, 1e3 * none), shown);
            for (product, ratio) in products.iter_mut().zip(ratios) {
                *product += ratio.ln();
            }
            count += 1;
        }
        let means = products
            .iter()
            .map(|sum| (sum / f64::from(count.max(1))).exp());
        let shown = means.skip(1).map(|mean| format!("{mean:.2}"));
        print_row("geometric mean", shown);
        println!();
    }
    Ok(())
}

fn print_row(head: &str, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.map(|cell| format!("{cell:>12}")).collect();
    println!("{head:<24}{}", cells.concat());
}

/// The processor time of this process.
fn now() -> Result<Duration, nix::Error> {
    Ok(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?.into())
}

/// The shortest time of each set of tools.
fn measure(device: &Device, case: &Case, sets: &[Set]) -> Result<Vec<Duration>, Box<dyn Error>> {
    // What has been read of a module is not read again: each set has its own.
    let modules: Result<Vec<Module>, _> = sets.iter().map(|_| device.load(CODE)).collect();
    let modules = modules?;
    let mut args: Vec<Arg> = Vec::new();
    for param in &case.params {
        args.push(match param {
            Param::Input(words) => device.buffer_from(words)?.into(),
            Param::Output(words) => device.buffer_zeroed(4 * *words as u64)?.into(),
            Param::Value(value) => (*value).into(),
        });
    }
    let mut best = vec![Duration::MAX; sets.len()];
    for _ in 0..TURNS {
        for (n, (name, tools, hooks)) in sets.iter().enumerate() {
            let kernel = modules[n].kernel(case.name)?;
            let dispatch = kernel.dispatch().grid(case.grid.map(|n| n as u32));
            let dispatch = dispatch.block(case.block.map(|n| n as u32));
            let dispatch = dispatch.args(args.iter().cloned()).check(*tools);
            let hooks = hooks();
            let profiler = Profiler::default();
            let dispatch = if name.starts_with("hook") {
                dispatch.hooks(&hooks)
            } else if *name == "profile" {
                dispatch.profile(&profiler)
            } else {
                dispatch
            };
            let start = now()?;
            let report = dispatch.run()?;
            best[n] = best[n].min(now()? - start);
            assert!(report.findings.is_empty(), "{:?}", report.findings);
        }
    }
    Ok(best)
}
