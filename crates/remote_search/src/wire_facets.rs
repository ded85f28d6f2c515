//! Wire form, between instances, of the order and number of facet values.

use search::facets::FacetDisplay;
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

impl From<WireShown> for FacetDisplay {
    fn from(wire: WireShown) -> Self {
        let order = match wire.order {
            WireOrder::Alpha => FacetOrder::Alpha,
            WireOrder::Count => FacetOrder::Count,
        };
        FacetDisplay { order, most: wire.max_values }
    }
}

impl From<FacetDisplay> for WireShown {
    fn from(shown: FacetDisplay) -> Self {
        let order = match shown.order {
            FacetOrder::Alpha => WireOrder::Alpha,
            FacetOrder::Count => WireOrder::Count,
        };
        WireShown { order, max_values: shown.most }
    }
}
