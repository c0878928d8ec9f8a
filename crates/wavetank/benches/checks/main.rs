//! Prints what tools and hooks cost: the time of kernels with each, to that without any in the same run.
//!
//! `hook: ends` is a hook on one mnemonic that each wave executes once, so that it shows what it costs the rest; `hook: stores`
//! gets the accesses of each store.
//!
//! `cargo bench -p wavetank --bench checks [-- [--quick] [NAME…]]`. One thread; interpreted, and compiled. All take turns, and
//! the shortest time of each counts.

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
use std::time::{Duration, Instant};

use wavetank::hooks::{Accesses, Hooks, Places};
use wavetank::{Arg, Chip, Device, EngineChoice, Module, Tool, Tools};

use cases::{Case, Param};

const CODE: &[u8] = include_bytes!("../data/bench-gfx900.hsaco");
const TURNS: usize = 3;

/// The hooks of a launch.
type MakeHooks = fn() -> Hooks<'static>;

/// What is compared.
const SETS: [(&str, Tools, MakeHooks); 8] = [
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
    ("hook: ends", Tools::of(&[]), || {
        Hooks::default().instructions(Places::all().mnemonic("s_endpgm"), |_| Continue(()))
    }),
    ("hook: stores", Tools::of(&[]), || {
        Hooks::default().accesses(Accesses::all().stores(), |_, _| Continue(()))
    }),
];

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo passes `--bench`.
    let args: Vec<String> = std::env::args().skip(1).collect();
    let quick = args.iter().any(|arg| arg == "--quick");
    let names: Vec<_> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let chosen = |case: &Case| names.is_empty() || names.iter().any(|n| *n == case.name);
    for (engine, label) in [
        (EngineChoice::Interpreter, "interpreted"),
        (EngineChoice::Auto, "compiled"),
    ] {
        let device = Device::builder(Chip::Gfx900).threads(1).engine(engine);
        let device = device.build()?;
        println!("{:<14}{:>10}   times that of none", label, "ms");
        print_row("", SETS.iter().skip(1).map(|(name, ..)| (*name).to_owned()));
        let mut products = [0.0; SETS.len()];
        let mut count = 0;
        for case in cases::cases(quick).into_iter().filter(chosen) {
            let times = measure(&device, &case)?;
            let none = times[0].as_secs_f64();
            let ratios = times.map(|time| time.as_secs_f64() / none);
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

/// The shortest time of each set of tools.
fn measure(device: &Device, case: &Case) -> Result<[Duration; SETS.len()], Box<dyn Error>> {
    // What has been read of a module is not read again: each set has its own.
    let modules: Result<Vec<Module>, _> = SETS.iter().map(|_| device.load(CODE)).collect();
    let modules = modules?;
    let mut args: Vec<Arg> = Vec::new();
    for param in &case.params {
        args.push(match param {
            Param::Input(words) => device.buffer_from(words)?.into(),
            Param::Output(words) => device.buffer_zeroed(4 * *words as u64)?.into(),
            Param::Value(value) => (*value).into(),
        });
    }
    let mut best = [Duration::MAX; SETS.len()];
    for _ in 0..TURNS {
        for (n, (name, tools, hooks)) in SETS.iter().enumerate() {
            let kernel = modules[n].kernel(case.name)?;
            let dispatch = kernel.dispatch().grid(case.grid.map(|n| n as u32));
            let dispatch = dispatch.block(case.block.map(|n| n as u32));
            let dispatch = dispatch.args(args.iter().cloned()).check(*tools);
            let hooks = hooks();
            let dispatch = if name.starts_with("hook") {
                dispatch.hooks(&hooks)
            } else {
                dispatch
            };
            let start = Instant::now();
            let report = dispatch.run()?;
            best[n] = best[n].min(start.elapsed());
            assert!(report.findings.is_empty(), "{:?}", report.findings);
        }
    }
    Ok(best)
}
