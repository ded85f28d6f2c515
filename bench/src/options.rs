//! The command line, and what follows from it.

use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};

use crate::data::Set;

/// Measures Sonde against its peers on real data. See bench/README.md.
#[derive(Debug, Parser)]
#[command(name = "sonde-bench")]
pub struct Options {
    /// What to run; `data` only downloads and converts the data sets, `report` only writes the
    /// report of what is kept, `guard` compares a short run with the ratios that are kept.
    #[arg(value_enum, default_value = "all")]
    pub runs: Vec<Choice>,

    /// Once instead of three times, with fewer documents; kept as results/quick.*.
    #[arg(long)]
    pub quick: bool,

    /// The data sets of the runs `indexing`, `search`, `again`, `filters` (npm and cities) and `data`.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "npm,cities,imdb")]
    pub sets: Vec<Set>,

    /// How many documents to take of a set, at most [npm: 1,000,000; others: all].
    #[arg(long)]
    pub docs: Option<usize>,

    /// A server program to measure instead of building one.
    #[arg(long)]
    pub server: Option<PathBuf>,

    /// With `guard`: keep what is measured as what later runs are held against.
    #[arg(long)]
    pub keep: bool,

    /// A further argument for the server; may be given several times.
    #[arg(long = "server-arg", allow_hyphen_values = true)]
    pub server_arguments: Vec<String>,

    /// Memory for indexing, the same for the server and the peer, in MiB.
    #[arg(long, default_value_t = 512)]
    pub indexing_memory_mib: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    All,
    Data,
    Report,
    Guard,
    Indexing,
    Updates,
    Enqueue,
    Startup,
    Indexes,
    Isolation,
    Search,
    SearchKinds,
    SearchLarge,
    Questions,
    Again,
    SearchIsolation,
    Filters,
    Settings,
    Growth,
    Typos,
    Bm25,
    Vectors,
    Embed,
}

impl Options {
    pub fn wants(&self, choice: Choice) -> bool {
        let measures = !matches!(choice, Choice::Data | Choice::Report | Choice::Guard);
        self.runs.contains(&choice) || (measures && self.runs.contains(&Choice::All))
    }

    /// The number of documents to ask of a set; `None` for its usual number.
    pub fn docs(&self) -> Option<usize> {
        self.docs.or(self.quick.then_some(50_000))
    }

    pub fn repetitions(&self) -> usize {
        if self.quick { 1 } else { 3 }
    }

    /// `full`, or `quick` of it in a quick run.
    pub fn scaled(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }

    pub fn indexing_memory_bytes(&self) -> u64 {
        self.indexing_memory_mib << 20
    }
}

/// The folders of the harness, all inside bench/.
#[derive(Debug)]
pub struct Folders {
    pub workspace: PathBuf,
    pub data: PathBuf,
    /// Emptied before and after every run; on the same disk as the project.
    pub work: PathBuf,
    pub results: PathBuf,
}

impl Folders {
    pub fn of(package: &Path) -> Self {
        Folders {
            workspace: package.parent().unwrap_or(package).to_owned(),
            data: package.join("data"),
            work: package.join("data").join("work"),
            results: package.join("results"),
        }
    }
}
