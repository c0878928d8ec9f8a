//! The machine that GPUs are emulated on.

/// Bytes of memory that can be taken without others suffering: what the system calls available, or what it calls free
/// where it is too old to know. 0 where it says neither.
pub fn free_memory() -> u64 {
    let table = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    available(&table).unwrap_or(0)
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
}
