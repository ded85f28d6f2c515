//! `/dynamic-search-rules`.

use model::Code;
use model::features::Feature;
use serde_json::json;

use super::documents::metadata;
use crate::openapi::operation::{Operation, delete, get, page_of, patch, post};
use crate::schema::{boolean, integer, list, maybe, named, object, text};

const FEATURE: Feature = Feature::dynamic_search_rules;

pub fn all() -> Vec<Operation> {
    let filter = object([
        maybe("query", text().or_null(), "Only return rules that contain these whole words."),
        maybe("active", boolean().or_null(), ""),
    ]);
    vec![
        post("/dynamic-search-rules", "List search rules")
            .about("Lists rules, last updated first.")
            .takes([
                maybe("offset", integer().default(json!(0)), "")
                    .code(Code::InvalidDynamicSearchRuleOffset),
                maybe("limit", integer().default(json!(20)), "")
                    .code(Code::InvalidDynamicSearchRuleLimit),
                maybe("filter", filter.or_null(), "").code(Code::InvalidDynamicSearchRuleFilter),
            ])
            .codes(&[
                Code::InvalidDynamicSearchRuleFilterQuery,
                Code::InvalidDynamicSearchRuleFilterActive,
            ])
            .needs(FEATURE)
            .answers(200, page_of(named("SearchRule"))),
        delete("/dynamic-search-rules", "Delete all search rules")
            .query([metadata()])
            .needs(FEATURE)
            .enqueues(),
        get("/dynamic-search-rules/{uid}", "Get a search rule")
            .codes(&[Code::InvalidIndexUid, Code::DynamicSearchRuleNotFound])
            .needs(FEATURE)
            .answers(200, named("SearchRule")),
        patch("/dynamic-search-rules/{uid}", "Create or update a search rule")
            .about("Members that are not sent are kept; null resets a member.")
            .query([metadata()])
            .takes([
                maybe("description", text().or_null(), "")
                    .code(Code::InvalidDynamicSearchRuleDescription),
                maybe("precedence", integer().or_null(), "Rules with a lower number apply first.")
                    .code(Code::InvalidDynamicSearchRulePriority),
                maybe("active", boolean().or_null(), "").code(Code::InvalidDynamicSearchRuleActive),
                maybe("conditions", named("RuleConditions").or_null(), "All must be met.")
                    .code(Code::InvalidDynamicSearchRuleConditions),
                maybe("actions", list(named("RuleAction")).or_null(), "")
                    .code(Code::InvalidDynamicSearchRuleActions),
            ])
            .codes(&[Code::InvalidIndexUid])
            .needs(FEATURE)
            .enqueues(),
        delete("/dynamic-search-rules/{uid}", "Delete a search rule")
            .query([metadata()])
            .codes(&[Code::InvalidIndexUid])
            .needs(FEATURE)
            .enqueues(),
    ]
}
