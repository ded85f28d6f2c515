//! A launch option: its entry in the table, and the names derived from its flag.

use super::value::ValueKind;

/// Prefixes of environment variables, in the order in which they are tried. The first is ours; the
/// others are for users who migrate from a compatible service.
pub const ENVIRONMENT_PREFIXES: [&str; 3] = ["SONDE_", "MEILI_", "SVC_"];

/// A heading in the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    General,
    Indexing,
    Search,
    Experimental,
    Webhooks,
    Dumps,
    Snapshots,
    ObjectStorage,
    Tls,
    Embedders,
}

impl Group {
    pub const ALL: [Group; 10] = [
        Group::General,
        Group::Indexing,
        Group::Search,
        Group::Experimental,
        Group::Webhooks,
        Group::Dumps,
        Group::Snapshots,
        Group::ObjectStorage,
        Group::Tls,
        Group::Embedders,
    ];

    pub fn heading(self) -> &'static str {
        match self {
            Group::General => "General",
            Group::Indexing => "Indexing",
            Group::Search => "Search",
            Group::Experimental => "Experimental features",
            Group::Webhooks => "Webhooks",
            Group::Dumps => "Dumps",
            Group::Snapshots => "Snapshots",
            Group::ObjectStorage => "Object storage",
            Group::Tls => "HTTPS",
            Group::Embedders => "Embedders",
        }
    }
}

/// Value of an option that no source sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// No value: the option is off or unset.
    Absent,
    /// This value, written as a user would.
    Value(&'static str),
    /// Description of a value that is computed at start.
    Computed(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    Available,
    /// The option belongs to a feature that this version does not have.
    NotYet {
        what: &'static str,
    },
    /// The option is accepted, so that a start that works elsewhere works here, and changes nothing.
    WithoutEffect {
        why: &'static str,
    },
}

#[derive(Debug)]
pub struct LaunchOption {
    /// The flag without its dashes; also the identity of the option.
    pub name: &'static str,
    pub kind: ValueKind,
    pub group: Group,
    pub fallback: Fallback,
    pub help: &'static str,
    pub availability: Availability,
    /// Another option without which this one makes no sense.
    pub needs: Option<&'static str>,
    /// True if the flag needs nothing when it is off.
    pub is_free_when_off: bool,
    pub conflicts_with: Option<&'static str>,
    pub on_command_line: bool,
    pub in_file: bool,
    environment_name: Option<&'static str>,
    /// True if the variable is also read without a prefix.
    pub is_known_bare: bool,
    /// True if its value is never shown.
    pub is_secret: bool,
}

impl LaunchOption {
    /// Returns the flag, such as `--db-path`.
    pub fn flag(&self) -> String {
        format!("--{}", self.name)
    }

    /// Returns the variable without its prefix, such as `DB_PATH`.
    pub fn environment_suffix(&self) -> String {
        match self.environment_name {
            Some(name) => name.to_owned(),
            None => self.name.to_ascii_uppercase().replace('-', "_"),
        }
    }

    /// Returns the variable with our prefix, such as `SONDE_DB_PATH`.
    pub fn environment_variable(&self) -> String {
        format!("{}{}", ENVIRONMENT_PREFIXES[0], self.environment_suffix())
    }

    /// Returns the key in the configuration file, such as `db_path`.
    pub fn file_key(&self) -> String {
        self.name.replace('-', "_")
    }

    pub fn is_available(&self) -> bool {
        self.availability == Availability::Available
    }

    /// Returns whether setting it stops the start.
    pub fn is_refused(&self) -> bool {
        matches!(self.availability, Availability::NotYet { .. })
    }

    /// Returns the name to show to operators: the flag, or the variable if there is no flag.
    pub fn shown_name(&self) -> String {
        if self.on_command_line { self.flag() } else { self.environment_variable() }
    }
}

// Const builders for the entries of the table.

pub(super) const fn valued(name: &'static str, kind: ValueKind, group: Group) -> LaunchOption {
    LaunchOption {
        name,
        kind,
        group,
        fallback: Fallback::Absent,
        help: "",
        availability: Availability::Available,
        needs: None,
        is_free_when_off: false,
        conflicts_with: None,
        on_command_line: true,
        in_file: true,
        environment_name: None,
        is_known_bare: false,
        is_secret: false,
    }
}

pub(super) const fn flag(name: &'static str, group: Group) -> LaunchOption {
    valued(name, ValueKind::Flag, group)
}

pub(super) const fn environment_only(
    name: &'static str,
    kind: ValueKind,
    group: Group,
) -> LaunchOption {
    LaunchOption { on_command_line: false, in_file: false, ..valued(name, kind, group) }
}

impl LaunchOption {
    pub(super) const fn default(self, value: &'static str) -> Self {
        Self { fallback: Fallback::Value(value), ..self }
    }

    pub(super) const fn computed_default(self, words: &'static str) -> Self {
        Self { fallback: Fallback::Computed(words), ..self }
    }

    pub(super) const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    pub(super) const fn not_yet(self, what: &'static str) -> Self {
        Self { availability: Availability::NotYet { what }, ..self }
    }

    pub(super) const fn without_effect(self, why: &'static str) -> Self {
        Self { availability: Availability::WithoutEffect { why }, ..self }
    }

    pub(super) const fn needs(self, other: &'static str) -> Self {
        Self { needs: Some(other), ..self }
    }

    pub(super) const fn needs_when_on(self, other: &'static str) -> Self {
        Self { needs: Some(other), is_free_when_off: true, ..self }
    }

    pub(super) const fn conflicts_with(self, other: &'static str) -> Self {
        Self { conflicts_with: Some(other), ..self }
    }

    pub(super) const fn environment_name(self, suffix: &'static str) -> Self {
        Self { environment_name: Some(suffix), ..self }
    }

    pub(super) const fn known_bare(self) -> Self {
        Self { is_known_bare: true, ..self }
    }

    pub(super) const fn secret(self) -> Self {
        Self { is_secret: true, ..self }
    }

    pub(super) const fn not_in_file(self) -> Self {
        Self { in_file: false, ..self }
    }
}
