//! Tests a real collector on a loopback port, and one that is slow, down or refuses.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use telemetry::events::{Addition, Occurrence, Search};
use telemetry::{Event, Telemetry};
use testkit::wait_until;

use crate::support::{Collector, Mood, options};

const SHORT: Duration = Duration::from_millis(40);
/// Long enough to inspect a period before it ends.
const PERIOD: Duration = Duration::from_secs(4);
/// A wait that no request may see.
const LONG: Duration = Duration::from_secs(60);

fn searched(telemetry: &Telemetry) {
    telemetry.begin(Some(b"sdk 1; app 2"), || Event::SearchedPost(Search::default())).succeeded();
}

fn messages(batches: &[Value]) -> Vec<Value> {
    batches.iter().flat_map(|batch| batch["batch"].as_array().unwrap().clone()).collect()
}

fn named(messages: &[Value], event: &str) -> Option<Value> {
    messages.iter().find(|message| message["event"] == event).cloned()
}

#[test]
fn preview_equals_what_is_sent() {
    let collector = Collector::start();
    let mut options = options();
    options.collector = Some(collector.url());
    options.period = PERIOD;
    let uid = options.uid.to_string();
    let telemetry = Telemetry::start(options).unwrap();
    searched(&telemetry);
    drop(telemetry.begin(None, || Event::SearchedPost(Search::default())));
    telemetry.record(None, || Event::DumpCreated(Occurrence));
    let preview = telemetry.preview();
    assert_eq!(preview["enabled"], true);
    assert_eq!(preview["hasCollector"], true);
    let received = collector.wait_for(1);
    assert_eq!(json!(received), preview["bundles"]);

    let messages = messages(&received);
    assert_eq!(messages[0]["type"], "identify");
    assert!(messages.iter().all(|message| message["userId"] == uid.as_str()));
    assert_eq!(messages[0]["context"]["app"]["version"], "1.2.3");
    let search = named(&messages, "Documents Searched POST").unwrap();
    assert_eq!(search["properties"]["user-agent"], json!(["app 2", "sdk 1", "unknown"]));
    let requests = &search["properties"]["requests"];
    assert_eq!(requests["total_received"], 2);
    assert_eq!(requests["total_succeeded"], 1);
    assert_eq!(requests["total_failed"], 1);
    // A period that is over leaves nothing behind.
    let next = collector.wait_for(2);
    assert_eq!(next[1]["batch"].as_array().unwrap().len(), 1);
}

#[test]
fn first_launch_is_sent_at_once_and_anonymously() {
    let collector = Collector::start();
    let mut options = options();
    options.collector = Some(collector.url());
    options.is_first_launch = true;
    let uid = options.uid.to_string();
    let telemetry = Telemetry::start(options).unwrap();
    let received = collector.wait_for(1);
    let [launch] = messages(&received).try_into().unwrap();
    assert_eq!((&launch["userId"], &launch["event"]), (&json!("total_launch"), &json!("Launched")));
    assert!(!launch.to_string().contains(&uid));
    let queued = telemetry.preview();
    let queued = messages(queued["bundles"].as_array().unwrap());
    assert_eq!(named(&queued, "Launched").unwrap()["userId"], uid.as_str());
}

#[test]
fn without_collector_preview_works_and_periods_end() {
    let mut options = options();
    options.is_first_launch = true;
    options.period = PERIOD;
    let telemetry = Telemetry::start(options).unwrap();
    searched(&telemetry);
    let preview = telemetry.preview();
    assert_eq!((&preview["enabled"], &preview["hasCollector"]), (&json!(true), &json!(false)));
    let shown = |preview: &Value| messages(preview["bundles"].as_array().unwrap());
    assert!(named(&shown(&preview), "Documents Searched POST").is_some());
    wait_until("the event is shown", || shown(&telemetry.preview()).len() == 1);
}

#[test]
fn disabled_telemetry_builds_no_event() {
    let telemetry = Telemetry::off();
    telemetry.record(None, || panic!("nobody asks what happened"));
    telemetry.begin(None, || panic!("nor does anybody here")).succeeded();
    assert_eq!((telemetry.is_on(), telemetry.uid()), (false, None));
    let preview = telemetry.preview();
    assert_eq!((&preview["enabled"], &preview["bundles"]), (&json!(false), &json!([])));
}

#[test]
fn a_collector_that_fails_is_tried_again_a_few_times_only() {
    let collector = Collector::start();
    collector.set_mood(Mood::Failing);
    let mut options = options().with_timeouts(LONG, vec![SHORT, SHORT]);
    options.collector = Some(collector.url());
    options.is_first_launch = true;
    let telemetry = Telemetry::start(options).unwrap();
    collector.wait_for(3);
    std::thread::sleep(4 * SHORT);
    assert_eq!(collector.received().len(), 3);
    drop(telemetry);

    collector.set_mood(Mood::Refusing);
    let mut options = crate::support::options().with_timeouts(LONG, vec![SHORT, SHORT]);
    options.collector = Some(collector.url());
    options.is_first_launch = true;
    let _telemetry = Telemetry::start(options).unwrap();
    collector.wait_for(4);
    std::thread::sleep(4 * SHORT);
    assert_eq!(collector.received().len(), 4);
}

#[test]
fn slow_or_missing_collector_delays_nothing() {
    let slow = Collector::start();
    slow.set_mood(Mood::Silent);
    for url in [slow.url(), Collector::address_of_nobody()] {
        let mut options = options().with_timeouts(LONG, vec![LONG]);
        options.collector = Some(url);
        options.period = Duration::from_millis(20);
        let telemetry = Telemetry::start(options).unwrap();
        let begun = Instant::now();
        for _ in 0..20_000 {
            searched(&telemetry);
        }
        assert!(begun.elapsed() < LONG / 3, "{:?}", begun.elapsed());
        let begun = Instant::now();
        drop(telemetry);
        assert!(begun.elapsed() < LONG / 3, "{:?}", begun.elapsed());
    }
}

#[test]
fn events_that_find_no_slot_are_lost_and_counted() {
    let telemetry = Telemetry::start(options()).unwrap();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..50_000).for_each(|_| searched(&telemetry)));
        }
    });
    assert!(begun.elapsed() < LONG, "{:?}", begun.elapsed());
    let preview = telemetry.preview();
    let search =
        named(&messages(preview["bundles"].as_array().unwrap()), "Documents Searched POST");
    let received = search.unwrap()["properties"]["requests"]["total_received"].as_u64().unwrap();
    assert_eq!(received + preview["lostEvents"].as_u64().unwrap(), 200_000);
}

#[test]
fn full_batch_is_sent_early() {
    let collector = Collector::start();
    let mut options = options();
    options.collector = Some(collector.url());
    let telemetry = Telemetry::start(options).unwrap();
    let kinds: [fn() -> Event; 12] = [
        || Event::Launched(Occurrence),
        || Event::DocumentsRendered(Occurrence),
        || Event::IndexCompacted(Occurrence),
        || Event::DumpCreated(Occurrence),
        || Event::SnapshotCreated(Occurrence),
        || Event::WebhookCreated(Occurrence),
        || Event::WebhookUpdated(Occurrence),
        || Event::SearchRuleChanged(Occurrence),
        || Event::SearchRulesDeleted(Occurrence),
        || Event::SearchedGet(Search::default()),
        || Event::SearchedPost(Search::default()),
        || Event::DocumentsAdded(Addition::default()),
    ];
    // Too few kinds to fill a batch, however many clients there are.
    fill(&telemetry, &kinds);
    assert_eq!(collector.received().len(), 0);
    fill(&telemetry, &more_kinds());
    let received = collector.wait_for(1);
    assert!(received[0].to_string().len() <= 500_000);
}

/// Makes the messages of these kinds as long as they can be.
fn fill(telemetry: &Telemetry, kinds: &[fn() -> Event]) {
    for number in 0..120 * kinds.len() {
        let agent = format!("client {number} {}", "x".repeat(180));
        telemetry.record(Some(agent.as_bytes()), kinds[number % kinds.len()]);
        // The preview empties the slots, so that no event is lost where the machine gives the
        // thread that does so no time.
        if number % 60 == 59 {
            telemetry.preview();
        }
    }
}

fn more_kinds() -> [fn() -> Event; 18] {
    use telemetry::events::*;
    [
        || Event::MultiSearched(MultiSearch::default()),
        || Event::FacetSearched(FacetSearch::default()),
        || Event::SimilarGet(Similar::default()),
        || Event::SimilarPost(Similar::default()),
        || Event::DocumentsUpdated(Addition::default()),
        || Event::DocumentsEdited(Edition::default()),
        || Event::DocumentsDeleted(Deletion::All),
        || Event::FetchedGet(Fetch::default()),
        || Event::FetchedPost(Fetch::default()),
        || Event::IndexCreated(NamedKey::default()),
        || Event::IndexUpdated(NamedKey::default()),
        || Event::IndexesSwapped(Swap::default()),
        || Event::SettingsUpdated(Box::default()),
        || Event::TasksCanceled(TaskChoice::default()),
        || Event::TasksDeleted(TaskChoice::default()),
        || Event::ExportTriggered(Export::default()),
        || Event::NetworkUpdated(NetworkUpdate::default()),
        || Event::ChatCompleted(Chat::default()),
    ]
}
