//! Updates of experimental features.

use model::Features;
use model::features::Feature;

use crate::event_totals::Tally;
use crate::fields::Fields;

/// All features as they are after the request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeaturesUpdate(pub Features);

#[derive(Debug, Default)]
pub(crate) struct FeaturesTally(Features);

impl Tally for FeaturesTally {
    type Event = FeaturesUpdate;

    fn add(&mut self, FeaturesUpdate(features): FeaturesUpdate) {
        for &feature in Feature::ALL.iter().filter(|&&feature| features.is_on(feature)) {
            self.0.set(feature, true);
        }
    }

    fn report(&self, fields: &mut Fields) {
        for &feature in Feature::ALL {
            fields.put(feature.name(), self.0.is_on(feature), "Whether it was on after a change.");
        }
    }
}
