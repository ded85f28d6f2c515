//! Events of requests, and their tallies. Nothing here can hold the text of a query, a filter or a
//! document: client input is reduced to numbers and truth values first, except for the few names
//! that docs/telemetry.md lists.

mod chat;
mod documents;
mod export;
mod facet_search;
mod features;
mod fetch;
mod filter;
mod indexes;
mod multi_search;
mod network;
mod occurrence;
mod requests;
mod scoring;
mod search;
mod search_tally;
mod settings;
mod settings_tally;
mod similar;
mod tasks;

pub use chat::Chat;
pub use documents::{Addition, Deletion, Edition};
pub use export::Export;
pub use facet_search::{FacetName, FacetSearch};
pub use features::FeaturesUpdate;
pub use fetch::Fetch;
pub use filter::{Filter, FilterSyntax};
pub use indexes::{NamedKey, Swap};
pub use multi_search::MultiSearch;
pub use network::NetworkUpdate;
pub use occurrence::Occurrence;
pub use requests::RequestOutcome;
pub use scoring::Scoring;
pub use search::{Formatting, Hybrid, Paging, Search, Sort, Strategy};
pub use settings::{
    AttributeList, EmbedderSource, Embedders, FilterableAttributes, PrefixSearch,
    ProximityPrecision, RankingRules, SettingsUpdate, TypoTolerance,
};
pub use similar::Similar;
pub use tasks::TaskChoice;

pub(crate) use chat::ChatTally;
pub(crate) use documents::{AdditionTally, DeletionTally, EditionTally};
pub(crate) use export::ExportTally;
pub(crate) use facet_search::FacetSearchTally;
pub(crate) use features::FeaturesTally;
pub(crate) use fetch::FetchTally;
pub(crate) use indexes::{NamedKeyTally, SwapTally};
pub(crate) use multi_search::MultiSearchTally;
pub(crate) use network::NetworkTally;
pub(crate) use occurrence::{CreatedWebhooksTally, OccurrenceTally, UpdatedWebhooksTally};
pub(crate) use search_tally::SearchTally;
pub(crate) use settings_tally::SettingsTally;
pub(crate) use similar::SimilarTally;
pub(crate) use tasks::TaskChoiceTally;

/// Most bytes of names of one kind that clients choose: primary keys, models, formats.
const MOST_NAME_BYTES: usize = 4 << 10;
type Names = crate::metrics::TextSet<MOST_NAME_BYTES>;
