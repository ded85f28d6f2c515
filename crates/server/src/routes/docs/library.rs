//! The list of pages, in order. A test compares it with the `docs` folder.

pub struct Page {
    /// The last segment of its URL; empty for the first page.
    pub name: &'static str,
    /// Path of its file in the repository.
    pub path: &'static str,
    /// Title in the navigation.
    pub title: &'static str,
    pub text: &'static str,
}

impl Page {
    pub const START: &'static str = "";
}

pub struct Chapter {
    pub title: &'static str,
    /// Names of its pages.
    pub pages: &'static [&'static str],
}

macro_rules! pages {
    ($($name:literal = $path:literal, $title:literal;)*) => {
        pub const PAGES: &[Page] = &[$(Page {
            name: $name,
            path: $path,
            title: $title,
            text: include_str!(concat!("../../../../../", $path)),
        }),*];
    };
}

pages! {
    "" = "docs/README.md", "Overview";
    "start" = "docs/start.md", "Quick start";
    "concepts" = "docs/concepts.md", "Concepts";
    "dashboard" = "docs/dashboard.md", "Dashboard";
    "command-line" = "docs/command-line.md", "Command line";
    "search" = "docs/search.md", "Search";
    "relevance" = "docs/relevance.md", "Relevance, step by step";
    "filters" = "docs/filters.md", "Filters, sorting, facets";
    "vectors" = "docs/vectors.md", "Vector search";
    "reranking" = "docs/reranking.md", "Reranking";
    "settings" = "docs/settings.md", "Settings";
    "chat" = "docs/chat.md", "Chat";
    "mcp" = "docs/mcp.md", "MCP";
    "examples" = "docs/examples.md", "Examples";
    "api-indexes" = "docs/api/indexes.md", "Indexes";
    "api-documents" = "docs/api/documents.md", "Documents";
    "api-search" = "docs/api/search.md", "Search API";
    "api-settings" = "docs/api/settings.md", "Settings API";
    "api-tasks" = "docs/api/tasks.md", "Tasks and batches";
    "api-keys" = "docs/api/keys.md", "API keys";
    "api-instance" = "docs/api/instance.md", "Instance";
    "api-watching" = "docs/api/watching.md", "Webhooks, metrics, logs";
    "api-rules" = "docs/api/rules.md", "Search rules";
    "api-chats" = "docs/api/chats.md", "Chat workspaces";
    "api-network" = "docs/api/network.md", "Network API";
    "errors" = "docs/errors.md", "Error codes";
    "options" = "docs/options.md", "Launch options";
    "deploy" = "docs/deploy.md", "Deployment";
    "security" = "docs/security.md", "Security";
    "backup" = "docs/backup.md", "Backups";
    "operations" = "docs/operations.md", "Monitoring";
    "network" = "docs/network.md", "Network";
    "tuning" = "docs/tuning.md", "Tuning and sizing";
    "telemetry" = "docs/telemetry.md", "Telemetry";
    "migration" = "docs/migration.md", "Migrate from Meilisearch";
    "differences" = "docs/differences.md", "Differences from Meilisearch";
    "compatibility" = "docs/compatibility.md", "Compatible clients";
    "architecture" = "ARCHITECTURE.md", "Architecture";
    "adding-a-setting" = "docs/adding-a-setting.md", "Add a setting";
    "adding-a-parameter" = "docs/adding-a-parameter.md", "Add a search parameter";
    "adding-a-ranking-rule" = "docs/adding-a-ranking-rule.md", "Add a ranking rule";
    "adding-a-route" = "docs/adding-a-route.md", "Add a route";
    "decisions" = "docs/decisions/README.md", "Decision records";
    "decision-0001" = "docs/decisions/0001-one-writer-for-the-task-queue.md", "0001: One writer for the task queue";
    "decision-0002" = "docs/decisions/0002-receipts-in-manifests.md", "0002: Receipts in manifests";
    "decision-0003" = "docs/decisions/0003-immutable-segments.md", "0003: Immutable segments";
    "decision-0004" = "docs/decisions/0004-rename-the-manifest.md", "0004: Renaming the manifest";
    "decision-0005" = "docs/decisions/0005-token-streams.md", "0005: Token streams";
    "decision-0006" = "docs/decisions/0006-pairs-of-frequent-words.md", "0006: Pairs of frequent words";
    "decision-0007" = "docs/decisions/0007-ranking-in-one-pass.md", "0007: Ranking in one pass";
    "decision-0008" = "docs/decisions/0008-one-vector-graph.md", "0008: One vector graph";
    "decision-0009" = "docs/decisions/0009-lost-pages-of-mapped-files.md", "0009: Lost pages of mapped files";
    "decision-0010" = "docs/decisions/0010-one-outgoing-client.md", "0010: One outgoing client";
}

pub const CHAPTERS: &[Chapter] = &[
    Chapter {
        title: "Get started",
        pages: &["", "start", "concepts", "dashboard", "command-line"],
    },
    Chapter {
        title: "Guides",
        pages: &[
            "search",
            "relevance",
            "filters",
            "vectors",
            "reranking",
            "settings",
            "chat",
            "mcp",
            "examples",
        ],
    },
    Chapter {
        title: "API reference",
        pages: &[
            "api",
            "api-indexes",
            "api-documents",
            "api-search",
            "api-settings",
            "api-tasks",
            "api-keys",
            "api-instance",
            "api-watching",
            "api-rules",
            "api-chats",
            "api-network",
            "errors",
        ],
    },
    Chapter {
        title: "Operations",
        pages: &[
            "options",
            "deploy",
            "security",
            "backup",
            "operations",
            "network",
            "tuning",
            "telemetry",
        ],
    },
    Chapter {
        title: "Background",
        pages: &["migration", "differences", "compatibility", "architecture"],
    },
    Chapter {
        title: "Development",
        pages: &[
            "adding-a-setting",
            "adding-a-parameter",
            "adding-a-ranking-rule",
            "adding-a-route",
        ],
    },
    Chapter {
        title: "Design decisions",
        pages: &[
            "decisions",
            "decision-0001",
            "decision-0002",
            "decision-0003",
            "decision-0004",
            "decision-0005",
            "decision-0006",
            "decision-0007",
            "decision-0008",
            "decision-0009",
            "decision-0010",
        ],
    },
];

pub fn named(name: &str) -> Option<&'static Page> {
    PAGES.iter().find(|page| page.name == name)
}

pub fn at(path: &str) -> Option<&'static Page> {
    PAGES.iter().find(|page| page.path == path)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    fn written(folder: &Path, prefix: &str, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}/{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                written(&entry.path(), &name, found);
            } else if name.ends_with(".md") {
                found.insert(name);
            }
        }
    }

    #[test]
    fn every_page_of_the_folder_is_served() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let mut found = BTreeSet::new();
        written(&folder, "docs", &mut found);
        let served = PAGES.iter().map(|page| page.path.to_owned());
        let served: BTreeSet<String> = served.filter(|path| path.starts_with("docs/")).collect();
        assert_eq!(found, served);
    }

    #[test]
    fn every_page_stands_once_in_the_navigation() {
        let mut listed: Vec<&str> =
            CHAPTERS.iter().flat_map(|chapter| chapter.pages).copied().collect();
        let mut pages: Vec<&str> = PAGES.iter().map(|page| page.name).collect();
        pages.push(crate::routes::docs::INTERFACE);
        listed.sort_unstable();
        pages.sort_unstable();
        assert_eq!(listed, pages);
    }
}
