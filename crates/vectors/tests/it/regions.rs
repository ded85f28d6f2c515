//! Filters that pass documents lying together, among others that do not. Seen from inside, the
//! nearest are near. Seen from elsewhere they are stragglers along the border of the region, whose
//! neighbours do not pass, so that hardly a way leads to them; none of them may be missed.

use roaring::RoaringBitmap;
use segment::DocId;
use testkit::Random;
use vectors::Metric;

use crate::support::{RandomVectors, Site, options, similarity};

const DIMENSIONS: usize = 256;
const COUNT: DocId = 16_000;
/// Kinds of vectors, which have half of their components in common with any other kind, and no
/// negative ones, as pictures have.
const KINDS: u64 = 10;
/// Each kind varies in so many ways.
const WAYS: usize = 5;

/// Components of the vectors of a kind.
struct Kind {
    middle: Vec<f32>,
    ways: Vec<Vec<f32>>,
    /// Components in common with vectors of other kinds.
    stray: Vec<f32>,
}

impl Kind {
    fn new(number: u64) -> Self {
        let mut random = Random(1_000_003 * (number + 1));
        let has: Vec<f32> = (0..DIMENSIONS).map(|_| random.below(2) as f32).collect();
        let mut scaled =
            |by: f32| -> Vec<f32> { has.iter().map(|has| by * has * random.normal()).collect() };
        let middle = scaled(1.0).iter().map(|value| value.abs()).collect();
        let ways = (0..WAYS).map(|_| scaled(0.7)).collect();
        let stray = (0..DIMENSIONS).map(|_| 0.3 * random.normal().abs()).collect();
        Self { middle, ways, stray }
    }

    fn vector(&self, random: &mut Random) -> Vec<f32> {
        let places: Vec<f32> = self.ways.iter().map(|_| random.normal()).collect();
        let astray = random.normal().abs();
        let mut component = |at: usize| {
            let varied = self.ways.iter().zip(&places).map(|(way, place)| place * way[at]);
            let sum = self.middle[at] + varied.sum::<f32>() + astray * self.stray[at];
            (sum + 0.1 * random.normal()).max(0.0)
        };
        (0..DIMENSIONS).map(&mut component).collect()
    }
}

/// A vector of any kind.
fn vector(kinds: &[Kind], random: &mut Random) -> Vec<f32> {
    kinds[random.below(KINDS) as usize].vector(random)
}

/// The documents nearest to each of some others, so many altogether.
fn around(site: &Site, centers: usize, documents: usize) -> RoaringBitmap {
    let mut region = RoaringBitmap::new();
    for center in 0..centers as DocId {
        let point = &site.model[&(7 + 701 * center)][0];
        let nearness = |vectors: &[Vec<f32>]| similarity(site.store.options(), point, &vectors[0]);
        let mut near: Vec<(f32, DocId)> =
            site.model.iter().map(|(id, vectors)| (nearness(vectors), *id)).collect();
        near.sort_by(|left, right| right.0.total_cmp(&left.0));
        region.extend(near[..documents / centers].iter().map(|(_, id)| *id));
    }
    region
}

/// The share of the ten nearest that are found.
fn recall(site: &Site, queries: &[Vec<f32>], filter: &RoaringBitmap, ef: Option<usize>) -> f64 {
    let (mut found, mut possible) = (0, 0);
    for query in queries {
        let truth = site.truth(query, 10, Some(filter));
        found += site.found_of(&truth, query, Some(filter), ef);
        possible += truth.len();
    }
    found as f64 / possible as f64
}

#[test]
fn filters_that_pass_a_region_lose_no_results() {
    let kinds: Vec<Kind> = (0..KINDS).map(Kind::new).collect();
    let mut random = Random(11);
    let mut site = Site::new(options(DIMENSIONS, Metric::Cosine));
    site.commit((0..COUNT).map(|id| (id, vec![vector(&kinds, &mut random)])).collect());
    site.merge();
    // By how near they are to the first center: from inside its region to the other side.
    let mut queries: Vec<Vec<f32>> = (0..120).map(|_| vector(&kinds, &mut random)).collect();
    let center = &site.model[&7][0];
    let nearness = |query: &Vec<f32>| similarity(site.store.options(), center, query);
    queries.sort_by(|left, right| nearness(right).total_cmp(&nearness(left)));
    for centers in [1, 20] {
        for percent in [50, 30, 10, 1] {
            let region = around(&site, centers, COUNT as usize * percent / 100);
            for (some, place) in queries.chunks(40).zip(["near", "farther", "far"]) {
                let which = format!("{percent} % around {centers}, asked from {place}");
                let found = recall(&site, some, &region, None);
                assert!(found >= 0.99, "{which}: {found}");
                // Stores of this size are mostly quicker to compare with.
                let found = recall(&site, some, &region, Some(360));
                assert!(found >= 0.95, "{which}, through the graph: {found}");
            }
        }
    }
}
