//! Wire form, between instances, of the order and number of facet values.

use search::facets::Shown;
use serde::{Deserialize, Serialize};
use settings::FacetOrder;

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireShown {
    order: WireOrder,
    max_values: usize,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum WireOrder {
    Alpha,
    Count,
}

impl From<WireShown> for Shown {
    fn from(wire: WireShown) -> Self {
        let order = match wire.order {
            WireOrder::Alpha => FacetOrder::Alpha,
            WireOrder::Count => FacetOrder::Count,
        };
        Shown { order, most: wire.max_values }
    }
}

impl From<Shown> for WireShown {
    fn from(shown: Shown) -> Self {
        let order = match shown.order {
            FacetOrder::Alpha => WireOrder::Alpha,
            FacetOrder::Count => WireOrder::Count,
        };
        WireShown { order, max_values: shown.most }
    }
}
