//! Tests that a disk failure during a write leaves no file that opens.

use model::Cancel;

use super::*;
use crate::failing_disk::fails_cleanly;

fn check(directory: &dyn Directory) -> crate::error::Result<Vec<crate::Problem>> {
    Ok(GeoReader::open(directory, "1.geo.1")?.verify())
}

#[test]
fn finishing_fails_cleanly() {
    let model = Model::sample(1, 3000);
    fails_cleanly(|directory| finish(vec![model.buffer()], directory, "1.geo.1"), check);
}

#[test]
fn merging_fails_cleanly() {
    let reader = Model::sample(1, 3000).reader();
    let live: RoaringBitmap = (0..9000).collect();
    let inputs = [GeoMergeInput { reader: &reader, live: &live }];
    fails_cleanly(|directory| merge(&inputs, directory, "1.geo.1", &Cancel::default()), check);
}
