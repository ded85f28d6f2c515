use serde_json::json;

use super::*;

fn sequence(
    query: usize,
    uid: &str,
    rules: &[&str],
    sort: &[&str],
    searched: SearchKind,
) -> RuleSequence {
    let settings = Settings::from_stored(&json!({ "rankingRules": rules }));
    let sort: Vec<String> = sort.iter().map(ToString::to_string).collect();
    let sort = filter::parse_sort(&sort).unwrap();
    RuleSequence::new(query, uid, &settings, &sort, searched, rules.contains(&"boost"))
}

const WORDS: SearchKind = SearchKind::Words(Strategy::Last);

#[test]
fn first_rules_of_different_kinds_are_reported() {
    let rules = ["sort", "words", "typo"];
    let books = sequence(0, "books", &rules, &["year:asc"], SearchKind::Everything);
    let films = sequence(1, "films", &rules, &[], WORDS);
    assert_eq!(
        films.against(&books).unwrap_err(),
        "The results of queries #0 and #1 are incompatible: \n  \
         1. `queries[0].sort[0]`, `books.rankingRules[0]`: ascending sort rule(s) on field `year`\n  \
         2. `queries[1]`, `films.rankingRules[0..=1]`: relevancy rule(s) words, typo\n  \
         - cannot compare a relevancy rule with a sort rule\n  \
         - note: The ranking rules of query #0 were modified during canonicalization:\n    \
         1. Removed relevancy rule `words` at position #1 in ranking rules because the query is a \
         placeholder search (`q`: \"\")\n    \
         2. Removed relevancy rule `typo` at position #2 in ranking rules because the query is a \
         placeholder search (`q`: \"\")\n  \
         - note: The ranking rules of query #1 were modified during canonicalization:\n   \
         1. Removed rule `sort` at position #0 in ranking rules because `query.sort` is empty\n"
    );
}

#[track_caller]
fn check_conflict(left: (&[&str], &[&str]), right: (&[&str], &[&str]), expected: Option<&str>) {
    let left = sequence(0, "a", left.0, left.1, WORDS);
    let right = sequence(1, "b", right.0, right.1, WORDS);
    let found = right.against(&left).err();
    let found =
        found.as_deref().and_then(|text| text.split("cannot compare ").nth(1)?.lines().next());
    assert_eq!(found, expected);
}

#[test]
fn boosts_are_compared_with_boosts() {
    let conflict = Some("a relevancy rule with a boost rule");
    check_conflict((&["boost", "words"], &[]), (&["words"], &[]), conflict);
    check_conflict((&["boost", "words"], &[]), (&["boost", "typo"], &[]), None);
    check_conflict((&["words", "boost"], &[]), (&["words"], &[]), None);
    let conflict = Some("a sort rule with a boost rule");
    check_conflict((&["words", "boost"], &[]), (&["words", "year:desc"], &[]), conflict);
}

#[test]
fn kinds_decide_and_names_do_not() {
    let sort = &["sort", "words"][..];
    check_conflict((sort, &["year:asc"]), (sort, &["title:asc"]), None);
    check_conflict((sort, &["year:asc"]), (&["title:asc", "words"], &[]), None);
    check_conflict((&["words"], &[]), (&["words", "sort"], &["year:asc"]), None);
    check_conflict(
        (sort, &["year:asc"]),
        (sort, &["year:desc"]),
        Some("two sort rules in opposite directions"),
    );
    check_conflict(
        (sort, &["_geoPoint(1,2):asc"]),
        (sort, &["_geoPoint(1,2):desc"]),
        Some("two geosort rules in opposite directions"),
    );
    check_conflict(
        (sort, &["_geoPoint(1,2):asc"]),
        (sort, &["year:asc"]),
        Some("a sort rule with a geosort rule"),
    );
    check_conflict(
        (sort, &["_geoPoint(1,2):asc"]),
        (&["words"], &[]),
        Some("a relevancy rule with a geosort rule"),
    );
    check_conflict(
        (&["words", "sort"], &["year:asc"]),
        (&["words", "year:desc"], &[]),
        Some("two sort rules in opposite directions"),
    );
}

#[track_caller]
fn check_rules(
    rules: &[&str],
    sort: &[&str],
    searched: SearchKind,
    expected: &[&str],
    notes: &[&str],
) {
    let sequence = sequence(0, "i", rules, sort, searched);
    let shown: Vec<String> = sequence
        .rules
        .iter()
        .map(|rule| rule.to_string().replace("`queries[0]`, `i.rankingRules", "`"))
        .collect();
    assert_eq!(shown, expected);
    assert_eq!(sequence.notes, notes);
}

#[test]
fn ineffective_rules_are_reported() {
    check_rules(
        &["typo", "year:asc", "words", "exactness", "typo"],
        &[],
        WORDS,
        &[
            "`[0..=1]`: relevancy rule(s) words, typo",
            "`[2]`: ascending sort rule(s) year:asc",
            "`[3]`: relevancy rule(s) exactness",
        ],
        &[
            "Prepended rule `words` to rule `typo` at position #0 in ranking rules",
            "Removed relevancy rule `words` at position #2 in ranking rules because it was \
             prepended to another rule",
            "Removed relevancy rule `typo` at position #4 in ranking rules because it is already at \
             position #0",
        ],
    );
    check_rules(
        &["words", "typo", "sort", "proximity"],
        &["_geoPoint(1,2):desc"],
        SearchKind::Vector,
        &[
            "`[0]`: relevancy rule(s) words",
            "`queries[0].sort[0]`, `i.rankingRules[1]`: descending geo sort rule(s) default",
        ],
        &[
            "Removed relevancy rule `typo` at position #1 in ranking rules because the query is a \
             vector search, whose similarity counts at position #0",
            "Removed relevancy rule `proximity` at position #3 in ranking rules because the query \
             is a vector search, whose similarity counts at position #0",
        ],
    );
    check_rules(
        &["words", "year:asc", "sort"],
        &["year:desc"],
        SearchKind::Words(Strategy::All),
        &["`[0]`: ascending sort rule(s) year:asc"],
        &[
            "Removed relevancy rule `words` at position #0 in ranking rules because \
             `query.matchingStrategy` is `all`",
            "Removed rule `sort` at position #2 in ranking rules because it sorts by nothing new",
        ],
    );
    check_rules(&["bm25"], &[], WORDS, &["`[0]`: relevancy rule(s) bm25"], &[]);
}

#[test]
fn without_settings_the_sorts_of_the_queries_are_compared() {
    let of_sort = |query: usize, sort: &[&str]| {
        let sort: Vec<String> = sort.iter().map(ToString::to_string).collect();
        RuleSequence::of_sort(query, &filter::parse_sort(&sort).unwrap())
    };
    let down = of_sort(0, &["year:desc", "year:asc", "title:asc"]);
    assert_eq!(
        of_sort(3, &["price:asc"]).against(&down).unwrap_err(),
        "The results of queries #0 and #3 are incompatible: \n  \
         1. `queries[0].sort[0]`: descending sort rule(s) on field `year`\n  \
         2. `queries[3].sort[0]`: ascending sort rule(s) on field `price`\n  \
         - cannot compare two sort rules in opposite directions\n"
    );
    for sort in [&[][..], &["price:desc"], &["price:desc", "id:asc", "id:desc"]] {
        assert!(of_sort(1, sort).against(&down).is_ok(), "{sort:?}");
    }
    assert!(of_sort(1, &["price:desc", "id:desc"]).against(&down).is_err());
}
