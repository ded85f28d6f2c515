//! Measuring: processor time, memory and disk of a process, and latencies.
//!
//! Everything comes from /proc and the file system, the same way for a peer and for the server,
//! so that a ratio compares like with like. Knows neither.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// User and system time of a process so far, all its threads together, in seconds.
pub fn cpu_s(pid: u32) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The second field, the command in parentheses, may itself hold blanks.
    let (_, fields) = stat.rsplit_once(") ").context("unexpected /proc/PID/stat")?;
    let fields: Vec<_> = fields.split(' ').collect();
    let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
    Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// Processor time of the threads that a process has now, to the nanosecond: what a single query
/// takes is far less than a tick of [`cpu_s`].
pub fn cpu_of_threads(pid: u32) -> Result<Duration> {
    let mut nanoseconds = 0;
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        let path = thread?.path().join("schedstat");
        let schedstat = match fs::read_to_string(path) {
            // The thread has ended meanwhile.
            Err(_) => continue,
            Ok(schedstat) => schedstat,
        };
        let running = schedstat.split(' ').next().context("unexpected schedstat")?;
        nanoseconds += running.parse::<u64>()?;
    }
    Ok(Duration::from_nanos(nanoseconds))
}

/// Bytes of the files below `folder` that a process has touched through its memory maps, as the
/// system counts them: it maps up to 16 pages at a time.
pub fn touched_bytes(pid: u32, folder: &Path) -> Result<u64> {
    let smaps = fs::read_to_string(format!("/proc/{pid}/smaps"))?;
    let folder = fs::canonicalize(folder)?;
    let folder = folder.to_string_lossy();
    let (mut is_ours, mut kib) = (false, 0);
    for line in smaps.lines() {
        let first = line.split(' ').next().unwrap_or_default();
        if !first.ends_with(':') {
            is_ours = line.contains(&*folder);
        } else if is_ours && first == "Rss:" {
            let value = line.split_whitespace().nth(1).context("unexpected smaps")?;
            kib += value.parse::<u64>()?;
        }
    }
    Ok(kib * 1024)
}

/// Memory of a process, in bytes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Memory {
    pub resident: u64,
    pub anonymous: u64,
}

pub fn memory(pid: u32) -> Result<Memory> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let field = |name: &str| -> Result<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kib = line.and_then(|rest| rest.split_whitespace().nth(1)).context("no such field")?;
        Ok(kib.parse::<u64>()? * 1024)
    };
    Ok(Memory { resident: field("VmRSS")?, anonymous: field("RssAnon")? })
}

/// Follows the anonymous memory of a process from another thread and keeps its peak.
pub struct AnonymousPeak {
    peak: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl AnonymousPeak {
    pub fn follow(pid: u32) -> Self {
        let peak = Arc::new(AtomicU64::new(0));
        let stop = Arc::new(AtomicBool::new(false));
        let thread = thread::spawn({
            let (peak, stop) = (Arc::clone(&peak), Arc::clone(&stop));
            move || {
                while !stop.load(Ordering::Relaxed) {
                    if let Ok(memory) = memory(pid) {
                        peak.fetch_max(memory.anonymous, Ordering::Relaxed);
                    }
                    thread::sleep(Duration::from_millis(25));
                }
            }
        });
        AnonymousPeak { peak, stop, thread: Some(thread) }
    }

    /// The peak so far, in bytes.
    pub fn bytes(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }
}

impl Drop for AnonymousPeak {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// How many descriptors a process has open, and how many it may have.
pub fn descriptors(pid: u32) -> Result<(usize, String)> {
    let open = fs::read_dir(format!("/proc/{pid}/fd"))?.count();
    let limits = fs::read_to_string(format!("/proc/{pid}/limits"))?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let limit = limit.and_then(|rest| rest.split_whitespace().next()).unwrap_or("unknown");
    Ok((open, limit.to_owned()))
}

/// How many memory maps a process has.
pub fn memory_maps(pid: u32) -> Result<usize> {
    Ok(fs::read_to_string(format!("/proc/{pid}/maps"))?.lines().count())
}

/// Bytes that a folder takes on the disk: allocated blocks, each file once.
pub fn disk_bytes(folder: &Path) -> Result<u64> {
    let mut seen = HashSet::new();
    let mut bytes = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        // The server may remove files, or whole folders, while this walks.
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let metadata = match entry.metadata() {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                metadata => metadata?,
            };
            if metadata.is_dir() {
                folders.push(entry.path());
            }
            if seen.insert((metadata.dev(), metadata.ino())) {
                bytes += metadata.blocks() * 512;
            }
        }
    }
    Ok(bytes)
}

/// Waits until a process has nothing left to do in the background: for three seconds neither
/// processor time (one tick a second is let pass) nor the disk has moved. Gives up after five
/// minutes and says so by returning `false`.
pub fn settle(pid: u32, folder: &Path) -> Result<bool> {
    const QUIET: Duration = Duration::from_secs(3);
    let begin = Instant::now();
    let mut quiet_since = begin;
    let mut before = (cpu_s(pid)?, disk_bytes(folder)?);
    while begin.elapsed() < Duration::from_secs(300) {
        thread::sleep(Duration::from_millis(200));
        let now = (cpu_s(pid)?, disk_bytes(folder)?);
        if now.0 - before.0 > 0.025 || now.1 != before.1 {
            quiet_since = Instant::now();
            before = now;
        } else if quiet_since.elapsed() >= QUIET {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Times in milliseconds.
/// The ranks of [`Latencies::percentiles_ms`], as shares of one.
pub const PERCENTILES: [f64; 10] = [0.01, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99, 0.999, 1.0];

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Latencies {
    pub count: usize,
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub max_ms: f64,
    /// At [`PERCENTILES`].
    pub percentiles_ms: [f64; PERCENTILES.len()],
}

impl Latencies {
    /// `None` where nothing was measured.
    pub fn of(times: &[Duration]) -> Option<Self> {
        let mut ms: Vec<_> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
        ms.sort_unstable_by(f64::total_cmp);
        // Nearest rank: the smallest value that at least that share does not exceed.
        let rank = |share: f64| ms[((ms.len() as f64 * share).ceil() as usize).max(1) - 1];
        let max_ms = *ms.last()?;
        Some(Latencies {
            count: ms.len(),
            p50_ms: rank(0.50),
            p99_ms: rank(0.99),
            max_ms,
            percentiles_ms: PERCENTILES.map(rank),
        })
    }
}

/// The middle value; of an even number the lower of the two.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.into_iter().collect();
    values.sort_unstable_by(f64::total_cmp);
    values[(values.len() - 1) / 2]
}

/// How long appending 4 KiB to a file and syncing it takes on the disk that holds `folder`.
pub fn synced_write(folder: &Path) -> Result<Latencies> {
    fs::create_dir_all(folder)?;
    let path = folder.join("synced-write");
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    let block = [7_u8; 4096];
    let mut times = Vec::new();
    for _ in 0..200 {
        let begin = Instant::now();
        file.write_all(&block)?;
        file.sync_data()?;
        times.push(begin.elapsed());
    }
    fs::remove_file(path)?;
    Latencies::of(&times).context("nothing measured")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_rank() {
        let times: Vec<_> = (1..=100).map(Duration::from_millis).collect();
        let latencies = Latencies::of(&times).unwrap();
        assert_eq!((latencies.p50_ms, latencies.p99_ms, latencies.max_ms), (50.0, 99.0, 100.0));
        assert_eq!(latencies.percentiles_ms[4..8], [75.0, 90.0, 95.0, 99.0]);
        assert_eq!(Latencies::of(&times[..1]).unwrap().p99_ms, 1.0);
        assert!(Latencies::of(&[]).is_none());
    }

    #[test]
    fn median_of_three() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn reads_its_own_process() {
        let pid = std::process::id();
        assert!(cpu_s(pid).unwrap() >= 0.0);
        let memory = memory(pid).unwrap();
        assert!(memory.anonymous > 0 && memory.resident >= memory.anonymous);
        assert!(descriptors(pid).unwrap().0 >= 3);
    }
}
