//! `_geoPoint(…):asc` and `:desc`: ranks documents by their distance to a point. Those less than a
//! metre farther than the first of them tie; those without a point come last.

use std::rc::Rc;
use std::sync::Arc;

use filter::Order;
use roaring::RoaringBitmap;
use segment::geo::{GeoReader, Nearest, Neighbour, Point, distance};

use super::{Bucket, Rule, direction};
use crate::context::Context;
use crate::error::SearchError;
use crate::graph::Path;
use crate::scan::DOCUMENTS_BETWEEN_CHECKS;
use crate::score::Score;

/// Smaller differences of distances are a tie.
const METRES_OF_TIE: f64 = 1.0;
const MOST_TIED: u64 = 1000;
/// Cost of finding a neighbour, in measured documents.
const COST_OF_NEIGHBOUR: u64 = 4;

pub(crate) struct PointRule<'s> {
    name: Arc<str>,
    centre: Point,
    order: Order,
    paths: Rc<Vec<Path>>,
    sources: Vec<PointSource<'s>>,
    remaining: RoaringBitmap,
    /// Work spent on finding neighbours, in measured documents.
    spent: u64,
    is_measured: bool,
}

/// The points of one segment.
struct PointSource<'s> {
    geo: &'s GeoReader,
    deleted: &'s RoaringBitmap,
    ahead: NeighbourQueue<'s>,
    next: Option<Neighbour>,
    is_done: bool,
}

enum NeighbourQueue<'s> {
    All(Nearest<'s>),
    /// In reverse order.
    Measured(Vec<Neighbour>),
}

impl<'s> PointRule<'s> {
    pub fn new(
        context: &Context<'s>,
        centre: Point,
        order: Order,
        paths: Rc<Vec<Path>>,
        universe: RoaringBitmap,
    ) -> Self {
        let source = |geo: &'s GeoReader, deleted: &'s RoaringBitmap| PointSource {
            geo,
            deleted,
            ahead: NeighbourQueue::All(geo.nearest(centre, order == Order::Desc)),
            next: None,
            is_done: false,
        };
        let views = context.segments.iter();
        let sources = views.filter_map(|view| Some(source(view.segment.geo()?, view.deleted)));
        Self {
            name: format!("_geoPoint({}, {}):{}", centre.lat, centre.lng, direction(order)).into(),
            centre,
            order,
            paths,
            sources: sources.collect(),
            remaining: universe,
            spent: 0,
            is_measured: false,
        }
    }

    /// Returns documents that tie, and the first of them; `None` if no remaining document has a
    /// point, or if the time for ranking is over.
    fn next_tie(
        &mut self,
        context: &Context<'_>,
    ) -> Result<Option<(Neighbour, RoaringBitmap)>, SearchError> {
        let Some(first) = self.peek(context)?.copied() else {
            return Ok(None);
        };
        let mut tied = RoaringBitmap::new();
        while tied.len() < MOST_TIED
            && let Some(next) = self.peek(context)?
            // The first document must always be included.
            && (tied.is_empty() || (next.metres - first.metres).abs() <= METRES_OF_TIE)
        {
            let doc_id = next.doc_id;
            tied.insert(doc_id);
            self.remaining.remove(doc_id);
            self.drop_next(|next| next.doc_id == doc_id);
        }
        Ok(Some((first, tied)))
    }

    /// Returns the next remaining document.
    fn peek(&mut self, context: &Context<'_>) -> Result<Option<&Neighbour>, SearchError> {
        while !self.sources.iter().all(PointSource::is_ready) {
            let room = self.remaining.len().saturating_sub(self.spent);
            if !self.is_measured && room == 0 && !self.measure(context)? {
                return Ok(None);
            }
            let most = if self.is_measured { u64::MAX } else { room.div_ceil(COST_OF_NEIGHBOUR) };
            for source in &mut self.sources {
                self.spent += source.find_next(&self.remaining, most)? * COST_OF_NEIGHBOUR;
            }
        }
        let nexts = self.sources.iter().filter_map(|source| source.next.as_ref());
        Ok(nexts.min_by(|a, b| compare(a, b, self.order)))
    }

    fn drop_next(&mut self, is_gone: impl Fn(&Neighbour) -> bool) {
        for source in &mut self.sources {
            source.next.take_if(|next| is_gone(next));
        }
    }

    /// Measures the remaining documents one by one; false if the time for ranking is over.
    fn measure(&mut self, context: &Context<'_>) -> Result<bool, SearchError> {
        self.is_measured = true;
        for source in &mut self.sources {
            let mut here = &self.remaining & source.geo.documents_with_point();
            here -= source.deleted;
            let mut measured = Vec::with_capacity(here.len() as usize);
            for (count, doc_id) in here.iter().enumerate() {
                if count % DOCUMENTS_BETWEEN_CHECKS == DOCUMENTS_BETWEEN_CHECKS - 1 {
                    context.check_cancelled()?;
                    if context.is_late() {
                        return Ok(false);
                    }
                }
                if let Some(point) = source.geo.point_of(doc_id)? {
                    let metres = distance(self.centre, point);
                    measured.push(Neighbour { doc_id, metres, point });
                }
            }
            measured.sort_unstable_by(|a, b| compare(b, a, self.order));
            source.ahead = NeighbourQueue::Measured(measured);
            source.next = None;
            source.is_done = false;
        }
        Ok(true)
    }
}

fn compare(a: &Neighbour, b: &Neighbour, order: Order) -> std::cmp::Ordering {
    let by_distance = match order {
        Order::Asc => a.metres.total_cmp(&b.metres),
        Order::Desc => b.metres.total_cmp(&a.metres),
    };
    by_distance.then(a.doc_id.cmp(&b.doc_id))
}

impl PointSource<'_> {
    fn is_ready(&self) -> bool {
        self.next.is_some() || self.is_done
    }

    /// Searches for the next remaining document among at most `most`; returns how many it examined.
    fn find_next(&mut self, remaining: &RoaringBitmap, most: u64) -> Result<u64, SearchError> {
        let mut looked_at = 0;
        while !self.is_ready() && looked_at < most {
            let next = match &mut self.ahead {
                NeighbourQueue::All(nearest) => nearest.next().transpose()?,
                NeighbourQueue::Measured(measured) => measured.pop(),
            };
            looked_at += 1;
            match next {
                Some(next) if !remaining.contains(next.doc_id) => {}
                Some(next) if self.deleted.contains(next.doc_id) => {}
                Some(next) => self.next = Some(next),
                None => self.is_done = true,
            }
        }
        Ok(looked_at)
    }
}

impl Rule for PointRule<'_> {
    fn next_bucket(&mut self, context: &Context<'_>) -> Result<Option<Bucket>, SearchError> {
        if self.remaining.is_empty() {
            return Ok(None);
        }
        let (nearest, documents) = match self.next_tie(context)? {
            Some((first, documents)) => (Some((first.point, first.metres)), documents),
            None if context.is_late() => return Ok(None),
            None => (None, std::mem::take(&mut self.remaining)),
        };
        let score = Score::Distance { name: self.name.clone(), order: self.order, nearest };
        Ok(Some(Bucket { documents, paths: Rc::clone(&self.paths), score }))
    }

    fn forget(&mut self, documents: &RoaringBitmap) {
        self.remaining -= documents;
        self.drop_next(|next| documents.contains(next.doc_id));
    }
}
