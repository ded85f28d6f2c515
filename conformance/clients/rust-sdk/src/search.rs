//! Searching one index and several, values of facets, similar documents.

use either::Either;
use meilisearch_sdk::search::{
    FacetSearchQuery, FederationOptions, Filter, MatchingStrategies, MergeFacets, MultiSearchQuery,
    QueryFederationOptions, SearchQuery, Selectors,
};
use meilisearch_sdk::similar::SimilarQuery;
use serde_json::{Value, json};

use crate::context::{Context, code, id_set, ids};
use crate::suite::{Suite, equal, holds};
use crate::{case, refused};

pub async fn cases(suite: &mut Suite, context: &Context) {
    one_index(suite, context).await;
    formatted(suite, context).await;
    vectors(suite, context).await;
    facet_values(suite, context).await;
    several(suite, context).await;
    similar(suite, context).await;
}

async fn one_index(suite: &mut Suite, context: &Context) {
    let books = &context.books;

    case!(
        suite,
        [
            "Index.search",
            "Index.execute_query",
            "SearchQuery.new",
            "SearchQuery.with_query",
            "SearchQuery.with_offset",
            "SearchQuery.with_limit",
            "SearchQuery.build",
            "SearchQuery.execute",
        ],
        {
            let found = books.search().with_query("harbour").execute::<Value>().await?;
            equal(id_set(&found.hits), [1, 4].into())?;
            equal((found.query.as_str(), found.limit), ("harbour", Some(20)))?;
            equal((found.offset, found.estimated_total_hits), (Some(0), Some(2)))?;
            let query = SearchQuery::new(books).with_offset(4).with_limit(1).build();
            equal(ids(&books.execute_query::<Value>(&query).await?.hits), vec![5])?;
        }
    );

    case!(suite, ["SearchQuery.with_page", "SearchQuery.with_hits_per_page"], {
        let found = books.search().with_page(2).with_hits_per_page(4).execute::<Value>().await?;
        equal(ids(&found.hits), vec![5, 6])?;
        equal((found.page, found.hits_per_page), (Some(2), Some(4)))?;
        equal((found.total_hits, found.total_pages), (Some(6), Some(2)))?;
    });

    case!(
        suite,
        [
            "SearchQuery.with_filter",
            "SearchQuery.with_array_filter",
            "SearchQuery.with_sort",
            "Filter.new"
        ],
        {
            let mut query = SearchQuery::new(books);
            query.with_filter("year > 2010").with_sort(&["year:desc"]);
            equal(ids(&query.execute::<Value>().await?.hits), vec![6, 5, 4])?;
            let mut query = SearchQuery::new(books);
            query.with_array_filter(vec!["genres = sea", "year < 2003"]);
            equal(ids(&query.execute::<Value>().await?.hits), vec![1])?;
            query.filter = Some(Filter::new(Either::Left("genres = nature")));
            equal(ids(&query.execute::<Value>().await?.hits), vec![3, 5])?;
        }
    );

    case!(suite, ["SearchQuery.with_facets"], {
        let mut query = SearchQuery::new(books);
        query.with_facets(Selectors::Some(&["author", "year"])).with_limit(0);
        let found = query.execute::<Value>().await?;
        let counts = found.facet_distribution.ok_or("no facets")?;
        equal(counts["author"]["Ines Vale"], 2)?;
        let stats = found.facet_stats.ok_or("no figures")?;
        equal((stats["year"].min, stats["year"].max), (2001.0, 2018.0))?;
        let mut query = SearchQuery::new(books);
        let all = query.with_facets(Selectors::All).execute::<Value>().await?;
        holds(all.facet_distribution.is_some_and(|counts| counts.len() > 4), "all facets")?;
    });

    case!(
        suite,
        ["SearchQuery.with_attributes_to_search_on", "SearchQuery.with_matching_strategy"],
        {
            let mut query = SearchQuery::new(books);
            query.with_query("harbour").with_attributes_to_search_on(&["summary"]);
            equal(ids(&query.execute::<Value>().await?.hits), vec![1])?;
            let mut query = SearchQuery::new(books);
            query.with_query("copper harbour ").with_matching_strategy(MatchingStrategies::ALL);
            equal(query.execute::<Value>().await?.hits.len(), 0)?;
            query.with_matching_strategy(MatchingStrategies::LAST);
            equal(id_set(&query.execute::<Value>().await?.hits), [2, 6].into())?;
            let mut query = SearchQuery::new(books);
            query.with_query("the owls ").with_matching_strategy(MatchingStrategies::FREQUENCY);
            equal(ids(&query.execute::<Value>().await?.hits), vec![3])?;
        }
    );

    case!(
        suite,
        [
            "SearchQuery.with_distinct",
            "SearchQuery.with_locales",
            "SearchQuery.with_ranking_score_threshold"
        ],
        {
            let mut query = SearchQuery::new(books);
            query.with_distinct("author");
            equal(ids(&query.execute::<Value>().await?.hits), vec![1, 3, 4])?;
            let mut query = SearchQuery::new(books);
            query.with_query("owls").with_locales(&["eng"]);
            equal(ids(&query.execute::<Value>().await?.hits), vec![3])?;
            let mut query = SearchQuery::new(books);
            query.with_query("harbour lights").with_ranking_score_threshold(0.9);
            equal(ids(&query.execute::<Value>().await?.hits), vec![4])?;
        }
    );

    refused!(
        suite,
        "SearchQuery.with_exhaustive_facet_count",
        "the package sends `exhaustiveFacetCount` with a search, which only the search of facet values takes",
        {
            let mut query = SearchQuery::new(books);
            query.with_exhaustive_facet_count(true);
            equal(code(query.execute::<Value>().await)?, "bad_request")?;
        }
    );
}

async fn formatted(suite: &mut Suite, context: &Context) {
    let books = &context.books;

    case!(
        suite,
        [
            "SearchQuery.with_attributes_to_retrieve",
            "SearchQuery.with_attributes_to_highlight",
            "SearchQuery.with_highlight_pre_tag",
            "SearchQuery.with_highlight_post_tag",
            "SearchQuery.with_attributes_to_crop",
            "SearchQuery.with_crop_length",
            "SearchQuery.with_crop_marker",
        ],
        {
            let mut query = SearchQuery::new(books);
            query
                .with_query("owls")
                .with_attributes_to_retrieve(Selectors::Some(&["id"]))
                .with_attributes_to_highlight(Selectors::Some(&["title"]))
                .with_highlight_pre_tag("[")
                .with_highlight_post_tag("]")
                .with_attributes_to_crop(Selectors::Some(&[("summary", None)]))
                .with_crop_length(2)
                .with_crop_marker("~");
            let found = query.execute::<Value>().await?;
            equal(found.hits[0].result.clone(), json!({"id": 3}))?;
            let shown = found.hits[0].formatted_result.clone().ok_or("nothing is formatted")?;
            equal(shown["title"].as_str(), Some("A Field of [Owls]"))?;
            equal(shown["summary"].as_str(), Some("How owls~"))?;
        }
    );

    case!(
        suite,
        [
            "SearchQuery.with_show_matches_position",
            "SearchQuery.with_show_ranking_score",
            "SearchQuery.with_show_ranking_score_details",
            "SearchQuery.with_show_performance_details",
        ],
        {
            let mut query = SearchQuery::new(books);
            query
                .with_query("owls")
                .with_show_matches_position(true)
                .with_show_ranking_score(true)
                .with_show_ranking_score_details(true)
                .with_show_performance_details(true);
            let found = query.execute::<Value>().await?;
            let hit = &found.hits[0];
            let places = hit.matches_position.as_ref().ok_or("no positions")?;
            equal((places["title"][0].start, places["title"][0].length), (11, 4))?;
            holds(hit.ranking_score.is_some_and(|score| score > 0.0 && score <= 1.0), "a score")?;
            let details = hit.ranking_score_details.as_ref().ok_or("no details")?;
            holds(details.contains_key("words"), "the rule of words")?;
            holds(found.performance_details.is_some(), "performance")?;
        }
    );
}

async fn vectors(suite: &mut Suite, context: &Context) {
    let books = &context.books;

    case!(
        suite,
        ["SearchQuery.with_vector", "SearchQuery.with_hybrid", "SearchQuery.with_retrieve_vectors"],
        {
            let mut query = SearchQuery::new(books);
            query.with_vector(&[0.0, 0.0, 1.0]).with_hybrid("manual", 1.0).with_limit(2);
            query.with_retrieve_vectors(true);
            let found = query.execute::<Value>().await?;
            equal(ids(&found.hits), vec![3, 5])?;
            equal(found.query_vector, Some(vec![0.0, 0.0, 1.0]))?;
            let own = &found.hits[0].result["_vectors"]["manual"]["embeddings"][0][2];
            holds(own.as_f64().is_some_and(|number| (number - 0.95).abs() < 1e-6), "a vector")?;
        }
    );

    case!(suite, ["SearchQuery.with_media"], {
        // The embedder takes vectors only, and says so.
        context.enable("multimodal").await?;
        let mut query = SearchQuery::new(books);
        query.with_hybrid("manual", 1.0).with_media(json!({"image": "x"}));
        let refusal = code(query.execute::<Value>().await)?;
        holds(refusal != "bad_request" && refusal != "feature_not_enabled", &refusal)?;
    });
}

async fn facet_values(suite: &mut Suite, context: &Context) {
    let books = &context.books;

    case!(
        suite,
        [
            "Index.facet_search",
            "Index.execute_facet_query",
            "FacetSearchQuery.new",
            "FacetSearchQuery.with_facet_query",
            "FacetSearchQuery.with_search_query",
            "FacetSearchQuery.with_filter",
            "FacetSearchQuery.with_array_filter",
            "FacetSearchQuery.with_matching_strategy",
            "FacetSearchQuery.with_attributes_to_search_on",
            "FacetSearchQuery.with_exhaustive_facet_count",
            "FacetSearchQuery.build",
            "FacetSearchQuery.execute",
        ],
        {
            let found = books.facet_search("author").with_facet_query("mi").execute().await?;
            equal(found.facet_query.as_deref(), Some("mi"))?;
            let values: Vec<_> =
                found.facet_hits.iter().map(|hit| (hit.value.as_str(), hit.count)).collect();
            equal(values, vec![("Mina Okafor", 2)])?;
            let query = FacetSearchQuery::new(books, "genres")
                .with_search_query("harbour")
                .with_filter("year > 2010")
                .with_matching_strategy(MatchingStrategies::ALL)
                .with_attributes_to_search_on(&["title"])
                .with_exhaustive_facet_count(true)
                .build();
            let found = books.execute_facet_query(&query).await?;
            equal((found.facet_hits.len(), found.facet_hits[0].value.as_str()), (1, "mystery"))?;
            let mut query = FacetSearchQuery::new(books, "genres");
            query.with_array_filter(vec!["year > 2010", "genres = travel"]);
            equal(query.execute().await?.facet_hits.len(), 2)?;
        }
    );
}

async fn several(suite: &mut Suite, context: &Context) {
    let (client, books) = (&context.client, &context.books);

    case!(
        suite,
        [
            "Client.multi_search",
            "Client.execute_multi_search_query",
            "MultiSearchQuery.new",
            "MultiSearchQuery.with_search_query",
            "MultiSearchQuery.execute",
            "SearchQuery.with_index_uid",
        ],
        {
            let owls = SearchQuery::new(books).with_query("owls").with_index_uid().build();
            let harbour = SearchQuery::new(books).with_query("harbour").with_limit(1).build();
            let mut query = client.multi_search();
            query.with_search_query(owls.clone()).with_search_query(harbour);
            let found = query.execute::<Value>().await?;
            let counts: Vec<_> = found.results.iter().map(|one| one.hits.len()).collect();
            equal(counts, vec![1, 1])?;
            equal(found.results[0].index_uid.as_deref(), Some("books"))?;
            let mut query = MultiSearchQuery::new(client);
            query.with_search_query(owls);
            let found = client.execute_multi_search_query::<Value>(&query).await?;
            equal(ids(&found.results[0].hits), vec![3])?;
        }
    );

    case!(
        suite,
        [
            "MultiSearchQuery.with_search_query_and_weight",
            "MultiSearchQuery.with_search_query_and_options",
            "MultiSearchQuery.with_federation",
            "FederatedMultiSearchQuery.execute",
            "Client.execute_federated_multi_search_query",
        ],
        {
            let owls = SearchQuery::new(books).with_query("owls").build();
            let harbour = SearchQuery::new(books).with_query("harbour").build();
            let mut query = MultiSearchQuery::new(client);
            query.with_search_query_and_weight(owls, 0.1);
            let options = QueryFederationOptions { weight: Some(2.0), remote: None };
            query.with_search_query_and_options(harbour, options);
            let facets = [("books".to_owned(), vec!["author".to_owned()])];
            let federated = query.with_federation(FederationOptions {
                limit: Some(10),
                facets_by_index: Some(facets.into()),
                merge_facets: Some(MergeFacets { max_values_per_facet: Some(1) }),
                ..FederationOptions::default()
            });
            let found = federated.execute::<Value>().await?;
            equal(id_set(&found.hits), [1, 3, 4].into())?;
            equal(ids(&found.hits)[2], 3)?;
            let first = found.hits[0].federation.as_ref().ok_or("no place of origin")?;
            equal((first.index_uid.as_str(), first.queries_position), ("books", 1))?;
            equal(found.facet_distribution.ok_or("no facets")?["author"].len(), 1)?;
            let again = client.execute_federated_multi_search_query::<Value>(&federated).await?;
            equal(again.estimated_total_hits, 3)?;
        }
    );
}

async fn similar(suite: &mut Suite, context: &Context) {
    let books = &context.books;

    case!(
        suite,
        [
            "Index.similar_search",
            "Index.execute_similar_query",
            "SimilarQuery.new",
            "SimilarQuery.with_offset",
            "SimilarQuery.with_limit",
            "SimilarQuery.with_filter",
            "SimilarQuery.with_array_filter",
            "SimilarQuery.with_attributes_to_retrieve",
            "SimilarQuery.with_show_ranking_score",
            "SimilarQuery.with_show_ranking_score_details",
            "SimilarQuery.with_ranking_score_threshold",
            "SimilarQuery.with_retrieve_vectors",
            "SimilarQuery.with_show_performance_details",
            "SimilarQuery.execute",
        ],
        {
            let mut query = books.similar_search("1", "manual");
            query.with_limit(1).with_offset(1).with_show_ranking_score(true);
            query.with_show_ranking_score_details(true).with_show_performance_details(true);
            query.with_attributes_to_retrieve(Selectors::Some(&["id"])).with_retrieve_vectors(true);
            let found = query.execute::<Value>().await?;
            equal((found.id.as_str(), found.hits[0].result["id"].as_u64()), ("1", Some(2)))?;
            holds(found.hits[0].ranking_score.is_some(), "a score")?;
            holds(found.hits[0].ranking_score_details.is_some(), "its details")?;
            holds(found.hits[0].result["_vectors"].is_object(), "vectors")?;
            holds(found.performance_details.is_some(), "performance")?;
            let mut query = SimilarQuery::new(books, "1", "manual");
            query.with_filter("year > 2005").with_ranking_score_threshold(0.9);
            let found = books.execute_similar_query::<Value>(&query).await?;
            equal((found.hits.len(), found.hits[0].result["id"].as_u64()), (1, Some(4)))?;
            let mut query = SimilarQuery::new(books, "1", "manual");
            query.with_array_filter(vec!["year > 2005", "genres = history"]);
            equal(query.execute::<Value>().await?.hits[0].result["id"].as_u64(), Some(6))?;
        }
    );
}
