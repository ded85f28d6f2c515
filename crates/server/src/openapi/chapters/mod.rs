//! The routes, chapter by chapter.

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
        about: "Places for documents, with settings of their own.",
        operations: indexes::all,
    },
    Chapter {
        name: "Documents",
        about: "Adding, reading, changing and deleting documents.",
        operations: documents::all,
    },
    Chapter {
        name: "Search",
        about: "Finding documents by words, values, places and meaning.",
        operations: search::all,
    },
    Chapter {
        name: "Settings",
        about: "What is searched, filtered, sorted and shown, and how.",
        operations: settings::all,
    },
    Chapter {
        name: "Tasks",
        about: "What was asked for, and what became of it.",
        operations: tasks::all,
    },
    Chapter { name: "Keys", about: "Who may do what.", operations: keys::all },
    Chapter {
        name: "Instance",
        about: "Health, version, backups, experimental features.",
        operations: instance::all,
    },
    Chapter {
        name: "Watching",
        about: "Webhooks, metrics, logs, usage figures.",
        operations: watching::all,
    },
    Chapter {
        name: "Search rules",
        about: "Documents pinned to places of the hits.",
        operations: rules::all,
    },
    Chapter {
        name: "Conversations",
        about: "A model that searches while it answers.",
        operations: chats::all,
    },
    Chapter {
        name: "Assistants",
        about: "The Model Context Protocol.",
        operations: assistants::all,
    },
    Chapter {
        name: "Network",
        about: "Several instances searched as one.",
        operations: network::all,
    },
    Chapter { name: "Pages", about: "What browsers are shown.", operations: pages::all },
];

/// Every operation with the name of its chapter.
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
