//! Values that settings may not have: the code is that of the setting, the place begins at the
//! value on a route of its own and at its name in the object of all.

use serde_json::{Value, json};
use settings::{ChangeKind, Setting};

use crate::harness::TestServer;

/// An invalid value, and the location of the error in it.
enum Wrong {
    Type(&'static str, &'static str),
    Value(&'static str),
    Word(&'static str, &'static str),
    Unknown(&'static str, &'static str),
    Missing(&'static str),
}

use Wrong::{Missing, Type, Unknown, Word};

impl Wrong {
    fn message(&self, place: &str) -> String {
        let at = |word: &str| match place {
            "" => String::new(),
            place => format!(" {word} `{place}`"),
        };
        match self {
            Type(expected, found) => {
                format!("Invalid value type{}: expected {expected}, but found {found}", at("at"))
            }
            Wrong::Value(reason) => format!("Invalid value{}: {reason}", at("at")),
            Word(word, accepted) => format!("Unknown value `{word}`{}: {accepted}", at("at")),
            Unknown(field, accepted) => {
                format!("Unknown field `{field}`{}: {accepted}", at("inside"))
            }
            Missing(field) => format!("Missing field `{field}`{}", at("inside")),
        }
    }
}

const STRING: &str = "a string";
const ARRAY: &str = "an array";
const OBJECT: &str = "an object";
const BOOLEAN: &str = "a boolean";
const INTEGER: &str = "a positive integer";

const STEM_CODES: &str = "expected one of `auto`, `ar`, `ca`, `cs`, `da`, `de`, `el`, `en`, `eo`, `es`, `et`, `eu`, `fa`, `fi`, `fr`, `ga`, `hi`, `hu`, `hy`, `id`, `it`, `lt`, `nb`, `ne`, `nl`, `pl`, `pt`, `ro`, `ru`, `sr`, `st`, `sv`, `ta`, `tr`, `uk`, `yi`, `ara`, `cat`, `ces`, `dan`, `deu`, `ell`, `eng`, `epo`, `spa`, `est`, `eus`, `pes`, `fin`, `fra`, `gle`, `hin`, `hun`, `hye`, `ind`, `ita`, `lit`, `nob`, `nep`, `nld`, `pol`, `por`, `ron`, `rus`, `srp`, `sot`, `swe`, `tam`, `tur`, `ukr`, `yid`";

/// Invalid items of an array of strings.
fn no_strings() -> Vec<(Value, &'static str, Wrong)> {
    vec![
        (json!([1]), "[0]", Type(STRING, "a positive integer: `1`")),
        (json!(["words", null]), "[1]", Type(STRING, "null")),
        (json!([["a"]]), "[0]", Type(STRING, "an array: `[\"a\"]`")),
    ]
}

#[rustfmt::skip]
fn filterable() -> Vec<(Value, &'static str, Wrong)> {
    let rule = |features: Value| json!(["a", {"attributePatterns": ["a"], "features": features}]);
    let mut wrong = no_strings();
    wrong.extend([
        (json!([{}]), "[0]", Missing("attributePatterns")),
        (json!([{"attributePatterns": null}]), "[0].attributePatterns", Type(ARRAY, "null")),
        (json!([{"attributePatterns": ["a", 2]}]), "[0].attributePatterns[1]", Type(STRING, "a positive integer: `2`")),
        (rule(json!(null)), "[1].features", Type(OBJECT, "null")),
        (rule(json!({"filter": {"comparison": null}})), "[1].features.filter.comparison", Type(BOOLEAN, "null")),
        (rule(json!({"filter": {"equal": true}})), "[1].features.filter", Unknown("equal", "expected one of `equality`, `comparison`")),
        (rule(json!({"facets": true})), "[1].features", Unknown("facets", "expected one of `facetSearch`, `filter`")),
        (json!([{"attributePatterns": ["a"], "feature": {}}]), "[0]", Unknown("feature", "did you mean `features`? expected one of `attributePatterns`, `features`")),
    ]);
    wrong
}

#[rustfmt::skip]
fn typo_tolerance() -> Vec<(Value, &'static str, Wrong)> {
    let sizes = |sizes: Value| json!({"minWordSizeForTypos": sizes});
    vec![
        (json!({"enable": true}), "", Unknown("enable", "did you mean `enabled`? expected one of `enabled`, `minWordSizeForTypos`, `disableOnWords`, `disableOnAttributes`, `disableOnNumbers`")),
        (sizes(json!({"twoTypos": 1000})), ".minWordSizeForTypos.twoTypos", Wrong::Value("value: `1000` is too large to be deserialized, maximum value authorized is `255`")),
        (sizes(json!({"oneTypo": 256})), ".minWordSizeForTypos.oneTypo", Wrong::Value("value: `256` is too large to be deserialized, maximum value authorized is `255`")),
        (sizes(json!({"threeTypos": 1})), ".minWordSizeForTypos", Unknown("threeTypos", "expected one of `oneTypo`, `twoTypos`")),
        (sizes(json!({"oneTypo": 8, "twoTypos": 7})), ".minWordSizeForTypos", Wrong::Value("`minWordSizeForTypos` setting is invalid. `oneTypo` and `twoTypos` fields should be between `0` and `255`, and `twoTypos` should be greater or equals to `oneTypo` but found `oneTypo: 8` and twoTypos: 7`.")),
    ]
}

fn ranking_rules() -> Vec<(Value, &'static str, Wrong)> {
    let mut wrong = no_strings();
    for (name, reason) in [
        ("word", None),
        ("Words", None),
        (" words ", None),
        ("", None),
        ("asc(year)", None),
        ("year", None),
        ("year:ASC", None),
        ("year:up", None),
        ("_geo:asc", Some("`_geo` is a reserved keyword and thus can't be used as a ranking rule")),
        (
            "_geoDistance:desc",
            Some("`_geoDistance` is a reserved keyword and thus can't be used as a ranking rule"),
        ),
        (
            "_geoPoint(1,2):asc",
            Some(
                "`_geoPoint` is a reserved keyword and thus can't be used as a ranking rule. `_geoPoint` can only be used for sorting at search time",
            ),
        ),
        (
            "_geoRadius(1,2,3):asc",
            Some(
                "`_geoRadius` is a reserved keyword and thus can't be used as a ranking rule. `_geoRadius` can only be used for filtering at search time",
            ),
        ),
        (
            "_geoBoundingBox:desc",
            Some(
                "`_geoBoundingBox` is a reserved keyword and thus can't be used as a ranking rule. `_geoBoundingBox` can only be used for filtering at search time",
            ),
        ),
    ] {
        let unknown = format!(
            "`{name}` ranking rule is invalid. Valid ranking rules are words, typo, sort, proximity, attribute, exactness and custom ranking rules."
        );
        let reason = reason.unwrap_or_else(|| unknown.leak());
        wrong.push((json!(["words", name]), "[1]", Wrong::Value(reason)));
    }
    wrong
}

#[rustfmt::skip]
fn localized() -> Vec<(Value, &'static str, Wrong)> {
    const CODES: &str = "expected one of `af`, `ak`, `am`, `ar`, `az`, `be`, `bn`, `bg`, `ca`, `cs`, `da`, `de`, `el`, `en`, `eo`, `et`, `fi`, `fr`, `gu`, `he`, `hi`, `hr`, `hu`, `hy`, `id`, `it`, `jv`, `ja`, `kn`, `ka`, `km`, `ko`, `la`, `lv`, `lt`, `ml`, `mr`, `mk`, `my`, `ne`, `nl`, `nb`, `or`, `pa`, `fa`, `pl`, `pt`, `ro`, `ru`, `si`, `sk`, `sl`, `sn`, `es`, `sr`, `sv`, `ta`, `te`, `tl`, `th`, `tk`, `tr`, `uk`, `ur`, `uz`, `vi`, `yi`, `zh`, `zu`, `afr`, `aka`, `amh`, `ara`, `aze`, `bel`, `ben`, `bul`, `cat`, `ces`, `dan`, `deu`, `ell`, `eng`, `epo`, `est`, `fin`, `fra`, `guj`, `heb`, `hin`, `hrv`, `hun`, `hye`, `ind`, `ita`, `jav`, `jpn`, `kan`, `kat`, `khm`, `kor`, `lat`, `lav`, `lit`, `mal`, `mar`, `mkd`, `mya`, `nep`, `nld`, `nob`, `ori`, `pan`, `pes`, `pol`, `por`, `ron`, `rus`, `sin`, `slk`, `slv`, `sna`, `spa`, `srp`, `swe`, `tam`, `tel`, `tgl`, `tha`, `tuk`, `tur`, `ukr`, `urd`, `uzb`, `vie`, `yid`, `zho`, `zul`, `cmn`";
    let locales = |locales: Value| json!([{"attributePatterns": ["a"], "locales": locales}]);
    vec![
        (json!([{}]), "[0]", Missing("attributePatterns")),
        (json!([{"attributePatterns": ["a"]}]), "[0]", Missing("locales")),
        (json!([{"attributePatterns": null, "locales": []}]), "[0].attributePatterns", Type(ARRAY, "null")),
        (locales(json!(null)), "[0].locales", Type(ARRAY, "null")),
        (locales(json!(["fr", null])), "[0].locales[1]", Type(STRING, "null")),
        (json!([null]), "[0]", Type(OBJECT, "null")),
        (locales(json!(["de", "xx"])), "[0].locales[1]", Word("xx", CODES)),
        (locales(json!(["FR"])), "[0].locales[0]", Word("FR", CODES)),
        (json!([{"attributePatterns": ["a"], "locales": [], "weight": 1}]), "[0]", Unknown("weight", "expected one of `attributePatterns`, `locales`")),
    ]
}

#[rustfmt::skip]
fn chat() -> Vec<(Value, &'static str, Wrong)> {
    let parameters = |parameters: Value| json!({"searchParameters": parameters});
    vec![
        (json!({"nope": 1}), "", Unknown("nope", "expected one of `description`, `documentTemplate`, `documentTemplateMaxBytes`, `searchParameters`")),
        (parameters(json!({"matchingStrategy": "some"})), ".searchParameters.matchingStrategy", Word("some", "expected one of `last`, `all`, `frequency`")),
        (parameters(json!({"rankingScoreThreshold": 1.5})), ".searchParameters.rankingScoreThreshold", Wrong::Value("the value of `rankingScoreThreshold` is invalid, expected a float between `0.0` and `1.0`.")),
        (parameters(json!({"hybrid": {}})), ".searchParameters.hybrid", Missing("embedder")),
        (parameters(json!({"hybrid": {"embedder": "e", "semanticRatio": 2}})), ".searchParameters.hybrid.semanticRatio", Wrong::Value("the value of `semanticRatio` is invalid, expected a float between `0.0` and `1.0`.")),
        (parameters(json!({"filter": 1})), ".searchParameters", Unknown("filter", "expected one of `hybrid`, `limit`, `sort`, `distinct`, `matchingStrategy`, `attributesToSearchOn`, `rankingScoreThreshold`")),
    ]
}

#[rustfmt::skip]
fn wrong_values(name: &str) -> Vec<(Value, &'static str, Wrong)> {
    match name {
        "displayedAttributes" | "searchableAttributes" | "sortableAttributes" | "stopWords"
        | "separatorTokens" | "nonSeparatorTokens" | "dictionary" => no_strings(),
        "filterableAttributes" => filterable(),
        "rankingRules" => ranking_rules(),
        "synonyms" => vec![
            (json!({"a b.c": null}), ".a b.c", Type(ARRAY, "null")),
            (json!({"a": ["b", null]}), ".a[1]", Type(STRING, "null")),
            (json!({"a": ["b", 1]}), ".a[1]", Type(STRING, "a positive integer: `1`")),
        ],
        "proximityPrecision" => vec![
            (json!(""), "", Word("", "expected one of `byWord`, `byAttribute`")),
            (json!("byword"), "", Word("byword", "did you mean `byWord`? expected one of `byWord`, `byAttribute`")),
            (json!("byCharacter"), "", Word("byCharacter", "expected one of `byWord`, `byAttribute`")),
        ],
        "prefixSearch" => vec![
            (json!("Disabled"), "", Word("Disabled", "did you mean `disabled`? expected one of `indexingTime`, `disabled`")),
            (json!("searchTime"), "", Word("searchTime", "expected one of `indexingTime`, `disabled`")),
        ],
        "typoTolerance" => typo_tolerance(),
        "faceting" => vec![
            (json!({"sortFacetValuesBy": {"a": null}}), ".sortFacetValuesBy.a", Type(STRING, "null")),
            (json!({"sortFacetValuesBy": {"a": "size"}}), ".sortFacetValuesBy.a", Word("size", "expected one of `alpha`, `count`")),
            (json!({"sortFacetValuesBy": {"a": "Count"}}), ".sortFacetValuesBy.a", Word("Count", "did you mean `count`? expected one of `alpha`, `count`")),
            (json!({"maxValues": 3}), "", Unknown("maxValues", "expected one of `maxValuesPerFacet`, `sortFacetValuesBy`")),
        ],
        "pagination" => vec![
            (json!({"maxTotalHits": 0}), ".maxTotalHits", Wrong::Value("a non-zero integer value lower than `18446744073709551615` was expected, but found a zero")),
            (json!({"limit": 4}), "", Unknown("limit", "expected one of `maxTotalHits`")),
        ],
        "localizedAttributes" => localized(),
        "embedders" => vec![
            (json!({"e": {"source": "openai"}}), ".e.source", Word("openai", "did you mean `openAi`? expected one of `openAi`, `huggingFace`, `ollama`, `userProvided`, `rest`, `composite`")),
            (json!({"e": {"headers": {"a": 1}}}), ".e.headers.a", Type(STRING, "a positive integer: `1`")),
            (json!({"e": {"searchEmbedder": {"dimensions": "x"}}}), ".e.searchEmbedder.dimensions", Type(INTEGER, "a string: `\"x\"`")),
            (json!({"e": {"distribution": {"mean": 0.5}}}), ".e.distribution", Missing("sigma")),
            (json!({"e": {"distribution": {"mean": 1.1, "sigma": 1}}}), ".e.distribution", Wrong::Value("the distribution mean must be in the range [0, 1], got 1.1")),
            (json!({"e": {"distribution": {"mean": 1, "sigma": 0}}}), ".e.distribution", Wrong::Value("the distribution sigma must be in the range ]0, 1], got 0")),
        ],
        "foreignKeys" => vec![
            (json!([{"fieldName": "a"}]), "[0]", Missing("foreignIndexUid")),
            (json!([{"foreignIndexUid": "a"}]), "[0]", Missing("fieldName")),
            (json!([{"foreignIndexUid": "a", "fieldName": null}]), "[0].fieldName", Type(STRING, "null")),
            (json!([{"foreignIndexUid": "a", "fieldName": "b", "extra": 1}]), "[0]", Unknown("extra", "expected one of `foreignIndexUid`, `fieldName`")),
        ],
        "rerankers" => vec![
            (json!({"r": {"dimensions": 3}}), ".r", Unknown("dimensions", "expected one of `source`, `model`, `revision`, `apiKey`, `url`, `headers`, `request`, `response`, `documentTemplate`, `documentTemplateMaxBytes`, `timeoutMs`")),
            (json!({"r": {"source": "Cohere"}}), ".r.source", Word("Cohere", "did you mean `cohere`? expected one of `rest`, `cohere`, `jina`, `voyage`, `huggingFace`")),
            (json!({"r": {"headers": {"a": 1}}}), ".r.headers.a", Type(STRING, "a positive integer: `1`")),
        ],
        "stemming" => vec![
            (json!({"language": ["en"]}), "", Unknown("language", "did you mean `languages`? expected one of `attributes`, `languages`, `exceptions`")),
            (json!({"exceptions": {"a": null}}), ".exceptions.a", Type(STRING, "null")),
            (json!({"languages": ["en", "xx"]}), ".languages[1]", Word("xx", STEM_CODES)),
        ],
        "boosts" => vec![
            (json!([{"value": {}}]), "[0].value", Missing("attribute")),
            (json!([{"filter": "a"}, {}]), "[1]", Wrong::Value("a boost has exactly one of `filter`, `decay`, `value` and `near`")),
            (json!([{"filter": "a", "wait": 1}]), "[0]", Unknown("wait", "expected one of `filter`, `decay`, `value`, `near`, `weight`")),
            (json!([{"filter": "a", "weight": -1}]), "[0].weight", Wrong::Value("expected a number from 0 to 1000")),
        ],
        "attributeWeights" => vec![(json!({"a": 1001}), ".a", Wrong::Value("expected a number from 0 to 1000"))],
        "chat" => chat(),
        // Their kind is all that can be wrong.
        "distinctAttribute" | "facetSearch" | "searchCutoffMs" => Vec::new(),
        other => panic!("{other} has no wrong values to try"),
    }
}

/// Where a setting takes one kind of value and refuses all others: the kind, and its places.
#[rustfmt::skip]
fn kinds(name: &str) -> Vec<(&'static str, &'static [&'static str])> {
    match name {
        "displayedAttributes" | "searchableAttributes" | "sortableAttributes" | "stopWords" | "rankingRules"
        | "separatorTokens" | "nonSeparatorTokens" | "dictionary" => vec![(ARRAY, &[""]), (STRING, &["[0]"])],
        "filterableAttributes" => vec![
            (ARRAY, &["", "[0].attributePatterns"]), (STRING, &["[0].attributePatterns[0]"]),
            (OBJECT, &["[0].features", "[0].features.filter"]),
            (BOOLEAN, &["[0].features.facetSearch", "[0].features.filter.equality", "[0].features.filter.comparison"]),
        ],
        "synonyms" => vec![(OBJECT, &[""]), (ARRAY, &[".a", ".b c"]), (STRING, &[".a[0]"])],
        "distinctAttribute" | "proximityPrecision" | "prefixSearch" => vec![(STRING, &[""])],
        "facetSearch" => vec![(BOOLEAN, &[""])],
        "searchCutoffMs" => vec![(INTEGER, &[""])],
        "typoTolerance" => vec![
            (OBJECT, &["", ".minWordSizeForTypos"]), (BOOLEAN, &[".enabled", ".disableOnNumbers"]),
            (INTEGER, &[".minWordSizeForTypos.oneTypo", ".minWordSizeForTypos.twoTypos"]),
            (ARRAY, &[".disableOnWords", ".disableOnAttributes"]), (STRING, &[".disableOnWords[0]", ".disableOnAttributes[0]"]),
        ],
        "faceting" => vec![
            (OBJECT, &["", ".sortFacetValuesBy"]), (INTEGER, &[".maxValuesPerFacet"]),
            (STRING, &[".sortFacetValuesBy.a", ".sortFacetValuesBy.*"]),
        ],
        "pagination" => vec![(OBJECT, &[""]), (INTEGER, &[".maxTotalHits"])],
        "localizedAttributes" => vec![
            (ARRAY, &["", "[0].attributePatterns", "[0].locales"]), (OBJECT, &["[0]"]),
            (STRING, &["[0].attributePatterns[0]", "[0].locales[0]"]),
        ],
        "foreignKeys" => vec![(ARRAY, &[""]), (OBJECT, &["[0]"]), (STRING, &["[0].foreignIndexUid", "[0].fieldName"])],
        "rerankers" => vec![
            (OBJECT, &["", ".r", ".r.headers"]), (STRING, &[".r.source", ".r.model", ".r.apiKey", ".r.url", ".r.headers.x", ".r.documentTemplate"]),
            (INTEGER, &[".r.documentTemplateMaxBytes", ".r.timeoutMs"]),
        ],
        "stemming" => vec![
            (OBJECT, &["", ".exceptions"]), (ARRAY, &[".attributes", ".languages"]),
            (STRING, &[".attributes[0]", ".languages[0]", ".exceptions.a"]),
        ],
        "boosts" => vec![(ARRAY, &[""]), (OBJECT, &["[0]", "[0].decay", "[0].value", "[0].near"]), (STRING, &["[0].value.attribute"])],
        "attributeWeights" => vec![(OBJECT, &[""])],
        "chat" => vec![
            (OBJECT, &["", ".searchParameters"]), (STRING, &[".description", ".documentTemplate", ".searchParameters.distinct"]),
            (INTEGER, &[".documentTemplateMaxBytes", ".searchParameters.limit"]),
            (ARRAY, &[".searchParameters.sort", ".searchParameters.attributesToSearchOn"]),
        ],
        "embedders" => vec![
            (OBJECT, &["", ".e", ".e.headers"]), (STRING, &[".e.source", ".e.model", ".e.url", ".e.headers.x"]),
            (INTEGER, &[".e.dimensions", ".e.documentTemplateMaxBytes"]), (BOOLEAN, &[".e.binaryQuantized"]),
        ],
        other => panic!("{other} takes no kind of value"),
    }
}

/// A value that stands at a place of a setting, with nothing beside it.
fn at_place(place: &str, value: &Value) -> Value {
    if let Some(rest) = place.strip_prefix("[0]") {
        return json!([at_place(rest, value)]);
    }
    let Some(rest) = place.strip_prefix('.') else {
        return value.clone();
    };
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    json!({&rest[..end]: at_place(&rest[end..], value)})
}

/// Every kind of value at every place that takes another.
fn wrong_kinds(name: &str) -> Vec<(Value, &'static str, Wrong)> {
    let samples = [
        (STRING, json!("a"), "a string: `\"a\"`"),
        (INTEGER, json!(1), "a positive integer: `1`"),
        ("a negative integer", json!(-3), "a negative integer: `-3`"),
        ("a number", json!(2.5), "a number: `2.5`"),
        (BOOLEAN, json!(true), "a boolean: `true`"),
        (ARRAY, json!([]), "an array: `[]`"),
        (OBJECT, json!({"a": 1}), "an object: `{\"a\":1}`"),
    ];
    let mut wrong = Vec::new();
    for (accepted, places) in kinds(name) {
        for place in places {
            for (_, value, found) in samples.iter().filter(|(kind, ..)| *kind != accepted) {
                wrong.push((at_place(place, value), *place, Type(accepted, found)));
            }
        }
    }
    wrong
}

#[test]
fn wrong_values_are_told_with_their_place_and_change_nothing() {
    let server = TestServer::idle();
    for setting in Setting::ALL {
        let method = match setting.change {
            ChangeKind::Replace => "PUT",
            ChangeKind::Merge => "PATCH",
        };
        let own = format!("{method} /indexes/a/settings/{}", setting.route);
        let code = match setting.name {
            "chat" => "invalid_settings_index_chat".to_owned(),
            _ => format!("invalid_settings_{}", setting.route.replace('-', "_")),
        };
        for (value, place, wrong) in
            wrong_values(setting.name).into_iter().chain(wrong_kinds(setting.name))
        {
            server.call_json(&own, value.clone()).is_error(400, &code, &wrong.message(place));
            let place = format!(".{}{place}", setting.name);
            let all = "PATCH /indexes/a/settings";
            let body = json!({setting.name: value});
            server.call_json(all, body).is_error(400, &code, &wrong.message(&place));
        }
    }
    assert_eq!(server.call("GET /tasks").json()["total"], 0);
}

#[test]
fn of_several_mistakes_the_first_sent_is_told() {
    let server = TestServer::idle();
    let code = |body: Value| {
        let answer = server.call_json("PATCH /indexes/a/settings", body);
        assert_eq!(answer.status, 400);
        answer.json()["code"].as_str().expect("a code").to_owned()
    };
    assert_eq!(code(json!({"stopWords": 1, "synonyms": 2})), "invalid_settings_stop_words");
    assert_eq!(code(json!({"synonyms": 2, "stopWords": 1})), "invalid_settings_synonyms");
    assert_eq!(code(json!({"unknown": 1, "stopWords": 1})), "bad_request");
    assert_eq!(code(json!({"stopWords": 1, "unknown": 1})), "invalid_settings_stop_words");
    // What concerns the whole comes after what concerns single values.
    let mixed = json!(["attribute", "wordPosition"]);
    assert_eq!(code(json!({"rankingRules": mixed, "chat": 1})), "invalid_settings_index_chat");
    assert_eq!(code(json!({"rankingRules": mixed, "chat": {}})), "feature_not_enabled");
    for line in ["PATCH /indexes/a/settings", "PUT /indexes/a/settings/ranking-rules"] {
        let body =
            if line.starts_with("PUT") { mixed.clone() } else { json!({"rankingRules": mixed}) };
        server.call_json(line, body).is_error(
            400,
            "invalid_settings_ranking_rules",
            "Mixed usage of the attribute, attributeRank, and wordPosition ranking rules. You must either use the attribute ranking rule alone or the attributeRank and wordPosition ranking rules.",
        );
    }
}

#[test]
fn the_whole_must_be_an_object_of_known_settings() {
    let server = TestServer::idle();
    let known = Setting::ALL.iter().filter(|setting| !setting.is_own);
    let names: Vec<String> = known.map(|setting| format!("`{}`", setting.name)).collect();
    let names = names.join(", ");
    for (body, message) in [
        (json!([]), "Invalid value type: expected an object, but found an array: `[]`".to_owned()),
        (json!(null), "Invalid value type: expected an object, but found null".to_owned()),
        (json!({"colour": 1}), format!("Unknown field `colour`: expected one of {names}")),
        (
            json!({"stop_words": []}),
            format!(
                "Unknown field `stop_words`: did you mean `stopWords`? expected one of {names}"
            ),
        ),
    ] {
        let answer = server.call_json("PATCH /indexes/a/settings", body);
        answer.is_error(400, "bad_request", &message);
    }
    let raw = |text: &str| {
        server.request("PUT /indexes/a/settings/stop-words").body("application/json", text).send()
    };
    raw("").is_error(400, "missing_payload", "A json payload is missing.");
    raw("[the]").is_error(
        400,
        "malformed_payload",
        "The json payload provided is malformed. `expected ident at line 1 column 3`.",
    );
}

#[test]
fn a_setting_has_one_method_to_change_it() {
    let server = TestServer::shared();
    for setting in Setting::ALL {
        let (other, allow) = match setting.change {
            ChangeKind::Replace => ("PATCH", "GET, PUT, DELETE"),
            ChangeKind::Merge => ("PUT", "GET, PATCH, DELETE"),
        };
        for method in [other, "POST"] {
            let line = format!("{method} /indexes/a/settings/{}", setting.route);
            let answer = server.call_json(&line, json!({}));
            answer.is_empty(405);
            assert_eq!(answer.header("allow"), Some(allow), "{line}");
        }
    }
    server.call_json("PUT /indexes/a/settings", json!({})).is_empty(405);
    server.call("GET /indexes/a/settings/stopWords").is_empty(404);
}
