//! The entries of a dump in the form of this program. FORMAT.md says what is in them.

/// What the instance is besides its indexes, tasks and lists.
pub const INSTANCE: &str = "instance.json";
pub const KEYS: &str = "keys";
pub const WEBHOOKS: &str = "webhooks";
pub const CHATS: &str = "chats";
pub const RULES: &str = "rules";
pub const TASKS: &str = "tasks";
pub const BATCHES: &str = "batches";

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Metadata,
    Instance,
    Keys,
    Webhooks,
    Chats,
    Rules,
    Tasks,
    Batches,
    /// What an index is apart from its documents.
    Index(u32),
    /// Some documents of an index; the second number counts the parts.
    Documents(u32, u64),
    /// The body of a waiting task.
    Payload(u32),
    Unknown,
}

impl Part {
    pub fn named(name: &str) -> Self {
        let known = match name.split('/').collect::<Vec<_>>()[..] {
            [crate::Metadata::ENTRY] => Some(Part::Metadata),
            [INSTANCE] => Some(Part::Instance),
            [list] => list_of(list),
            ["payloads", uid] => number(uid).map(Part::Payload),
            ["indexes", index, "index.json"] => number(index).map(Part::Index),
            ["indexes", index, part] => match (number(index), part_number(part, "documents")) {
                (Some(index), Some(part)) => Some(Part::Documents(index, part)),
                _ => None,
            },
            _ => None,
        };
        known.unwrap_or(Part::Unknown)
    }
}

pub fn index_entry(index: u32) -> String {
    format!("indexes/{index}/index.json")
}

/// To be followed by the number of a part.
pub fn documents_entry(index: u32) -> String {
    format!("indexes/{index}/documents")
}

pub fn payload_entry(task_uid: u32) -> String {
    format!("payloads/{task_uid}")
}

fn list_of(name: &str) -> Option<Part> {
    let lists = [
        (KEYS, Part::Keys),
        (WEBHOOKS, Part::Webhooks),
        (CHATS, Part::Chats),
        (RULES, Part::Rules),
        (TASKS, Part::Tasks),
        (BATCHES, Part::Batches),
    ];
    lists.into_iter().find_map(|(list, part)| part_number(name, list).map(|_| part))
}

/// The number in `{list}-{number}.ndjson`.
fn part_number(name: &str, list: &str) -> Option<u64> {
    number(name.strip_prefix(list)?.strip_prefix('-')?.strip_suffix(".ndjson")?)
}

/// Written in the one way in which it is written.
fn number<N: std::str::FromStr + ToString>(text: &str) -> Option<N> {
    text.parse().ok().filter(|number: &N| number.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_known_by_their_names() {
        for (name, part) in [
            ("metadata.json", Part::Metadata),
            ("tasks-0.ndjson", Part::Tasks),
            ("keys-3.ndjson", Part::Keys),
            ("indexes/7/documents-12.ndjson", Part::Documents(7, 12)),
            ("indexes/07/documents-12.ndjson", Part::Unknown),
            ("indexes/x/index.json", Part::Unknown),
            ("tasks-a.ndjson", Part::Unknown),
            ("other/metadata.json", Part::Unknown),
        ] {
            assert_eq!(Part::named(name), part, "{name}");
        }
        assert_eq!(Part::named(&index_entry(3)), Part::Index(3));
        assert_eq!(Part::named(&payload_entry(9)), Part::Payload(9));
        assert_eq!(Part::named(&format!("{}-0.ndjson", documents_entry(1))), Part::Documents(1, 0));
    }
}
