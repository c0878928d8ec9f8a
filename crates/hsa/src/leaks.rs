//! `WAVETANK_CHECK_LEAKS`: memory that a program allocates and never frees.
//!
//! Runtimes keep allocations of their own until the program ends. Told is what a function gave that allocates for programs,
//! `hipMalloc` for instance. The first such call may begin the runtime, too; what the program asked for comes last, and by a way
//! of its own through the runtime. So of each place in the program the way of the last allocation counts.

use std::collections::HashMap;
use std::sync::Mutex;

use wavetank::check::{Mark, Stack};
use wavetank::object::Source;
use wavetank::{Finding, Place, Tool};

use crate::callers::{Callers, Told};
use crate::state::{lock, settings};
use crate::{checks, origins};

/// How the functions begin that give memory to programs.
const ALLOCATE: [&str; 13] = [
    "hipMalloc",
    "hipHostMalloc",
    "hipHostAlloc",
    "hipExtMalloc",
    "hipMemAlloc",
    "hipArrayCreate",
    "hipArray3DCreate",
    "clCreateBuffer",
    "clCreateImage",
    "clSVMAlloc",
    "omp_target_alloc",
    "llvm_omp_target_alloc",
    "omp_alloc",
];

/// What they begin with if they give memory of a pool, which keeps what the program frees.
const OF_POOLS: [&str; 2] = ["hipMallocAsync", "hipMallocFromPool"];

/// A place in the program with what called it, and a way through the runtime from there.
type Site = Box<[usize]>;
type Way = Box<[usize]>;

/// The way of the last allocation of each place, and the process that made them: children that are forked leave no memory.
static LAST: Mutex<Option<(u32, HashMap<Site, Way>)>> = Mutex::new(None);

fn wanted() -> bool {
    settings().as_ref().is_ok_and(|settings| settings.leaks)
}

/// The program makes an allocation.
pub fn made(callers: &Callers) {
    if wanted() {
        let (site, way) = callers.parts();
        let mut last = lock(&LAST);
        let (_, last) = last.get_or_insert_with(|| (std::process::id(), HashMap::new()));
        last.insert(site, way);
    }
}

/// Called when the program and all that uses this library have been destructed.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_END: extern "C" fn() = tell;

extern "C" fn tell() {
    let last = lock(&LAST).take();
    if let Some((_, last)) = last.filter(|(process, _)| *process == std::process::id()) {
        // Nothing unwinds out of it.
        let found = std::panic::catch_unwind(|| found(&last)).unwrap_or_default();
        found.iter().for_each(checks::tell_of_program);
    }
}

/// A finding for each place in the program that has made what is there still.
fn found(last: &HashMap<Site, Way>) -> Vec<Finding> {
    let mut sites: HashMap<Site, (Callers, u64, u64)> = HashMap::new();
    for (callers, bytes) in origins::live() {
        let (site, way) = callers.parts();
        if last.get(&site) == Some(&way) {
            let (_, count, sum) = sites.entry(site).or_insert((callers, 0, 0));
            *count += 1;
            *sum += bytes;
        }
    }
    let mut told: Vec<(Told, u64, u64)> = Vec::new();
    for (callers, count, sum) in sites.into_values() {
        // A loop that is unrolled has several places for one line.
        let new = callers.told();
        match told
            .iter_mut()
            .find(|(known, ..)| known.frames == new.frames)
        {
            Some((_, known, bytes)) => (*known, *bytes) = (*known + count, *bytes + sum),
            None => told.push((new, count, sum)),
        }
    }
    let told = told.into_iter();
    let told = told.filter_map(|(told, count, sum)| finding(told, count, sum));
    let mut told: Vec<Finding> = told.collect();
    told.sort_by_key(|finding| finding.at.place.pc);
    told
}

/// What some calls of the program have left; `None` if it did not ask for memory.
fn finding(told: Told, count: u64, bytes: u64) -> Option<Finding> {
    let begins = |entry: &str, names: &[&str]| names.iter().any(|name| entry.starts_with(name));
    let allocates = |entry: &String| begins(entry, &ALLOCATE) && !begins(entry, &OF_POOLS);
    let (address, frame) = told.own?;
    told.entry.as_ref().is_none_or(allocates).then_some(())?;
    let message = match count {
        1 => format!("an allocation of {bytes} bytes is never freed"),
        n => format!("{n} allocations of {bytes} bytes in all are never freed"),
    };
    let source = Source {
        frames: vec![frame],
    };
    Some(Finding {
        tool: Tool::Memory,
        rule: "leak",
        kernel: String::new(),
        message,
        at: Mark {
            place: Place {
                source,
                ..Place::at(address)
            },
            label: "allocated here".to_owned(),
        },
        related: Vec::new(),
        host: vec![Stack {
            label: "it was allocated here".to_owned(),
            frames: told.frames,
        }],
        notes: Vec::new(),
        help: None,
        times: 1,
    })
}
