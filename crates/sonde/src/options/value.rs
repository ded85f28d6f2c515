//! The kinds of values an option can take: how each is written, read and explained. A value is
//! read the same way whichever source it came from; only what TOML calls types is checked in
//! `file`.

use engine::{AddressPolicy, FailureModes};
use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use super::address::Address;

/// What parts of an upload may measure.
const PART_SIZES: RangeInclusive<u64> = 10 << 20..=8 << 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// On or off; on the command line it takes no value.
    Flag,
    Text,
    /// An absolute one.
    Url,
    Path,
    Address,
    Size,
    /// Of an upload to object storage.
    PartSize,
    /// From 0 to 9.
    CompressionLevel,
    Integer {
        least: u64,
    },
    Seconds {
        least: u64,
    },
    /// One of these words, in any case of letters.
    Choice(&'static [&'static str]),
    Threads,
    IpNetworks,
    FailureModes,
    /// Seconds, or the bare flag; the file also takes true and false.
    Period {
        when_bare: &'static str,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Flag(bool),
    Text(String),
    Path(PathBuf),
    Address(Address),
    Bytes(u64),
    Number(u64),
    /// The word as the table spells it.
    Word(&'static str),
    Threads(Threads),
    Networks(AddressPolicy),
    FailureModes(FailureModes),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    Default,
    Unlimited,
    Count(usize),
}

impl Kind {
    /// What stands for the value in help: `--db-path <PATH>`.
    pub fn placeholder(self) -> &'static str {
        match self {
            Kind::Flag => "",
            Kind::Text => "TEXT",
            Kind::Url => "URL",
            Kind::Path => "PATH",
            Kind::Address => "HOST:PORT",
            Kind::Size | Kind::PartSize => "SIZE",
            Kind::Integer { .. } | Kind::CompressionLevel | Kind::Threads => "NUMBER",
            Kind::Seconds { .. } | Kind::Period { .. } => "SECONDS",
            Kind::Choice(_) => "WORD",
            Kind::IpNetworks => "NETWORKS",
            Kind::FailureModes => "MODES",
        }
    }

    /// What is allowed, to end the sentence "expected …".
    pub fn expected(self) -> String {
        match self {
            Kind::Flag => "`true` or `false`".to_owned(),
            Kind::Text => "text in UTF-8".to_owned(),
            Kind::Url => "an absolute URL, such as `https://example.org/hook`".to_owned(),
            Kind::Path => "a path".to_owned(),
            Kind::Address => "a host and a port, such as `localhost:7700`".to_owned(),
            Kind::Size => {
                "a number of bytes or a number with a unit (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), \
                 such as `100 MB` or `2 GiB`"
                    .to_owned()
            }
            Kind::PartSize => "a size from 10 MiB to 8 GiB".to_owned(),
            Kind::CompressionLevel => "a whole number from 0 to 9".to_owned(),
            Kind::Integer { least: 0 } => "a whole number".to_owned(),
            Kind::Integer { least } => format!("a whole number of at least {least}"),
            Kind::Seconds { least } => format!("a number of seconds of at least {least}"),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Threads => {
                "a whole number of at least 1, `unlimited`, or nothing for the default".to_owned()
            }
            Kind::IpNetworks => {
                "networks such as `10.0.0.0/8,fd00::/8` with no bits set behind the prefix, or `any`"
                    .to_owned()
            }
            Kind::FailureModes => "`ignore_document_template_failures`, \
                `ignore_embedder_failures`, or both with a comma between them"
                .to_owned(),
            Kind::Period { .. } => "a number of seconds of at least 1".to_owned(),
        }
    }

    /// `None`: the text is not a value of this kind.
    pub fn parse(self, text: &OsStr) -> Option<Value> {
        if self == Kind::Path {
            return (!text.is_empty()).then(|| Value::Path(PathBuf::from(text)));
        }
        let text = text.to_str()?;
        match self {
            Kind::Flag => text.parse().ok().map(Value::Flag),
            Kind::Url => url::Url::parse(text).ok().map(|_| Value::Text(text.to_owned())),
            Kind::Text | Kind::Path => Some(Value::Text(text.to_owned())),
            Kind::Address => text.parse().ok().map(Value::Address),
            Kind::Size => model::size::parse(text).ok().map(Value::Bytes),
            Kind::PartSize => {
                let bytes = model::size::parse(text).ok();
                bytes.filter(|bytes| PART_SIZES.contains(bytes)).map(Value::Bytes)
            }
            Kind::CompressionLevel => {
                text.parse().ok().filter(|level| *level <= 9).map(Value::Number)
            }
            Kind::Integer { least } | Kind::Seconds { least } => whole_number(text, least),
            Kind::Choice(words) => words
                .iter()
                .find(|word| word.eq_ignore_ascii_case(text))
                .map(|word| Value::Word(word)),
            Kind::Threads => threads(text).map(Value::Threads),
            Kind::IpNetworks => text.parse().ok().map(Value::Networks),
            Kind::FailureModes => text.parse().ok().map(Value::FailureModes),
            Kind::Period { .. } => whole_number(text, 1),
        }
    }
}

fn whole_number(text: &str, least: u64) -> Option<Value> {
    text.parse().ok().filter(|&number| number >= least).map(Value::Number)
}

fn threads(text: &str) -> Option<Threads> {
    match text {
        "" => Some(Threads::Default),
        "unlimited" => Some(Threads::Unlimited),
        _ => text.parse().ok().filter(|&count| count >= 1).map(Threads::Count),
    }
}
