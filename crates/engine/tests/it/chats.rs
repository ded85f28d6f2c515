//! Chat workspaces are durable, and refused changes leave nothing behind.

use engine::chats::{ChatChange, ChatSource, PromptsChange};
use model::{Code, Patch, Secret};

use crate::support::Instance;

fn change(key: &str) -> ChatChange {
    let prompts =
        PromptsChange { system: Patch::Set("Be brief.".to_owned()), ..PromptsChange::default() };
    ChatChange {
        source: Patch::Set(ChatSource::VLlm),
        base_url: Patch::Set("http://box.example".to_owned()),
        api_key: Patch::Set(Secret::new(key)),
        prompts: Patch::Set(prompts),
        ..ChatChange::default()
    }
}

#[test]
fn workspaces_survive_a_restart_and_a_compaction() {
    let mut instance = Instance::new();
    let engine = instance.engine();
    for uid in ["b", "a", "gone"] {
        engine.chats().change(uid, change(uid)).expect("it is stored");
    }
    engine.chats().delete("gone").expect("it is deleted");
    let kept = engine.chats().settings("a").expect("it is there");

    instance.restart();
    let engine = instance.engine();
    assert_eq!(engine.chats().list(0, 20).results, ["a", "b"]);
    assert_eq!(*engine.chats().settings("a").expect("kept"), *kept);
    assert_eq!(kept.api_key.as_ref().map(Secret::expose), Some("a"));
    engine.chats().reset("b").expect("it is reset");
    engine.compact_tasks().expect("it is compacted");

    instance.restart();
    let engine = instance.engine();
    assert_eq!(*engine.chats().settings("a").expect("kept"), *kept);
    assert_eq!(engine.chats().settings("b").expect("kept").source, ChatSource::OpenAi);
    assert_eq!(engine.chats().settings("gone").unwrap_err().code, Code::ChatNotFound);
}

#[test]
fn a_change_that_is_refused_leaves_no_workspace() {
    let instance = Instance::new();
    let incomplete = ChatChange { source: Patch::Set(ChatSource::VLlm), ..ChatChange::default() };
    let refused = instance.engine().chats().change("a", incomplete).unwrap_err();
    assert_eq!(refused.code, Code::BadRequest);
    assert_eq!(instance.engine().chats().list(0, 20).total, 0);
    assert_eq!(instance.engine().chats().reset("a").unwrap_err().code, Code::ChatNotFound);
    assert!(instance.engine().chats().settings("a").is_err());
}
