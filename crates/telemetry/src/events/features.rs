//! Switches of experimental features.

use model::Features;
use model::features::Feature;

use crate::entry::Tally;
use crate::sheet::Sheet;

/// All of them as they are after the request.
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

    fn tell(&self, sheet: &mut Sheet) {
        for &feature in Feature::ALL {
            sheet.put(feature.name(), self.0.is_on(feature), "Whether it was on after a change.");
        }
    }
}
