//! Undefined memory, for the tool `init`: device memory that has not been written, and copies of it to the host.
//!
//! Device memory is undefined until a kernel, a copy or a fill writes it. Accesses of the host and of other processes are not
//! observed: memory that they can access is always defined.

use std::ops::Range;
use std::sync::Mutex;

use wavetank::check::Extra;
use wavetank::check::init::left_in_memory;
use wavetank::{Finding, Kernel, Tool, UndefinedStore};

use super::checks;
use crate::agent;
use crate::memory::{self, Kind, MemoryInfo, Origin, host_address};
use crate::state::{lock, runtime};

/// Whether the checker `init` is enabled.
pub(crate) fn enabled() -> bool {
    checks::tools().has(Tool::Init)
}

/// Stores of undefined bits to device memory that have a finding, one for each instruction.
static STORES: Mutex<Vec<Stored>> = Mutex::new(Vec::new());

struct Stored {
    kernel: Kernel,
    within: Range<u64>,
    finding: Finding,
}

/// Whether the program can access an address by kernels and copies only.
fn is_unseen(address: u64) -> bool {
    memory::find(address).is_some_and(|known| {
        known.origin == Origin::Allocated
            && known.flags == Kind::Device.flags()
            && known.owner != agent::cpu()
    })
}

/// Copies the definedness of bytes that were copied.
pub(crate) fn copied(to: u64, from: u64, bytes: u64) {
    if !enabled() {
        return;
    }
    let [to, from] = [to, from].map(host_address);
    let Ok(runtime) = runtime() else { return };
    let registry = runtime.registry();
    // The registry contains neither memory of the program nor freed memory.
    let _ = match (is_unseen(to), is_unseen(from)) {
        (true, true) => registry.copy_undefined(from, to, bytes),
        (true, false) => registry.set_undefined(to, bytes, false),
        (false, true) => {
            host_gets(from, bytes);
            Ok(())
        }
        (false, false) => Ok(()),
    };
}

/// Marks bytes as defined that were filled, or become visible to another process, which may write them.
pub(crate) fn filled(to: u64, bytes: u64) {
    if enabled()
        && let Ok(runtime) = runtime()
    {
        let _ = runtime
            .registry()
            .set_undefined(host_address(to), bytes, false);
    }
}

/// Records the undefined bits that an ended kernel has stored.
pub(crate) fn stored(kernel: &Kernel, stores: Vec<UndefinedStore>) {
    let Ok(runtime) = runtime() else { return };
    let mut known = lock(&STORES);
    for UndefinedStore { within, finding } in stores {
        let (start, bytes) = (within.start, within.end - within.start);
        if !is_unseen(start) {
            // The host may write there at any time.
            let _ = runtime.registry().set_undefined(start, bytes, false);
            continue;
        }
        let Some(finding) = finding else { continue };
        match known
            .iter_mut()
            .find(|other| other.finding.is_same(&finding))
        {
            Some(other) => {
                other.within.start = other.within.start.min(within.start);
                other.within.end = other.within.end.max(within.end);
            }
            None => known.push(Stored {
                kernel: kernel.clone(),
                within,
                finding,
            }),
        }
    }
}

/// Reports undefined bits that are left in memory when it is freed, if `init/read` is requested. Those that were loaded before have
/// a finding there.
pub(crate) fn freed(memory: MemoryInfo) {
    are_left(memory.address, memory.bytes);
}

fn are_left(address: u64, bytes: u64) {
    if checks::tools().has_extra(Extra::Reads) {
        reaches(address, bytes, |finding| {
            finding.related.is_empty().then(|| left_in_memory(finding))
        });
    }
}

/// Reports the same when the program ends.
pub(crate) fn ends() {
    let within: Vec<_> = lock(&STORES)
        .iter()
        .map(|store| store.within.clone())
        .collect();
    for within in within {
        are_left(within.start, within.end - within.start);
    }
}

/// Reports the kernels that stored the undefined bits of a range that is copied to the host.
fn host_gets(from: u64, bytes: u64) {
    reaches(from, bytes, |finding| Some(finding.clone()));
}

/// Reports kernels that stored undefined bits of a range, with the findings that `told` makes of theirs.
fn reaches(from: u64, bytes: u64, told: impl Fn(&Finding) -> Option<Finding>) {
    let Ok(runtime) = runtime() else { return };
    for store in lock(&STORES).iter() {
        let start = store.within.start.max(from);
        let end = store.within.end.min(from + bytes);
        let undefined = || runtime.registry().first_undefined(start, end - start);
        if start < end
            && matches!(undefined(), Ok(Some(_)))
            && let Some(finding) = told(&store.finding)
        {
            checks::report(&store.kernel, &[finding]);
        }
    }
}
