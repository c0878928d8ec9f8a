//! The machine that GPUs are emulated on.

use procfs::{Current, Meminfo};

/// Bytes of memory that can be taken without others suffering: what the system calls available, or what it calls free
/// where it is too old to know.
pub fn free_memory() -> u64 {
    let memory = Meminfo::current();
    memory.map_or(0, |memory| memory.mem_available.unwrap_or(memory.mem_free))
}
