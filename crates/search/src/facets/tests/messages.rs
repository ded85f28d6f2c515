//! Error messages for attributes that cannot be counted or searched.

use model::Cancel;
use serde_json::{Value, json};

use super::Shelf;
use crate::error::SearchError;
use crate::facets::{FacetQuery, check, search};

fn rules() -> Value {
    let off = json!({ "filter": { "equality": false, "comparison": false } });
    let filter = json!({ "equality": true, "comparison": false });
    let searched = json!({ "facetSearch": true, "filter": filter });
    json!([
        { "attributePatterns": ["secret_*"], "features": off },
        { "attributePatterns": ["*_price"], "features": { "facetSearch": false, "filter": filter } },
        { "attributePatterns": ["meta.*"], "features": searched },
        "owner",
        { "attributePatterns": ["*tag*"], "features": searched },
    ])
}

#[test]
fn a_pattern_must_have_something_in_common_with_a_rule() {
    let shelf = Shelf::new(&json!({ "filterableAttributes": rules() }));
    for (facet, is_refused) in [
        ("owner", false),
        ("owner.name", false),
        ("own*", false),
        ("owner.na*", false),
        ("ownership", true),
        ("ownerx*", false), // `*tag*` may be for the same
        ("meta", false),
        ("met", true),
        ("meta.a", false),
        ("low*", false),
        ("low_*ice", true),
        ("other", true),
        ("Owner", true),
        ("", true),
        ("*", false),
    ] {
        assert_eq!(shelf.refusal(facet).starts_with("Invalid"), is_refused, "{facet}");
    }
    shelf.set(&json!({ "filterableAttributes": ["spec_width", "dogs"] }));
    for (facet, is_refused) in
        [("no*", true), ("spec*", false), ("spec_w", true), ("dogs.*", false), ("dogsled*", true)]
    {
        assert_eq!(shelf.refusal(facet).starts_with("Invalid"), is_refused, "{facet}");
    }
}

#[test]
fn refused_facets_name_what_is_available() {
    let shelf = Shelf::new(&json!({}));
    assert_eq!(
        shelf.refusal("genre"),
        "Invalid facet distribution: Pattern `genre` is not filterable. This index does not have \
         configured filterable attributes."
    );
    shelf.set(&json!({ "filterableAttributes": rules(), "displayedAttributes": ["id"] }));
    assert_eq!(
        shelf.refusal("other"),
        "Invalid facet distribution: Pattern `other` is not filterable. Available filterable \
         attributes patterns are: `*_price, *tag*, meta.*, owner`."
    );
    assert_eq!(
        shelf.refusal("secret_price"),
        "Invalid facet distribution: Attribute `secret_price` matched rule #0 in \
         filterableAttributes, but this rule does not enable filtering.\nHint: enable filtering \
         in rule #0 by modifying the features.filter object\nHint: prepend another rule matching \
         `secret_price` with appropriate filter features before rule #0"
    );
    let facets = ["owner".to_owned(), "b".to_owned(), "a".to_owned()];
    let refused = check(&shelf.snapshot(), &facets).unwrap_err().to_string();
    assert!(refused.contains("Pattern `b` is"), "{refused}");
}

#[test]
fn refused_searches_say_why() {
    let shelf = Shelf::new(&json!({}));
    assert_eq!(
        shelf.search_refusal("genre"),
        "Attribute `genre` is not facet-searchable. This index does not have configured \
         facet-searchable attributes. To make it facet-searchable add it to the \
         `filterableAttributes` index settings."
    );
    shelf.set(&json!({ "filterableAttributes": rules() }));
    assert_eq!(
        shelf.search_refusal("other"),
        "Attribute `other` is not facet-searchable. Available facet-searchable attributes \
         patterns are: `*tag*, meta.*, owner`. To make it facet-searchable add it to the \
         `filterableAttributes` index settings."
    );
    assert_eq!(
        shelf.search_refusal("low_price"),
        "Attribute `low_price` is not facet-searchable. Note: this attribute matches rule #1 in \
         filterableAttributes, but this rule does not enable facetSearch.\nHint: enable \
         facetSearch in rule #1 by adding `\"facetSearch\": true` to the rule.\nHint: prepend \
         another rule matching low_price with facetSearch: true before rule #1"
    );
    shelf.set(&json!({ "filterableAttributes": rules(), "displayedAttributes": ["owner"] }));
    let refused = shelf.search_refusal("other");
    assert!(refused.contains("are: `owner, <..hidden-attributes>`."), "{refused}");

    shelf.set(&json!({ "filterableAttributes": ["owner"], "facetSearch": false }));
    let snapshot = shelf.snapshot();
    for facet in ["owner", "nothere"] {
        let query = FacetQuery { facet, text: None, locales: None };
        let refused = search(&snapshot, &query, snapshot.live(), &Cancel::default());
        let error = refused.unwrap_err();
        assert!(matches!(error, SearchError::FacetSearchDisabled));
        assert_eq!(error.to_string(), "The facet search is disabled for this index");
    }
}
