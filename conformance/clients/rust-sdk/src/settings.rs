//! Every setting: written, read and reset.

use std::collections::{BTreeMap, HashMap};

use meilisearch_sdk::settings::{
    Embedder, EmbedderSource, FacetSortValue, FacetingSettings, FilterFeatureModes, FilterFeatures,
    FilterableAttribute, FilterableAttributesSettings, LocalizedAttributes, MinWordSizeForTypos,
    PaginationSetting, PrefixSearchSettings, Settings, TypoToleranceSettings,
};

use crate::case;
use crate::context::{Context, texts};
use crate::suite::{Suite, equal, holds};

pub async fn cases(suite: &mut Suite, context: &Context) {
    lists(suite, context).await;
    values(suite, context).await;
    objects(suite, context).await;
    whole(suite, context).await;
}

fn manual() -> HashMap<String, Embedder> {
    let embedder = Embedder {
        source: EmbedderSource::UserProvided,
        dimensions: Some(3),
        ..Embedder::default()
    };
    HashMap::from([("manual".to_owned(), embedder)])
}

fn typos() -> TypoToleranceSettings {
    TypoToleranceSettings {
        enabled: Some(true),
        disable_on_attributes: Some(texts(&["author"])),
        disable_on_words: Some(texts(&["owls"])),
        min_word_size_for_typos: Some(MinWordSizeForTypos {
            one_typo: Some(4),
            two_typos: Some(8),
        }),
        disable_on_numbers: Some(true),
    }
}

fn faceting() -> FacetingSettings {
    let order = BTreeMap::from([("genres".to_owned(), FacetSortValue::Count)]);
    FacetingSettings { max_values_per_facet: 5, sort_facet_values_by: Some(order) }
}

fn french() -> Vec<LocalizedAttributes> {
    vec![LocalizedAttributes { locales: texts(&["fra"]), attribute_patterns: texts(&["title"]) }]
}

fn years() -> FilterableAttribute {
    FilterableAttribute::Settings(FilterableAttributesSettings {
        attribute_patterns: texts(&["year"]),
        features: FilterFeatures {
            facet_search: false,
            filter: FilterFeatureModes { equality: true, comparison: true },
        },
    })
}

async fn lists(suite: &mut Suite, context: &Context) {
    case!(suite, ["Index.set_stop_words", "Index.get_stop_words", "Index.reset_stop_words"], {
        let index = context.index().await?;
        context.done(index.set_stop_words(["the", "a"]).await?).await?;
        equal(index.get_stop_words().await?, texts(&["a", "the"]))?;
        context.done(index.reset_stop_words().await?).await?;
        equal(index.get_stop_words().await?, texts(&[]))?;
    });

    case!(
        suite,
        ["Index.set_ranking_rules", "Index.get_ranking_rules", "Index.reset_ranking_rules"],
        {
            let index = context.index().await?;
            context.done(index.set_ranking_rules(["words", "typo", "year:desc"]).await?).await?;
            equal(index.get_ranking_rules().await?, texts(&["words", "typo", "year:desc"]))?;
            context.done(index.reset_ranking_rules().await?).await?;
            equal(
                index.get_ranking_rules().await?,
                texts(&[
                    "words",
                    "typo",
                    "proximity",
                    "attributeRank",
                    "sort",
                    "wordPosition",
                    "exactness",
                ]),
            )?;
        }
    );

    case!(
        suite,
        [
            "Index.set_filterable_attributes",
            "Index.get_filterable_attributes",
            "Index.reset_filterable_attributes"
        ],
        {
            let index = context.index().await?;
            context.done(index.set_filterable_attributes(["genres", "year"]).await?).await?;
            equal(index.get_filterable_attributes().await?, texts(&["genres", "year"]))?;
            context.done(index.reset_filterable_attributes().await?).await?;
            equal(index.get_filterable_attributes().await?, texts(&[]))?;
        }
    );

    case!(
        suite,
        [
            "Index.set_sortable_attributes",
            "Index.get_sortable_attributes",
            "Index.reset_sortable_attributes"
        ],
        {
            let index = context.index().await?;
            context.done(index.set_sortable_attributes(["year", "pages"]).await?).await?;
            equal(index.get_sortable_attributes().await?, texts(&["pages", "year"]))?;
            context.done(index.reset_sortable_attributes().await?).await?;
            equal(index.get_sortable_attributes().await?, texts(&[]))?;
        }
    );

    case!(
        suite,
        [
            "Index.set_searchable_attributes",
            "Index.get_searchable_attributes",
            "Index.reset_searchable_attributes"
        ],
        {
            let index = context.index().await?;
            context.done(index.set_searchable_attributes(["title", "author"]).await?).await?;
            equal(index.get_searchable_attributes().await?, texts(&["title", "author"]))?;
            context.done(index.reset_searchable_attributes().await?).await?;
            equal(index.get_searchable_attributes().await?, texts(&["*"]))?;
        }
    );

    case!(
        suite,
        [
            "Index.set_displayed_attributes",
            "Index.get_displayed_attributes",
            "Index.reset_displayed_attributes"
        ],
        {
            let index = context.index().await?;
            context.done(index.set_displayed_attributes(["id", "title"]).await?).await?;
            equal(index.get_displayed_attributes().await?, texts(&["id", "title"]))?;
            context.done(index.reset_displayed_attributes().await?).await?;
            equal(index.get_displayed_attributes().await?, texts(&["*"]))?;
        }
    );

    case!(suite, ["Index.set_dictionary", "Index.get_dictionary", "Index.reset_dictionary"], {
        let index = context.index().await?;
        context.done(index.set_dictionary(["J. R. R."]).await?).await?;
        equal(index.get_dictionary().await?, texts(&["J. R. R."]))?;
        context.done(index.reset_dictionary().await?).await?;
        equal(index.get_dictionary().await?, texts(&[]))?;
    });

    case!(
        suite,
        [
            "Index.set_separator_tokens",
            "Index.get_separator_tokens",
            "Index.reset_separator_tokens"
        ],
        {
            let index = context.index().await?;
            context.done(index.set_separator_tokens(&texts(&["|"])).await?).await?;
            equal(index.get_separator_tokens().await?, texts(&["|"]))?;
            context.done(index.reset_separator_tokens().await?).await?;
            equal(index.get_separator_tokens().await?, texts(&[]))?;
        }
    );

    case!(
        suite,
        [
            "Index.set_non_separator_tokens",
            "Index.get_non_separator_tokens",
            "Index.reset_non_separator_tokens"
        ],
        {
            let index = context.index().await?;
            context.done(index.set_non_separator_tokens(&texts(&["#"])).await?).await?;
            equal(index.get_non_separator_tokens().await?, texts(&["#"]))?;
            context.done(index.reset_non_separator_tokens().await?).await?;
            equal(index.get_non_separator_tokens().await?, texts(&[]))?;
        }
    );

    case!(
        suite,
        ["Index.set_filterable_attributes_advanced", "Index.get_filterable_attributes_advanced"],
        {
            let index = context.index().await?;
            let wanted = vec![FilterableAttribute::from("genres"), years()];
            let info = index.set_filterable_attributes_advanced(wanted.clone()).await?;
            context.done(info).await?;
            equal(index.get_filterable_attributes_advanced().await?, wanted)?;
        }
    );
}

async fn values(suite: &mut Suite, context: &Context) {
    case!(
        suite,
        [
            "Index.set_distinct_attribute",
            "Index.get_distinct_attribute",
            "Index.reset_distinct_attribute"
        ],
        {
            let index = context.index().await?;
            context.done(index.set_distinct_attribute("author").await?).await?;
            equal(index.get_distinct_attribute().await?, Some("author".to_owned()))?;
            context.done(index.reset_distinct_attribute().await?).await?;
            equal(index.get_distinct_attribute().await?, None)?;
        }
    );

    case!(
        suite,
        [
            "Index.set_proximity_precision",
            "Index.get_proximity_precision",
            "Index.reset_proximity_precision"
        ],
        {
            let index = context.index().await?;
            context.done(index.set_proximity_precision("byAttribute".to_owned()).await?).await?;
            equal(index.get_proximity_precision().await?, "byAttribute")?;
            context.done(index.reset_proximity_precision().await?).await?;
            equal(index.get_proximity_precision().await?, "byWord")?;
        }
    );

    case!(
        suite,
        ["Index.set_facet_search", "Index.get_facet_search", "Index.reset_facet_search"],
        {
            let index = context.index().await?;
            context.done(index.set_facet_search(false).await?).await?;
            equal(index.get_facet_search().await?, false)?;
            context.done(index.reset_facet_search().await?).await?;
            equal(index.get_facet_search().await?, true)?;
        }
    );

    case!(
        suite,
        ["Index.set_prefix_search", "Index.get_prefix_search", "Index.reset_prefix_search"],
        {
            let index = context.index().await?;
            context.done(index.set_prefix_search(PrefixSearchSettings::Disabled).await?).await?;
            equal(index.get_prefix_search().await?, PrefixSearchSettings::Disabled)?;
            context.done(index.reset_prefix_search().await?).await?;
            equal(index.get_prefix_search().await?, PrefixSearchSettings::IndexingTime)?;
        }
    );

    case!(
        suite,
        [
            "Index.set_search_cutoff_ms",
            "Index.get_search_cutoff_ms",
            "Index.reset_search_cutoff_ms"
        ],
        {
            let index = context.index().await?;
            context.done(index.set_search_cutoff_ms(Some(700)).await?).await?;
            equal(index.get_search_cutoff_ms().await?, Some(700))?;
            context.done(index.reset_search_cutoff_ms().await?).await?;
            equal(index.get_search_cutoff_ms().await?, None)?;
        }
    );
}

async fn objects(suite: &mut Suite, context: &Context) {
    case!(suite, ["Index.set_synonyms", "Index.get_synonyms", "Index.reset_synonyms"], {
        let index = context.index().await?;
        let synonyms = HashMap::from([("harbour".to_owned(), texts(&["port"]))]);
        context.done(index.set_synonyms(&synonyms).await?).await?;
        equal(index.get_synonyms().await?, synonyms)?;
        context.done(index.reset_synonyms().await?).await?;
        equal(index.get_synonyms().await?.len(), 0)?;
    });

    case!(suite, ["Index.set_pagination", "Index.get_pagination", "Index.reset_pagination"], {
        let index = context.index().await?;
        context.done(index.set_pagination(PaginationSetting { max_total_hits: 50 }).await?).await?;
        equal(index.get_pagination().await?.max_total_hits, 50)?;
        context.done(index.reset_pagination().await?).await?;
        equal(index.get_pagination().await?.max_total_hits, 1000)?;
    });

    case!(suite, ["Index.set_faceting", "Index.get_faceting", "Index.reset_faceting"], {
        let index = context.index().await?;
        context.done(index.set_faceting(&faceting()).await?).await?;
        let read = index.get_faceting().await?;
        let order = read.sort_facet_values_by.ok_or("no order")?;
        equal((read.max_values_per_facet, order.len()), (5, 2))?;
        equal(order["genres"].clone(), FacetSortValue::Count)?;
        context.done(index.reset_faceting().await?).await?;
        equal(index.get_faceting().await?.max_values_per_facet, 100)?;
    });

    case!(
        suite,
        ["Index.set_typo_tolerance", "Index.get_typo_tolerance", "Index.reset_typo_tolerance"],
        {
            let index = context.index().await?;
            context.done(index.set_typo_tolerance(&typos()).await?).await?;
            equal(index.get_typo_tolerance().await?, typos())?;
            context.done(index.reset_typo_tolerance().await?).await?;
            equal(index.get_typo_tolerance().await?.disable_on_words, Some(Vec::new()))?;
        }
    );

    case!(suite, ["Index.set_embedders", "Index.get_embedders", "Index.reset_embedders"], {
        let index = context.client.index(context.uid());
        context.done(index.set_embedders(&manual()).await?).await?;
        equal(index.get_embedders().await?["manual"].dimensions, Some(3))?;
        context.done(index.reset_embedders().await?).await?;
        equal(index.get_embedders().await?.len(), 0)?;
    });

    case!(
        suite,
        [
            "Index.set_localized_attributes",
            "Index.get_localized_attributes",
            "Index.reset_localized_attributes",
        ],
        {
            let index = context.index().await?;
            context.done(index.set_localized_attributes(&french()).await?).await?;
            equal(index.get_localized_attributes().await?, Some(french()))?;
            context.done(index.reset_localized_attributes().await?).await?;
            equal(index.get_localized_attributes().await?, None)?;
        }
    );
}

async fn whole(suite: &mut Suite, context: &Context) {
    case!(
        suite,
        [
            "Index.set_settings",
            "Index.get_settings",
            "Index.reset_settings",
            "Settings.new",
            "Settings.with_synonyms",
            "Settings.with_stop_words",
            "Settings.with_pagination",
            "Settings.with_typo_tolerance",
            "Settings.with_ranking_rules",
            "Settings.with_filterable_attributes",
            "Settings.with_sortable_attributes",
            "Settings.with_distinct_attribute",
            "Settings.with_searchable_attributes",
            "Settings.with_displayed_attributes",
            "Settings.with_faceting",
            "Settings.with_dictionary",
            "Settings.with_proximity_precision",
            "Settings.with_embedders",
            "Settings.with_search_cutoff",
            "Settings.with_separation_tokens",
            "Settings.with_non_separation_tokens",
            "Settings.with_localized_attributes",
        ],
        {
            let index = context.client.index(context.uid());
            let settings = Settings::new()
                .with_synonyms(HashMap::from([("harbour", ["port"])]))
                .with_stop_words(["the"])
                .with_pagination(PaginationSetting { max_total_hits: 50 })
                .with_typo_tolerance(typos())
                .with_ranking_rules(["words"])
                .with_filterable_attributes(["year"])
                .with_sortable_attributes(["pages"])
                .with_distinct_attribute(Some("author"))
                .with_searchable_attributes(["title"])
                .with_displayed_attributes(["id", "title"])
                .with_faceting(faceting())
                .with_dictionary(["J. R. R."])
                .with_proximity_precision("byAttribute")
                .with_embedders(manual())
                .with_search_cutoff(700)
                .with_separation_tokens(["|"])
                .with_non_separation_tokens(["#"])
                .with_localized_attributes(french());
            context.done(index.set_settings(&settings).await?).await?;
            let read = index.get_settings().await?;
            equal(read.stop_words, Some(texts(&["the"])))?;
            equal(read.ranking_rules, Some(texts(&["words"])))?;
            equal(read.distinct_attribute, Some(Some("author".to_owned())))?;
            equal(read.pagination.map(|pagination| pagination.max_total_hits), Some(50))?;
            equal(read.search_cutoff_ms, Some(700))?;
            holds(read.embedders.is_some_and(|found| found.contains_key("manual")), "embedders")?;
            equal(read.localized_attributes, Some(french()))?;
            context.done(index.reset_settings().await?).await?;
            equal(index.get_settings().await?.searchable_attributes, Some(texts(&["*"])))?;
        }
    );

    case!(
        suite,
        [
            "Settings.with_filterable_attributes_advanced",
            "Settings.with_max_values_per_facet",
            "Settings.with_sort_facet_values_by",
        ],
        {
            let index = context.client.index(context.uid());
            let order = BTreeMap::from([("genres".to_owned(), FacetSortValue::Count)]);
            let settings = Settings::new()
                .with_filterable_attributes_advanced([years()])
                .with_max_values_per_facet(3)
                .with_sort_facet_values_by(order);
            context.done(index.set_settings(&settings).await?).await?;
            equal(index.get_filterable_attributes_advanced().await?, vec![years()])?;
            equal(index.get_faceting().await?.max_values_per_facet, 3)?;
        }
    );
}
