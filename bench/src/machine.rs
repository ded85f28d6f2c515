//! Where and what was measured: the machine without its name or any path, the commit, the date.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::macros::format_description;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    pub processor: String,
    pub cores: usize,
    pub memory_gb: f64,
    pub kernel: String,
    pub file_system: String,
    pub compiler: String,
}

impl Machine {
    /// `folder` is where the runs put their data: its file system counts.
    pub fn describe(folder: &Path) -> Result<Self> {
        let processor = fs::read_to_string("/proc/cpuinfo")?;
        let processor = field(&processor, "model name").unwrap_or("unknown");
        let memory = fs::read_to_string("/proc/meminfo")?;
        let memory_kib: f64 = field(&memory, "MemTotal")
            .and_then(|value| value.split(' ').next()?.parse().ok())
            .unwrap_or(0.0);
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease")?;
        let compiler = first_line(Command::new("rustc").arg("--version"));
        Ok(Machine {
            processor: processor.to_owned(),
            cores: thread::available_parallelism()?.get(),
            memory_gb: (memory_kib * 1024.0 / 1e8).round() / 10.0,
            kernel: format!("Linux {}", kernel.trim().split('-').next().unwrap_or_default()),
            file_system: file_system(&folder.canonicalize()?)?,
            compiler: compiler.unwrap_or_else(|| "unknown".to_owned()),
        })
    }
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim())
}

/// The type of the file system that holds `folder`, such as `ext4`.
fn file_system(folder: &Path) -> Result<String> {
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    let longest = mounts
        .lines()
        .filter_map(|line| {
            let (before, after) = line.split_once(" - ")?;
            let mount_point = Path::new(before.split(' ').nth(4)?);
            let kind = after.split(' ').next()?;
            folder.starts_with(mount_point).then_some((mount_point.components().count(), kind))
        })
        .max_by_key(|(depth, _)| *depth);
    Ok(longest.map_or("unknown", |(_, kind)| kind).to_owned())
}

/// Which share of its processors the machine uses during one second in which this program does
/// nothing: what something else takes.
pub fn busy_share() -> Result<f64> {
    let (busy_before, all_before) = processor_ticks()?;
    thread::sleep(Duration::from_secs(1));
    let (busy, all) = processor_ticks()?;
    Ok((busy - busy_before) as f64 / (all - all_before).max(1) as f64)
}

/// Ticks of all processors since the start of the machine: busy ones, and all.
fn processor_ticks() -> Result<(u64, u64)> {
    let stat = fs::read_to_string("/proc/stat")?;
    let line = stat.lines().next().unwrap_or_default();
    // cpu user nice system idle iowait irq softirq steal; the guest columns are in user already.
    let ticks = line.split_whitespace().skip(1).take(8).map(str::parse);
    let ticks = ticks.collect::<Result<Vec<u64>, _>>()?;
    let all: u64 = ticks.iter().sum();
    let idle: u64 = ticks.iter().skip(3).take(2).sum();
    Ok((all - idle, all))
}

/// The commit of the workspace, with `+` behind it when its sources have uncommitted changes.
pub fn commit(workspace: &Path) -> String {
    let git = |arguments: &[&str]| {
        first_line(
            Command::new("git").arg("--no-optional-locks").args(arguments).current_dir(workspace),
        )
    };
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else {
        return "unknown".to_owned();
    };
    let changed = git(&["status", "--porcelain", "--", "crates", "Cargo.toml", "Cargo.lock"]);
    format!("{commit}{}", if changed.is_some() { "+" } else { "" })
}

/// Now, in UTC, to the second.
pub fn date() -> Result<String> {
    let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]Z");
    Ok(OffsetDateTime::now_utc().format(&format)?)
}

/// The first line that a command prints, if it succeeds and prints any.
fn first_line(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
}
