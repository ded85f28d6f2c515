//! Properties of the machine that defaults depend on.

/// Assumed if the system does not tell.
const UNKNOWN_MEMORY_BYTES: u64 = 2 << 30;
const UNKNOWN_DESCRIPTORS: usize = 1024;

/// Returns the memory this process may use: that of the machine, or less in a control group.
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

/// Returns the hard limit of open files and connections.
#[cfg(unix)]
pub fn descriptors() -> usize {
    use rustix::process::{Resource, getrlimit};
    // `None` means unlimited.
    getrlimit(Resource::Nofile)
        .maximum
        .map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(UNKNOWN_DESCRIPTORS))
}

#[cfg(not(unix))]
pub fn descriptors() -> usize {
    UNKNOWN_DESCRIPTORS
}

/// Raises the limit of open files to the hard limit; systems start with a low one.
#[cfg(unix)]
pub fn raise_descriptors() -> std::io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    Ok(setrlimit(Resource::Nofile, raised)?)
}

#[cfg(not(unix))]
pub fn raise_descriptors() -> std::io::Result<()> {
    Ok(())
}

/// Returns what telemetry reports about the machine.
pub fn system() -> telemetry::System {
    let ram = sysinfo::System::new().map(|mut system| {
        system.refresh_memory();
        system.total_memory()
    });
    let disks = sysinfo::Disks::new_with_refreshed_list().ok();
    let disks = disks.iter().flat_map(|disks| disks.iter());
    telemetry::System {
        distribution: sysinfo::System::name().ok(),
        kernel_version: sysinfo::System::kernel_version().ok(),
        cores: processors(),
        ram_size_kb: ram.unwrap_or_default() / 1024,
        disk_size_bytes: disks.map(sysinfo::Disk::total_space).max().unwrap_or_default(),
        server_provider: None,
    }
}
