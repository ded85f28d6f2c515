//! Compares merging with counting: random requests of every kind, in any order.

use std::collections::BTreeSet;
use std::time::Duration;

use model::Features;
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy as _, any, prop_assert_eq, proptest};
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::batch::MAX_BATCH_BYTES;
use crate::events::*;
use crate::kinds::{Event, Totals, catalogue};
use crate::metrics::Histogram;

/// Deterministic random choices.
struct Dice(u64);

impl Dice {
    fn up_to(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)) % (most + 1)
    }

    fn coin(&mut self) -> bool {
        self.up_to(1) == 1
    }

    fn perhaps(&mut self, most: u64) -> Option<u64> {
        self.coin().then(|| self.up_to(most))
    }

    fn perhaps_few(&mut self) -> Option<u32> {
        self.perhaps(5).map(|number| number as u32)
    }

    fn name(&mut self) -> Box<str> {
        format!("name {}", self.up_to(9)).into()
    }

    fn outcome(&mut self) -> RequestOutcome {
        let succeeded = self.coin();
        let elapsed = Duration::from_micros(self.up_to(3_000_000));
        RequestOutcome { succeeded, degraded: succeeded && self.coin(), elapsed }
    }

    fn filter(&mut self) -> Filter {
        let syntaxes = [FilterSyntax::String, FilterSyntax::Array, FilterSyntax::Mixed];
        Filter {
            syntax: self.perhaps(2).map(|place| syntaxes[place as usize]),
            geo_radius: self.coin(),
            geo_bounding_box: self.coin(),
            vectors: self.coin(),
        }
    }

    fn scoring(&mut self) -> Scoring {
        Scoring { score: self.coin(), details: self.coin(), threshold: self.coin() }
    }

    fn search(&mut self) -> Search {
        let strategies = [Strategy::Last, Strategy::All, Strategy::Frequency, Strategy::Any];
        Search {
            outcome: self.outcome(),
            negative_operator: self.coin(),
            terms: self.up_to(12) as u32,
            sort: self.perhaps_few().map(|criteria| Sort { criteria, geo_point: criteria > 3 }),
            filter: self.filter(),
            distinct: self.coin(),
            attributes_to_search_on: self.coin(),
            locales: self.coin(),
            vector_size: self.perhaps_few(),
            retrieve_vectors: self.coin(),
            hybrid: Hybrid { enabled: self.coin(), semantic_ratio: self.coin() },
            media: self.coin(),
            paging: Paging { limit: self.up_to(50), offset: self.up_to(9), by_page: self.coin() },
            formatting: Formatting {
                retrieved: self.perhaps_few(),
                highlighted: self.perhaps_few(),
                cropped: self.perhaps_few(),
                pre_tag: self.coin(),
                ..Formatting::default()
            },
            facets: self.perhaps_few(),
            strategy: strategies[self.up_to(3) as usize],
            scoring: self.scoring(),
            network: self.coin(),
        }
    }

    fn settings(&mut self) -> SettingsUpdate {
        let rules: Vec<&str> = RankingRules::KNOWN.into_iter().filter(|_| self.coin()).collect();
        SettingsUpdate {
            ranking_rules: self.coin().then(|| RankingRules::new(rules)),
            stop_words: self.perhaps(40),
            synonyms: self.perhaps(40),
            typo_tolerance: TypoTolerance {
                enabled: self.perhaps(1).map(|on| on == 1),
                disable_on_words: self.coin(),
                one_typo: self.perhaps(9),
                ..TypoTolerance::default()
            },
            facet_search: self.perhaps(1).map(|on| on == 1),
            embedders: self.coin().then(|| Embedders {
                total: self.up_to(3),
                sources: vec![EmbedderSource::Rest, EmbedderSource::OpenAi],
                ..Embedders::default()
            }),
            ..SettingsUpdate::default()
        }
    }

    fn event(&mut self) -> Event {
        let deletions = [Deletion::One, Deletion::Batch, Deletion::Filter, Deletion::All];
        match self.up_to(14) {
            0 => Event::SearchedGet(self.search()),
            1 | 2 => Event::SearchedPost(self.search()),
            3 => Event::MultiSearched(MultiSearch {
                outcome: self.outcome(),
                searches: self.up_to(9) as u32,
                indexes: self.up_to(3) as u32,
                remotes: self.up_to(3) as u32,
                federated: self.coin(),
                scoring: self.scoring(),
            }),
            4 => Event::FacetSearched(FacetSearch {
                outcome: self.outcome(),
                facet: FacetName::new(&self.name()),
                more_parameters: self.coin(),
            }),
            5 => Event::DocumentsAdded(Addition {
                payload_type: self.coin().then(|| self.name()),
                primary_key: self.coin().then(|| self.name()),
                index_creation: self.coin(),
            }),
            6 => Event::DocumentsDeleted(deletions[self.up_to(3) as usize]),
            7 => Event::FetchedPost(Fetch { limit: self.perhaps(90), ..Fetch::default() }),
            8 => Event::IndexCreated(NamedKey(self.coin().then(|| self.name()))),
            9 => Event::SettingsUpdated(Box::new(self.settings())),
            10 => Event::TasksCanceled(TaskChoice { uids: self.coin(), ..TaskChoice::default() }),
            11 => Event::ExportTriggered(Export {
                index_patterns: self.up_to(4),
                payload_size: self.perhaps(1000),
                ..Export::default()
            }),
            12 => {
                let network = self.coin();
                Event::FeaturesUpdated(FeaturesUpdate(Features { network, ..Features::default() }))
            }
            13 => Event::ChatCompleted(Chat { outcome: self.outcome(), model: self.name() }),
            _ => Event::WebhookCreated(Occurrence),
        }
    }
}

/// An event, its client and its time.
type TimedEvent = (Event, String, OffsetDateTime);

fn told(seed: u64) -> TimedEvent {
    let mut dice = Dice(seed);
    let at = OffsetDateTime::UNIX_EPOCH + Duration::from_secs(dice.up_to(100_000));
    (dice.event(), format!("{}; {}", dice.name(), dice.name()), at)
}

fn merged<'a>(
    all: impl IntoIterator<Item = &'a TimedEvent>,
) -> Vec<(&'static str, OffsetDateTime, Value)> {
    let mut totals = Totals::default();
    for (event, agent, at) in all {
        totals.add(event.clone(), Some(agent), *at);
    }
    let kinds = totals.reports().into_iter();
    kinds.map(|(name, first, fields)| (name, first, fields.into_json())).collect()
}

/// Returns the figures of searches, counted over the whole list for each of them.
fn counted(searches: &[Search]) -> Value {
    let count = |which: fn(&Search) -> bool| searches.iter().filter(|search| which(search)).count();
    let any = |which: fn(&Search) -> bool| searches.iter().any(which);
    let most = |number: fn(&Search) -> Option<u64>| searches.iter().filter_map(number).max();
    let average = |number: fn(&Search) -> Option<u64>| {
        let numbers: Vec<u64> = searches.iter().filter_map(number).collect();
        let mean = numbers.iter().sum::<u64>() as f64 / numbers.len() as f64;
        (!numbers.is_empty()).then(|| (mean * 100.0).round() / 100.0)
    };
    let favourite = |names: &[&'static str], place: fn(&Search) -> Option<usize>| {
        let times =
            |name: usize| searches.iter().filter(|search| place(search) == Some(name)).count();
        let most = (0..names.len()).rev().max_by_key(|&name| times(name));
        most.filter(|&name| times(name) > 0).map(|name| names[name])
    };
    let mut times = Histogram::default();
    let answered = searches.iter().filter(|search| search.outcome.succeeded);
    answered.for_each(|search| times.add(search.outcome.elapsed));
    json!({
        "requests": {
            "total_received": searches.len(),
            "total_succeeded": count(|s| s.outcome.succeeded),
            "total_failed": count(|s| !s.outcome.succeeded),
            "99th_response_time": Value::from(&times),
            "total_degraded": count(|s| s.outcome.degraded),
            "total_used_negative_operator": count(|s| s.negative_operator),
        },
        "q": {"max_terms_number": most(|s| Some(s.terms.into()))},
        "matching_strategy": {"most_used_strategy": favourite(
            &["last", "all", "frequency", "any"], |s| Some(s.strategy as usize))},
        "attributes_to_search_on": {"total_number_of_uses": count(|s| s.attributes_to_search_on)},
        "distinct": any(|s| s.distinct),
        "locales": any(|s| s.locales),
        "network": any(|s| s.network),
        "vector": {
            "max_vector_size": most(|s| s.vector_size.map(u64::from)),
            "retrieve_vectors": any(|s| s.retrieve_vectors),
        },
        "hybrid": {
            "enabled": any(|s| s.hybrid.enabled),
            "semantic_ratio": any(|s| s.hybrid.semantic_ratio),
            "total_media": count(|s| s.media),
        },
        "sort": {
            "with_geoPoint": any(|s| s.sort.is_some_and(|sort| sort.geo_point)),
            "avg_criteria_number": average(|s| s.sort.map(|sort| sort.criteria.into())),
        },
        "filter": {
            "with_geoRadius": any(|s| s.filter.syntax.is_some() && s.filter.geo_radius),
            "with_geoBoundingBox": any(|s| s.filter.syntax.is_some() && s.filter.geo_bounding_box),
            "on_vectors": any(|s| s.filter.syntax.is_some() && s.filter.vectors),
            "most_used_syntax": favourite(
                &["string", "array", "mixed"], |s| s.filter.syntax.map(|syntax| syntax as usize)),
        },
        "facets": {"avg_facets_number": average(|s| s.facets.map(u64::from))},
        "pagination": {
            "max_limit": most(|s| Some(s.paging.limit)),
            "max_offset": most(|s| Some(s.paging.offset)),
            "most_used_navigation": favourite(
                &["estimated", "exhaustive"], |s| Some(usize::from(s.paging.by_page))),
        },
        "formatting": {
            "max_attributes_to_retrieve": most(|s| s.formatting.retrieved.map(u64::from)),
            "max_attributes_to_highlight": most(|s| s.formatting.highlighted.map(u64::from)),
            "max_attributes_to_crop": most(|s| s.formatting.cropped.map(u64::from)),
            "highlight_pre_tag": any(|s| s.formatting.pre_tag),
            "highlight_post_tag": false,
            "crop_length": false,
            "crop_marker": false,
            "show_matches_position": false,
        },
        "scoring": {
            "show_ranking_score": any(|s| s.scoring.score),
            "show_ranking_score_details": any(|s| s.scoring.details),
            "ranking_score_threshold": any(|s| s.scoring.threshold),
        },
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_requests_does_not_matter(
        (seeds, shuffled) in vec(any::<u64>(), 0..200)
            .prop_flat_map(|seeds| (Just(seeds.clone()), Just(seeds).prop_shuffle()))
    ) {
        let [one, other] = [seeds, shuffled].map(|seeds| seeds.into_iter().map(told).collect::<Vec<_>>());
        prop_assert_eq!(merged(&one), merged(&other));
    }

    #[test]
    fn figures_of_searches_are_what_counting_gives(seeds in vec(any::<u64>(), 1..100)) {
        let searches: Vec<Search> = seeds.iter().map(|&seed| Dice(seed).search()).collect();
        let all: Vec<TimedEvent> = seeds.iter().zip(&searches).map(|(&seed, search)| {
            let (_, agent, at) = told(seed);
            (Event::SearchedPost(*search), agent, at)
        }).collect();
        let [(name, first, mut figures)] = merged(&all).try_into().unwrap();
        prop_assert_eq!(name, "Documents Searched POST");
        prop_assert_eq!(Some(first), all.iter().map(|(_, _, at)| *at).min());
        let agents: BTreeSet<&str> =
            all.iter().flat_map(|(_, agent, _)| agent.split("; ")).collect();
        let told_agents = figures.as_object_mut().unwrap().remove("user-agent");
        prop_assert_eq!(told_agents, Some(json!(agents)));
        prop_assert_eq!(figures, counted(&searches));
    }
}

#[test]
fn client_chosen_names_fill_at_most_a_batch() {
    let mut totals = Totals::default();
    let at = OffsetDateTime::UNIX_EPOCH;
    let mut peak = 0;
    for number in 0..400_000_u64 {
        let agent = format!("{number} {}", "x".repeat(150));
        let mut event = Dice(number).event();
        if let Event::DocumentsAdded(addition) = &mut event {
            addition.primary_key = Some(format!("key {number}").into());
            addition.payload_type = Some(format!("type/{number}").into());
        }
        totals.add(event, Some(&agent), at);
        peak = peak.max(totals.weight());
    }
    let kinds = totals.reports();
    for (name, _, fields) in kinds {
        let length = fields.into_json().to_string().len();
        assert!(length < 32 << 10, "{name}: {length}");
    }
    // All kinds together could exceed a batch, which is then sent early; each stays small.
    assert!(peak < 14 * (27 << 10), "{peak}");
    assert!(catalogue().len() * (18 << 10) > MAX_BATCH_BYTES);
}

#[test]
fn every_kind_has_a_name_and_every_figure_one_place() {
    let kinds = catalogue();
    assert_eq!(kinds.len(), 31);
    let names: BTreeSet<&str> = kinds.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names.len(), kinds.len());
    for (name, _, fields) in &kinds {
        let paths: BTreeSet<&str> = fields.as_slice().iter().map(|field| field.path).collect();
        assert_eq!(paths.len(), fields.as_slice().len(), "{name}");
    }
}
