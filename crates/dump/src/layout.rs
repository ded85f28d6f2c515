//! The entries of a dump in our own format. FORMAT.md describes their content.

/// Data of the instance besides indexes, tasks and lists.
pub const INSTANCE: &str = "instance.json";
pub const KEYS: &str = "keys";
pub const WEBHOOKS: &str = "webhooks";
pub const CHATS: &str = "chats";
pub const RULES: &str = "rules";
pub const TASKS: &str = "tasks";
pub const BATCHES: &str = "batches";

/// The kind of an entry, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DumpEntry {
    Metadata,
    Instance,
    Keys,
    Webhooks,
    Chats,
    Rules,
    Tasks,
    Batches,
    /// An index without its documents.
    Index(u32),
    /// Some documents of an index; the second number is that of the part.
    Documents(u32, u64),
    /// The body of a waiting task.
    Payload(u32),
    Unknown,
}

impl DumpEntry {
    pub fn named(name: &str) -> Self {
        let known = match name.split('/').collect::<Vec<_>>()[..] {
            [crate::Metadata::ENTRY] => Some(DumpEntry::Metadata),
            [INSTANCE] => Some(DumpEntry::Instance),
            [list] => list_of(list),
            ["payloads", uid] => number(uid).map(DumpEntry::Payload),
            ["indexes", index, "index.json"] => number(index).map(DumpEntry::Index),
            ["indexes", index, part] => match (number(index), part_number(part, "documents")) {
                (Some(index), Some(part)) => Some(DumpEntry::Documents(index, part)),
                _ => None,
            },
            _ => None,
        };
        known.unwrap_or(DumpEntry::Unknown)
    }
}

pub fn index_entry(index: u32) -> String {
    format!("indexes/{index}/index.json")
}

/// Returns the entry name of documents, to be followed by the number of a part.
pub fn documents_entry(index: u32) -> String {
    format!("indexes/{index}/documents")
}

pub fn payload_entry(task_uid: u32) -> String {
    format!("payloads/{task_uid}")
}

fn list_of(name: &str) -> Option<DumpEntry> {
    let lists = [
        (KEYS, DumpEntry::Keys),
        (WEBHOOKS, DumpEntry::Webhooks),
        (CHATS, DumpEntry::Chats),
        (RULES, DumpEntry::Rules),
        (TASKS, DumpEntry::Tasks),
        (BATCHES, DumpEntry::Batches),
    ];
    lists.into_iter().find_map(|(list, part)| part_number(name, list).map(|_| part))
}

/// Parses the number in `{list}-{number}.ndjson`.
fn part_number(name: &str, list: &str) -> Option<u64> {
    number(name.strip_prefix(list)?.strip_prefix('-')?.strip_suffix(".ndjson")?)
}

/// Parses a number in its canonical form.
fn number<N: std::str::FromStr + ToString>(text: &str) -> Option<N> {
    text.parse().ok().filter(|number: &N| number.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_known_by_their_names() {
        for (name, part) in [
            ("metadata.json", DumpEntry::Metadata),
            ("tasks-0.ndjson", DumpEntry::Tasks),
            ("keys-3.ndjson", DumpEntry::Keys),
            ("indexes/7/documents-12.ndjson", DumpEntry::Documents(7, 12)),
            ("indexes/07/documents-12.ndjson", DumpEntry::Unknown),
            ("indexes/x/index.json", DumpEntry::Unknown),
            ("tasks-a.ndjson", DumpEntry::Unknown),
            ("other/metadata.json", DumpEntry::Unknown),
        ] {
            assert_eq!(DumpEntry::named(name), part, "{name}");
        }
        assert_eq!(DumpEntry::named(&index_entry(3)), DumpEntry::Index(3));
        assert_eq!(DumpEntry::named(&payload_entry(9)), DumpEntry::Payload(9));
        assert_eq!(
            DumpEntry::named(&format!("{}-0.ndjson", documents_entry(1))),
            DumpEntry::Documents(1, 0)
        );
    }
}
