//! Hits as a table that fits, or as JSON.

use serde_json::{Value, json};

use crate::cli::instance::Instance;

#[test]
fn hits_are_shown_as_a_table() {
    let instance = Instance::start();
    instance.write_and_wait(
        "PATCH",
        "/indexes/films/settings",
        &json!({"filterableAttributes": ["genre", "year"], "sortableAttributes": ["year"],
            "embedders": {"e": {"source": "userProvided", "dimensions": 2}}}),
    );
    let overview = format!("{} a harbour at night {}", "long ".repeat(40), "text ".repeat(40));
    instance.write_and_wait(
        "POST",
        "/indexes/films/documents",
        &json!([
            {"_vectors": {"e": [1, 1]}, "id": 1, "title": "Harbour", "year": 1999, "genre": ["drama", "sea"], "overview": "short"},
            {"_vectors": {"e": [2, 1]}, "id": 2, "title": "Night", "year": 2010, "genre": ["drama"], "overview": overview},
            {"_vectors": {"e": [3, 1]}, "id": 3, "title": "Desert", "year": 1962, "genre": [], "overview": "sand"}
        ]),
    );

    let ran = instance.run(&["search", "films", "harbour", "--facets", "genre"]).succeeded();
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines[0].starts_with("id  title    year  genre       overview"), "{ran:?}");
    assert!(lines[1].starts_with(" 1  Harbour  1999  drama, sea  short"), "{ran:?}");
    // What matched is in sight, however long the text before it is.
    assert!(lines[2].contains('…') && lines[2].contains("harbour"), "{ran:?}");
    assert!(lines.iter().all(|line| line.chars().count() <= 100), "{ran:?}");
    assert!(ran.out.contains("genre  drama 2 · sea 1"), "{ran:?}");
    assert!(ran.out.contains("\n2 hits, found in "), "{ran:?}");
    assert!(!ran.out.contains('\u{1b}') && !ran.out.contains('\u{2}'), "{ran:?}");

    let chosen =
        ["search", "films", "-a", "title,year", "-s", "year:desc", "-f", "year > 1970", "-n", "1"];
    let ran = instance.run(&chosen).succeeded();
    assert!(ran.out.starts_with("title  year\nNight  2010\n\n1 hit of about 2, "), "{ran:?}");

    let ran = instance.run(&["search", "films", "desert", "--json"]).succeeded();
    let answer: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(answer["hits"][0]["id"], 3);
    assert!(answer["hits"][0].get("_formatted").is_none());

    let narrow = instance.command(&["search", "films", "harbour"]).env("COLUMNS", "28").output();
    let narrow = String::from_utf8(narrow.expect("it runs").stdout).expect("text");
    assert!(narrow.contains("Hidden columns: genre, overview."), "{narrow}");

    let ran = instance.run(&["search", "films", "--hybrid", "e:0", "--score"]).succeeded();
    assert!(ran.out.starts_with(" score  id  title"), "{ran:?}");
    let refused = instance.run(&["search", "films", "-f", "title = 1"]);
    assert!(refused.code == 1 && refused.err.contains("is not filterable"), "{refused:?}");
    let ran = instance.run(&["search", "films", "nothing-like-this"]).succeeded();
    assert!(ran.out.starts_with("0 hits, found in"), "{ran:?}");
}
