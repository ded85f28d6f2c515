use std::collections::BTreeMap;

use model::{Code, Patch, Secret};
use uuid::Uuid;

use super::{LAUNCH_WEBHOOK, LaunchWebhook, WebhookChange};
use crate::{Engine, EngineOptions};

fn change(url: &str, headers: &[(&str, Option<&str>)]) -> WebhookChange {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.map(Secret::new)));
    WebhookChange {
        url: Patch::Set(url.to_owned()),
        headers: Patch::Set(headers.collect()),
        is_new: true,
    }
}

#[test]
fn webhooks_are_the_same_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let options = || EngineOptions::new(folder.path().join("data"));
    let engine = Engine::open(options()).unwrap();
    let (uuid, made) =
        engine.webhooks().create(change("http://a.example", &[("A", None)])).unwrap();
    drop(engine);

    let mut with_launch = options();
    with_launch.webhooks.launch = Some(LaunchWebhook {
        url: "http://launch.example".to_owned(),
        authorization: Some(Secret::new("Bearer a-secret-token")),
    });
    let engine = Engine::open(with_launch).unwrap();
    let listed = engine.webhooks().list();
    assert_eq!(listed.len(), 2);
    assert_eq!(listed[0].0, LAUNCH_WEBHOOK);
    assert_eq!(listed[0].1.shown_headers()["Authorization"], "Bearer a-XXXX...");
    assert_eq!(listed[1], (uuid, made));
    assert_eq!(engine.webhooks().delete(LAUNCH_WEBHOOK).unwrap_err().code, Code::ImmutableWebhook);
    assert_eq!(engine.webhooks().store.all().len(), 1);
    drop(engine);

    // The webhook of the launch options is never stored.
    assert_eq!(Engine::open(options()).unwrap().webhooks().list().len(), 1);
}

#[test]
fn all_of_them_can_be_replaced_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(EngineOptions::new(folder.path().join("data"))).unwrap();
    for host in ["a", "b"] {
        engine.webhooks().create(change(&format!("http://{host}.example"), &[])).unwrap();
    }
    let mut others = engine.webhooks().store.all();
    let (_, kept) = others.pop_first().unwrap();
    let replaced = BTreeMap::from([(Uuid::from_u128(9), kept.clone())]);
    engine.webhooks().store.replace_all(&engine.webhooks().queue, replaced.clone()).unwrap();
    assert_eq!(engine.webhooks().store.all(), replaced);
    drop(engine);
    let engine = Engine::open(EngineOptions::new(folder.path().join("data"))).unwrap();
    assert_eq!(engine.webhooks().store.all(), replaced);
}

#[test]
fn debug_output_of_a_webhook_shows_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(EngineOptions::new(folder.path().join("data"))).unwrap();
    let secret = change("http://u:hidden@a.example/?k=hidden", &[("X-Key", Some("hidden"))]);
    assert!(!format!("{:?}", secret.headers).contains("hidden"));
    let (_, webhook) = engine.webhooks().create(secret).unwrap();
    let text = format!("{webhook:?} {engine:?}");
    assert!(text.contains("X-Key") && !text.contains("hidden"), "{text}");
}
