//! `/indexes/{uid}/fields`: how the settings of an index apply to each of its fields. Unlike
//! elsewhere, the name of the index is not checked: an invalid one is not found.

use deserr::Deserr;
use engine::{Field, FieldFilter, RankingOrder};
use model::limits::DEFAULT_PAGE_LIMIT;
use serde::Serialize;

use super::paging::PageReply;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::field_error::body_code;
use crate::http::json::BodyError;

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct FieldsBody {
    #[deserr(default, error = body_code!(InvalidIndexOffset))]
    offset: usize,
    #[deserr(default = DEFAULT_PAGE_LIMIT, error = body_code!(InvalidIndexLimit))]
    limit: usize,
    #[deserr(default, error = body_code!(InvalidIndexFieldsFilter))]
    filter: Option<FilterBody>,
}

#[derive(Debug, Default, Deserr)]
#[deserr(error = body_code!(InvalidIndexFieldsFilter), rename_all = camelCase, deny_unknown_fields)]
struct FilterBody {
    #[deserr(default, error = body_code!(InvalidIndexFieldsFilterAttributePatterns))]
    attribute_patterns: Option<Vec<String>>,
    #[deserr(default, error = body_code!(InvalidIndexFieldsFilterDisplayed))]
    displayed: Option<bool>,
    #[deserr(default, error = body_code!(InvalidIndexFieldsFilterSearchable))]
    searchable: Option<bool>,
    #[deserr(default, error = body_code!(InvalidIndexFieldsFilterSortable))]
    sortable: Option<bool>,
    #[deserr(default, error = body_code!(InvalidIndexFieldsFilterDistinct))]
    distinct: Option<bool>,
    #[deserr(default, error = body_code!(InvalidIndexFieldsFilterRankingRule))]
    ranking_rule: Option<bool>,
    #[deserr(default, error = body_code!(InvalidIndexFieldsFilterFilterable))]
    filterable: Option<bool>,
}

impl From<FilterBody> for FieldFilter {
    fn from(body: FilterBody) -> Self {
        Self {
            patterns: body.attribute_patterns,
            displayed: body.displayed,
            searchable: body.searchable,
            sortable: body.sortable,
            distinct: body.distinct,
            ranking_rule: body.ranking_rule,
            filterable: body.filterable,
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FieldObject {
    name: String,
    displayed: Enabled,
    searchable: Enabled,
    sortable: Enabled,
    distinct: Enabled,
    ranking_rule: RankingRule,
    filterable: Filterable,
    localized: Localized,
}

#[derive(Debug, Serialize)]
struct Enabled {
    enabled: bool,
}

#[derive(Debug, Serialize)]
struct RankingRule {
    enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<&'static str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Filterable {
    enabled: bool,
    sort_by: &'static str,
    facet_search: bool,
    equality: bool,
    comparison: bool,
}

#[derive(Debug, Serialize)]
struct Localized {
    locales: Vec<String>,
}

impl From<Field> for FieldObject {
    fn from(field: Field) -> Self {
        let enabled = |enabled| Enabled { enabled };
        let order = field.ranking_order.map(|order| match order {
            RankingOrder::Ascending => "asc",
            RankingOrder::Descending => "desc",
        });
        Self {
            name: field.name,
            displayed: enabled(field.displayed),
            searchable: enabled(field.searchable),
            sortable: enabled(field.sortable),
            distinct: enabled(field.distinct),
            ranking_rule: RankingRule { enabled: order.is_some(), order },
            filterable: Filterable {
                enabled: field.filterable.filters(),
                sort_by: field.facet_order.name(),
                facet_search: field.filterable.facet_search,
                equality: field.filterable.equality,
                comparison: field.filterable.comparison,
            },
            localized: Localized {
                locales: field.locales.iter().map(|code| capitalised(code)).collect(),
            },
        }
    }
}

fn capitalised(code: &str) -> String {
    let mut letters = code.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

pub async fn list(app: App, mut call: Call) -> Answer {
    let (FieldsBody { offset, limit, filter }, _memory) = call.search_json().await?;
    let filter = filter.unwrap_or_default().into();
    let uid = call.param("uid").to_owned();
    let page = app.blocking(move |engine| engine.fields(&uid, &filter, (offset, limit))).await?;
    Ok(answer::ok(&PageReply::<FieldObject> {
        results: page.results.into_iter().map(Into::into).collect(),
        offset,
        limit,
        total: page.total,
    }))
}
