//! The machine that GPUs are emulated on.

#[cfg(target_os = "linux")]
pub(crate) use linux::free_memory;
#[cfg(not(target_os = "linux"))]
pub(crate) use others::free_memory;

#[cfg(target_os = "linux")]
mod linux {
    /// Returns the bytes of memory that can be used without slowing down others: the available memory, or, on systems that are
    /// too old to report it or have no `/proc` for the program, the free memory. 0 if neither is known.
    pub(crate) fn free_memory() -> u64 {
        free_of(std::fs::read_to_string("/proc/meminfo").ok(), unused)
    }

    /// Returns the available memory by a table of the system if it is valid, otherwise by a system call.
    fn free_of(table: Option<String>, ask: impl FnOnce() -> Option<u64>) -> u64 {
        let of_table = table.as_deref().and_then(available);
        of_table.or_else(ask).unwrap_or(0)
    }

    /// The free memory that sysinfo(2) reports. It does not include memory that the system could take back from file caches.
    fn unused() -> Option<u64> {
        nix::sys::sysinfo::sysinfo()
            .ok()
            .map(|info| info.ram_unused())
    }

    /// Reads lines as `MemAvailable:   24108432 kB`, where kB are 1024 bytes (proc_meminfo(5)).
    fn available(table: &str) -> Option<u64> {
        let number = |key: &str| -> Option<u64> {
            let rest = table.lines().find_map(|line| line.strip_prefix(key))?;
            let kibibytes: u64 = rest.strip_suffix("kB")?.trim().parse().ok()?;
            kibibytes.checked_mul(1024)
        };
        number("MemAvailable:").or_else(|| number("MemFree:"))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn memory_is_what_the_system_calls_available() {
            let table = "MemTotal:       24689532 kB\nMemFree:         1024 kB\n";
            assert_eq!(available(table), Some(1 << 20));
            let newer = format!("{table}MemAvailable:    2048 kB\n");
            assert_eq!(available(&newer), Some(2 << 20));
            for other in [
                "",
                "MemFree: kB",
                "MemFree: 1 MB",
                "MemFree: -1 kB",
                "MemFree: 99999999999999999999 kB",
            ] {
                assert_eq!(available(other), None, "{other}");
            }
            assert!(free_memory() > 0);
        }

        #[test]
        fn without_a_table_a_query_gives_the_memory() {
            let table = |text: &str| Some(text.to_owned());
            let never = || unreachable!("the table says it");
            assert_eq!(free_of(table("MemAvailable: 7 kB"), never), 7 << 10);
            for table in [None, table(""), table("MemTotal: 7 kB")] {
                assert_eq!(free_of(table.clone(), || Some(5 << 30)), 5 << 30);
                assert_eq!(free_of(table, || None), 0);
            }
        }

        /// Both numbers of the system are about the same memory: the free memory is a part of all memory.
        #[test]
        fn without_a_table_the_system_is_queried() {
            let bytes = unused().expect("sysinfo(2)");
            let table = std::fs::read_to_string("/proc/meminfo").unwrap();
            let total = table
                .lines()
                .find_map(|line| line.strip_prefix("MemTotal:"));
            let total = total.and_then(|rest| rest.trim().strip_suffix(" kB"));
            let total: u64 = total.unwrap().parse().unwrap();
            assert!(
                (1 << 20..=total << 10).contains(&bytes),
                "{bytes} of {total} kB"
            );
        }
    }
}

#[cfg(any(not(target_os = "linux"), test))]
mod others {
    use sysinfo::{MemoryRefreshKind, RefreshKind, System};

    /// Returns the bytes of memory that can be used without slowing down others; 0 if the system does not report it.
    pub(crate) fn free_memory() -> u64 {
        let ram = MemoryRefreshKind::nothing().with_ram();
        System::new_with_specifics(RefreshKind::nothing().with_memory(ram)).available_memory()
    }

    /// The memory of the same machine. Other processes may take some of it or free some in between.
    #[cfg(all(test, target_os = "linux"))]
    #[test]
    fn both_forms_say_the_same_about_a_machine() {
        let (ours, theirs) = (super::linux::free_memory(), free_memory());
        assert!(
            (ours / 2..=ours * 2).contains(&theirs),
            "{theirs} of {ours}"
        );
    }
}
