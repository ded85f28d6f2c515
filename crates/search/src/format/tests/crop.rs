//! Tests of cropping.

use serde_json::json;

use super::{case, crops, text};

const FERRY: &str = "The ferry leaves at dawn. Bring a coat, a lamp and bread. The crossing takes \
                     nine hours; sleep if you can! On the far shore a guide with a red lamp waits \
                     for you.";
const REPAIR: &str = "Lamp repair in five steps: unplug the lamp, open the base, replace the \
                      switch, close the base, test the lamp.";

#[test]
fn without_matches_the_first_words_stay() {
    crops(FERRY, "", 4, "The ferry leaves at…");
    crops(FERRY, "zzz", 5, "The ferry leaves at dawn…");
    crops("  «Tea» time", "", 1, "  «Tea…");
    crops("one two.", "", 2, "one two…");
    crops("one two.", "", 3, "one two.");
    crops("", "lamp", 3, "");
    crops("!!!", "lamp", 3, "!!!");
}

#[test]
fn the_window_grows_on_both_sides_of_the_match() {
    crops(FERRY, "lamp*", 1, "…<em>lamp</em>…");
    crops(FERRY, "lamp*", 3, "…a <em>lamp</em> and…");
    crops(FERRY, "lamp*", 4, "…a <em>lamp</em> and bread…");
    crops(FERRY, "lamp*", 10, "…Bring a coat, a <em>lamp</em> and bread. The crossing takes…");
    crops(REPAIR, "repair*", 3, "Lamp <em>repair</em> in…");
    crops("one-two-three-four lamp/five six", "lamp", 3, "…four <em>lamp</em>/five…");
    crops("lamp", "lamp", 1000, "<em>lamp</em>");
}

#[test]
fn soft_separators_are_passed_before_hard_ones() {
    crops(FERRY, "sleep", 5, "…hours; <em>sleep</em> if you can…");
    crops(REPAIR, "test", 3, "…<em>test</em> the lamp…");
    crops("Pies: excellent. Rolls: dry.", "rolls", 3, "…excellent. <em>Rolls</em>: dry.");
}

#[test]
fn last_word_passes_only_the_left_of_equal_separators() {
    crops("onions swapped for leeks.", "leeks", 2, "…for <em>leeks</em>…");
    crops("onions swapped for leeks.", "leeks", 3, "…swapped for <em>leeks</em>.");
}

#[test]
fn the_run_with_most_distinct_words_is_chosen() {
    crops(FERRY, "red lamp*", 4, "…a <em>red</em> <em>lamp</em> waits…");
    crops(FERRY, "red lamp*", 3, "…a <em>red</em> <em>lamp</em>…");
    crops(FERRY, "lamp red*", 3, "…a <em>red</em> <em>lamp</em>…");
    crops(FERRY, "bread lamp coat*", 6, "…a <em>coat</em>, a <em>lamp</em> and <em>bread</em>…");
    crops(FERRY, "guide lamp*", 5, "…<em>guide</em> with a red <em>lamp</em>…");
    crops(
        REPAIR,
        "replace switch base*",
        5,
        "…the <em>base</em>, <em>replace</em> the <em>switch</em>…",
    );
    // A phrase stands for all its words.
    crops("tea red tea x x x red lamp", "tea [red lamp]", 3, "…x <em>red lamp</em>");
}

#[test]
fn then_the_smallest_distances_count_also_of_a_repeated_word() {
    crops("a x x b x x x x x x a b", "a b", 4, "…x x <em>a</em> <em>b</em>");
    // The first two are seven words apart, the last one is alone.
    crops(
        REPAIR,
        "lamp*",
        10,
        "…base, replace the switch, close the base, test the <em>lamp</em>.",
    );
    // Distances beyond seven are equal: the first one wins.
    crops(
        "a x x x x x x b x x x x x x x x x x x a x x x x x x x b",
        "a b",
        9,
        "<em>a</em> x x x x x x <em>b</em> x…",
    );
}

#[test]
fn then_the_order_of_the_query_counts() {
    crops("b a x x x a b x", "a b", 2, "…<em>a</em> <em>b</em>…");
    crops("b a x x x b a x", "a b", 2, "<em>b</em> <em>a</em>…");
}

#[test]
fn matches_too_far_apart_are_not_kept_together() {
    crops(FERRY, "ferry lamp*", 6, "The <em>ferry</em> leaves at dawn. Bring…");
    crops(REPAIR, "unplug test*", 4, "…steps: <em>unplug</em> the lamp…");
    crops("a b c d", "a d", 4, "<em>a</em> b c <em>d</em>");
    crops("a b c d", "a d", 3, "<em>a</em> b c…");
}

#[test]
fn a_phrase_longer_than_the_window_is_cut() {
    crops("x one two three four x", "[one two three]", 2, "…<em>one two</em>…");
    crops("x one two three", "[one two three]", 3, "…<em>one two three</em>");
    // Any other match fits better.
    crops("one two three x x a", "[one two three] a", 2, "…x <em>a</em>");
}

#[test]
fn a_cropped_text_need_not_be_highlighted() {
    let case = text(FERRY).query("red lamp*").crop(&["t"]).crop_length(2);
    case.gives(json!({ "t": "…red lamp…" }));
}

#[test]
fn lengths_and_markers_are_those_asked_for() {
    let case = case(json!({ "id": 1, "text": REPAIR, "short": "lamp repair" }));
    let case = case.retrieve(&[]).query("lamp*");
    let gives = |items: &[&str], expected| case.clone().crop(items).crop_length(2).gives(expected);
    gives(&["text"], json!({ "text": "Lamp repair…" }));
    gives(&["text:4", "short:1"], json!({ "text": "Lamp repair in five…", "short": "lamp…" }));
    gives(&["text:0"], json!({ "text": REPAIR }));
    // What is no length is the common one.
    gives(&["text:abc"], json!({ "text": "Lamp repair…" }));
    gives(&["text:-1"], json!({ "text": "Lamp repair…" }));
    gives(&["text:"], json!({ "text": "Lamp repair…" }));
    // The last item about a name counts.
    let all = |text: &str, short: &str| json!({ "id": "1", "text": text, "short": short });
    gives(&["*"], all("Lamp repair…", "lamp repair"));
    gives(&["*:1", "text:3"], all("Lamp repair in…", "lamp…"));
    gives(&["text:3", "*:1"], all("Lamp…", "lamp…"));
    gives(&["text:1", "text:3"], json!({ "text": "Lamp repair in…" }));

    let marked = |marker: &str, expected: &str| {
        let case = case.clone().crop(&["text:3"]).request(|request| {
            request.crop_marker = marker.to_owned();
        });
        case.gives(json!({ "text": expected }));
    };
    marked("[...]", "Lamp repair in[...]");
    marked("", "Lamp repair in");
    case.clone().crop(&["text"]).crop_length(0).gives(json!({ "text": REPAIR }));
}

#[test]
fn text_without_spaces_is_cropped_by_its_words() {
    let chinese = "上海浦东国际机场位于上海市浦东新区是中国重要的航空枢纽";
    crops(chinese, "航空", 4, "…重要的<em>航空</em>枢纽");
    crops(chinese, "", 3, "上海浦东国际…");
    crops("กินข้าวกับเพื่อนที่ร้านอาหารริมแม่น้ำเจ้าพระยา", "", 3, "กินข้าวกับเพื่อน…");
}
