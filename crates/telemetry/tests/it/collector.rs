//! Tests a real collector on a loopback port, and one that is slow, down or refuses.

use std::ops::Range;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use telemetry::{Event, Reading, Telemetry, plain};
use testkit::wait_until;

use crate::support::{Collector, Mood, options};

telemetry::figures! {
    search() {
        "requests.total_succeeded", "", Succeeded, Reading::Nothing;
        "requests.total_failed", "", Failed, Reading::Nothing;
    }
}

telemetry::events! {
    searched_post() = search, "Documents Searched POST", "";
    dump_created() = plain, "Dump Created", "";
    kind_1() = plain, "Kind 1", "";
    kind_2() = plain, "Kind 2", "";
    kind_3() = plain, "Kind 3", "";
    kind_4() = plain, "Kind 4", "";
    kind_5() = plain, "Kind 5", "";
    kind_6() = plain, "Kind 6", "";
    kind_7() = plain, "Kind 7", "";
    kind_8() = plain, "Kind 8", "";
    kind_9() = plain, "Kind 9", "";
    kind_10() = plain, "Kind 10", "";
    kind_11() = plain, "Kind 11", "";
    kind_12() = plain, "Kind 12", "";
    kind_13() = plain, "Kind 13", "";
    kind_14() = plain, "Kind 14", "";
    kind_15() = plain, "Kind 15", "";
    kind_16() = plain, "Kind 16", "";
    kind_17() = plain, "Kind 17", "";
    kind_18() = plain, "Kind 18", "";
    kind_19() = plain, "Kind 19", "";
    kind_20() = plain, "Kind 20", "";
    kind_21() = plain, "Kind 21", "";
    kind_22() = plain, "Kind 22", "";
    kind_23() = plain, "Kind 23", "";
    kind_24() = plain, "Kind 24", "";
    kind_25() = plain, "Kind 25", "";
    kind_26() = plain, "Kind 26", "";
    kind_27() = plain, "Kind 27", "";
    kind_28() = plain, "Kind 28", "";
}

const SHORT: Duration = Duration::from_millis(40);
/// Long enough to inspect a period before it ends.
const PERIOD: Duration = Duration::from_secs(4);
/// A wait that no request may see.
const LONG: Duration = Duration::from_secs(60);

fn searched(telemetry: &Telemetry) {
    telemetry.begin(Some(b"sdk 1; app 2"), searched_post).succeeded();
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
    drop(telemetry.begin(None, searched_post));
    telemetry.record(None, dump_created);
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
    // Too few kinds to fill a batch, however many clients there are.
    fill(&telemetry, 0..12);
    assert_eq!(collector.received().len(), 0);
    fill(&telemetry, 12..30);
    let received = collector.wait_for(1);
    assert!(received[0].to_string().len() <= 500_000);
}

/// Makes the messages of these kinds as long as they can be.
fn fill(telemetry: &Telemetry, kinds: Range<usize>) {
    let kinds = &KINDS[kinds];
    for number in 0..120 * kinds.len() {
        let agent = format!("client {number} {}", "x".repeat(180));
        telemetry.record(Some(agent.as_bytes()), || Event::new(&kinds[number % kinds.len()]));
        // The preview empties the slots, so that no event is lost where the machine gives the
        // thread that does so no time.
        if number % 60 == 59 {
            telemetry.preview();
        }
    }
}
