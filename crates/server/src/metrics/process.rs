//! Metrics of the process, where the system provides them: processor time, memory, descriptors,
//! threads.

use super::text::MetricsText;

#[cfg(not(target_os = "linux"))]
pub fn write(_metrics: &mut MetricsText) {}

#[cfg(target_os = "linux")]
pub use linux::write;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;

    use super::super::text::number;
    use super::MetricsText;

    /// Fields of `/proc/self/stat` after the program name, which may contain any character.
    struct Stat {
        user_ticks: u64,
        system_ticks: u64,
        threads: u64,
        start_ticks: u64,
        virtual_bytes: u64,
        resident_pages: u64,
    }

    pub fn write(metrics: &mut MetricsText) {
        // Other metrics are shown even if the system does not provide these.
        if let Some(stat) = fs::read_to_string("/proc/self/stat").ok().and_then(|t| parse(&t)) {
            write_stat(metrics, &stat);
        }
        if let Ok(entries) = fs::read_dir("/proc/self/fd") {
            let open = number(entries.count() as u64);
            metrics.of_process("open_fds", "Open file descriptors.", "gauge").set(open);
        }
        let limits = rustix::process::getrlimit(rustix::process::Resource::Nofile);
        if let Some(most) = limits.current {
            metrics
                .of_process("max_fds", "File descriptors that may be open.", "gauge")
                .set(number(most));
        }
    }

    fn write_stat(metrics: &mut MetricsText, stat: &Stat) {
        let per_second = number(rustix::param::clock_ticks_per_second().max(1));
        let processor = number(stat.user_ticks + stat.system_ticks) / per_second;
        metrics
            .of_process("cpu_seconds_total", "Processor time spent, in seconds.", "counter")
            .set(processor);
        let resident = number(stat.resident_pages * rustix::param::page_size() as u64);
        metrics
            .of_process("resident_memory_bytes", "Resident memory in bytes.", "gauge")
            .set(resident);
        metrics
            .of_process("virtual_memory_bytes", "Virtual memory in bytes.", "gauge")
            .set(number(stat.virtual_bytes));
        metrics.of_process("threads", "Threads of the process.", "gauge").set(number(stat.threads));
        if let Some(boot) = boot_seconds() {
            let started = number(boot) + number(stat.start_ticks) / per_second;
            metrics
                .of_process("start_time_seconds", "Start of the process, in Unix seconds.", "gauge")
                .set(started);
        }
    }

    fn parse(text: &str) -> Option<Stat> {
        let (_, fields) = text.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        // The first field after the name is number 3 of the line.
        let field = |number: usize| fields.get(number - 3)?.parse().ok();
        Some(Stat {
            user_ticks: field(14)?,
            system_ticks: field(15)?,
            threads: field(20)?,
            start_ticks: field(22)?,
            virtual_bytes: field(23)?,
            resident_pages: field(24)?,
        })
    }

    fn boot_seconds() -> Option<u64> {
        let text = fs::read_to_string("/proc/stat").ok()?;
        text.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn names_of_programs_do_not_confuse() {
            let line = "7 (a) b (c) S 1 7 7 0 -1 4194560 1 2 3 4 50 60 0 0 20 0 9 0 777 1024 3 9 0";
            let stat = parse(line).unwrap();
            assert_eq!((stat.user_ticks, stat.system_ticks, stat.threads), (50, 60, 9));
            assert_eq!((stat.start_ticks, stat.virtual_bytes, stat.resident_pages), (777, 1024, 3));
        }
    }
}
