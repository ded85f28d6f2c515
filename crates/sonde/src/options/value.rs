//! The kinds of option values: how each is parsed and described. A value is parsed the same way for
//! every source; only TOML types are checked in `file`.

use engine::{AddressPolicy, FailureModes};
use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use super::address::Address;

/// Allowed sizes for parts of an upload.
const PART_SIZES: RangeInclusive<u64> = 10 << 20..=8 << 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// On or off; on the command line it takes no value.
    Flag,
    Text,
    /// An absolute URL.
    Url,
    Path,
    Address,
    Size,
    /// Size of a part of an upload to object storage.
    PartSize,
    /// A level from 0 to 9.
    CompressionLevel,
    Integer {
        least: u64,
    },
    Seconds {
        least: u64,
    },
    /// One of these words, ignoring case.
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

impl ValueKind {
    /// Returns the placeholder in the help: `--db-path <PATH>`.
    pub fn placeholder(self) -> &'static str {
        match self {
            Self::Flag => "",
            Self::Text => "VALUE",
            Self::Url => "URL",
            Self::Path => "PATH",
            Self::Address => "HOST:PORT",
            Self::Size | Self::PartSize => "SIZE",
            Self::Integer { .. } | Self::CompressionLevel | Self::Threads => "NUMBER",
            Self::Seconds { .. } | Self::Period { .. } => "SECONDS",
            Self::Choice(_) => "VALUE",
            Self::IpNetworks => "NETWORKS",
            Self::FailureModes => "MODES",
        }
    }

    /// Describes allowed values, to complete "expected …".
    pub fn expected(self) -> String {
        match self {
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Text => "text in UTF-8".to_owned(),
            Self::Url => "an absolute URL, such as `https://example.org/hook`".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::Address => "a host and a port, such as `localhost:7700`".to_owned(),
            Self::Size => {
                "a number of bytes or a number with a unit (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), \
                 such as `100 MB` or `2 GiB`"
                    .to_owned()
            }
            Self::PartSize => "a size from 10 MiB to 8 GiB".to_owned(),
            Self::CompressionLevel => "a whole number from 0 to 9".to_owned(),
            Self::Integer { least: 0 } => "a whole number".to_owned(),
            Self::Integer { least } => format!("a whole number of at least {least}"),
            Self::Seconds { least } => format!("a number of seconds of at least {least}"),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::Threads => {
                "a whole number of at least 1, `unlimited`, or nothing for the default".to_owned()
            }
            Self::IpNetworks => {
                "networks such as `10.0.0.0/8,fd00::/8` with no bits set behind the prefix, or `any`"
                    .to_owned()
            }
            Self::FailureModes => "`ignore_document_template_failures`, \
                `ignore_embedder_failures`, or both with a comma between them"
                .to_owned(),
            Self::Period { .. } => "a number of seconds of at least 1".to_owned(),
        }
    }

    /// Parses a value; `None` if the text is not of this kind.
    pub fn parse(self, text: &OsStr) -> Option<Value> {
        if self == Self::Path {
            return (!text.is_empty()).then(|| Value::Path(PathBuf::from(text)));
        }
        let text = text.to_str()?;
        match self {
            Self::Flag => text.parse().ok().map(Value::Flag),
            Self::Url => url::Url::parse(text).ok().map(|_| Value::Text(text.to_owned())),
            Self::Text | Self::Path => Some(Value::Text(text.to_owned())),
            Self::Address => text.parse().ok().map(Value::Address),
            Self::Size => model::size::parse(text).ok().map(Value::Bytes),
            Self::PartSize => {
                let bytes = model::size::parse(text).ok();
                bytes.filter(|bytes| PART_SIZES.contains(bytes)).map(Value::Bytes)
            }
            Self::CompressionLevel => {
                text.parse().ok().filter(|level| *level <= 9).map(Value::Number)
            }
            Self::Integer { least } | Self::Seconds { least } => whole_number(text, least),
            Self::Choice(words) => words
                .iter()
                .find(|word| word.eq_ignore_ascii_case(text))
                .map(|word| Value::Word(word)),
            Self::Threads => threads(text).map(Value::Threads),
            Self::IpNetworks => text.parse().ok().map(Value::Networks),
            Self::FailureModes => text.parse().ok().map(Value::FailureModes),
            Self::Period { .. } => whole_number(text, 1),
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
