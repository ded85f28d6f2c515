//! Descriptions of all routes, by chapter.

mod assistants;
mod chats;
mod documents;
mod indexes;
mod instance;
mod keys;
mod network;
mod pages;
mod rules;
mod search;
mod settings;
mod tasks;
mod watching;

use serde_json::{Value, json};

use super::operation::Operation;

struct Chapter {
    name: &'static str,
    about: &'static str,
    operations: fn() -> Vec<Operation>,
}

const CHAPTERS: &[Chapter] = &[
    Chapter {
        name: "Indexes",
        about: "Collections of documents, each with its own settings.",
        operations: indexes::all,
    },
    Chapter {
        name: "Documents",
        about: "Add, read, update and delete documents.",
        operations: documents::all,
    },
    Chapter {
        name: "Search",
        about: "Full-text, filtered, geo, vector and hybrid search.",
        operations: search::all,
    },
    Chapter {
        name: "Settings",
        about: "Configure search, filters, sorting, display and ranking of an index.",
        operations: settings::all,
    },
    Chapter {
        name: "Tasks",
        about: "Follow, cancel and delete asynchronous operations.",
        operations: tasks::all,
    },
    Chapter { name: "Keys", about: "Manage API keys and permissions.", operations: keys::all },
    Chapter {
        name: "Instance",
        about: "Health, version, backups and experimental features.",
        operations: instance::all,
    },
    Chapter {
        name: "Monitoring",
        about: "Webhooks, metrics, logs and telemetry.",
        operations: watching::all,
    },
    Chapter {
        name: "Search rules",
        about: "Pin documents to positions in the search results.",
        operations: rules::all,
    },
    Chapter {
        name: "Chat",
        about: "Chat completions by a model that searches your indexes.",
        operations: chats::all,
    },
    Chapter {
        name: "MCP",
        about: "Model Context Protocol (MCP) server.",
        operations: assistants::all,
    },
    Chapter {
        name: "Network",
        about: "Search several instances as one.",
        operations: network::all,
    },
    Chapter { name: "Pages", about: "Dashboard and documentation pages.", operations: pages::all },
];

/// Returns every operation with the name of its chapter.
pub fn all() -> Vec<(&'static str, Operation)> {
    let of_chapter = |chapter: &'static Chapter| {
        (chapter.operations)().into_iter().map(|operation| (chapter.name, operation))
    };
    CHAPTERS.iter().flat_map(of_chapter).collect()
}

pub fn tags() -> Value {
    let tags = CHAPTERS
        .iter()
        .map(|Chapter { name, about, .. }| json!({ "name": name, "description": about }));
    tags.collect()
}
