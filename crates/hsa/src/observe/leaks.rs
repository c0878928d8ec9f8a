//! `WAVETANK_CHECK_LEAKS`: memory that a program allocates and never frees.
//!
//! Runtimes keep allocations of their own until the program ends. Reported are the allocations of functions that allocate for
//! programs, such as `hipMalloc`. The first such call may also initialise the runtime. The allocation for the program comes last,
//! on a path of its own through the runtime. So for each site in the program, the path of its last allocation counts.

use std::collections::HashMap;

use wavetank::check::{Mark, Stack};
use wavetank::object::Source;
use wavetank::{Finding, Place, Tool};

use super::allocation_sites::{self, Path, Site};
use super::backtrace::{Backtrace, Symbolized};
use super::{checks, undefined};

/// Prefixes of functions that allocate for programs.
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

/// Prefixes of functions that allocate from a pool, which keeps memory that the program frees.
const OF_POOLS: [&str; 2] = ["hipMallocAsync", "hipMallocFromPool"];

/// The destructor that runs after those of the program and of all users of this library.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_END: extern "C" fn() = report;

extern "C" fn report() {
    // A destructor must not unwind.
    let _ = std::panic::catch_unwind(undefined::ends);
    if let Some(last) = allocation_sites::take_last_paths() {
        // A destructor must not unwind.
        let found = std::panic::catch_unwind(|| found(&last)).unwrap_or_default();
        found.iter().for_each(checks::report_in_program);
    }
}

/// A finding for each site in the program that has made a live allocation.
fn found(last: &HashMap<Site, Path>) -> Vec<Finding> {
    let mut sites: HashMap<Site, (Backtrace, u64, u64)> = HashMap::new();
    for (backtrace, bytes) in allocation_sites::live() {
        let (site, path) = backtrace.parts();
        if last.get(&site) == Some(&path) {
            let (_, count, sum) = sites.entry(site).or_insert((backtrace, 0, 0));
            *count += 1;
            *sum += bytes;
        }
    }
    let mut named: Vec<(Symbolized, u64, u64)> = Vec::new();
    for (backtrace, count, sum) in sites.into_values() {
        // An unrolled loop has several sites for one line.
        let new = backtrace.symbolize();
        match named
            .iter_mut()
            .find(|(known, ..)| known.frames == new.frames)
        {
            Some((_, known, bytes)) => (*known, *bytes) = (*known + count, *bytes + sum),
            None => named.push((new, count, sum)),
        }
    }
    let named = named.into_iter();
    let named = named.filter_map(|(named, count, sum)| finding(named, count, sum));
    let mut named: Vec<Finding> = named.collect();
    named.sort_by_key(|finding| finding.at.place.pc);
    named
}

/// The finding for live allocations of one backtrace; `None` for an allocation that the program did not request.
fn finding(named: Symbolized, count: u64, bytes: u64) -> Option<Finding> {
    let begins = |entry: &str, names: &[&str]| names.iter().any(|name| entry.starts_with(name));
    let allocates = |entry: &String| begins(entry, &ALLOCATE) && !begins(entry, &OF_POOLS);
    let (address, frame) = named.own?;
    named.entry.as_ref().is_none_or(allocates).then_some(())?;
    let message = match count {
        1 if bytes == 1 => "an allocation of 1 byte is never freed".to_owned(),
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
            items: None,
        },
        related: Vec::new(),
        host: vec![Stack {
            label: "allocated here".to_owned(),
            frames: named.frames,
        }],
        notes: Vec::new(),
        help: None,
        address: None,
        also: Vec::new(),
        times: 1,
    })
}
