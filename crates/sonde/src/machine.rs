//! What the machine offers, as far as defaults depend on it.

/// Assumed where the system does not tell.
const UNKNOWN_MEMORY_BYTES: u64 = 2 << 30;

/// Memory this process may use: that of the machine, or less in a control group.
pub fn memory_bytes() -> u64 {
    let Ok(mut system) = sysinfo::System::new() else {
        return UNKNOWN_MEMORY_BYTES;
    };
    system.refresh_memory();
    let whole_machine = match system.total_memory() {
        0 => UNKNOWN_MEMORY_BYTES,
        bytes => bytes,
    };
    match system.cgroup_limits() {
        Some(limits) if limits.total_memory > 0 => whole_machine.min(limits.total_memory),
        _ => whole_machine,
    }
}

pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
