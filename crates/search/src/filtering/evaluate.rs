//! Evaluates a checked condition to the set of documents that satisfy it.
//!
//! A replaced document keeps its number, so an older segment may hold other values under the number
//! of a live document: deleted documents are subtracted segment by segment.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::rc::Rc;

use filter::{Condition, Operator, Token, VectorCondition, VectorKind};
use index::{Segment, Snapshot};
use model::Cancel;
use roaring::RoaringBitmap;
use segment::columns::Column;
use segment::geo::GeoReader;
use text::value_form;

use super::contains::Occurrences;
use super::geo;
use crate::error::SearchError;

type Documents = Result<RoaringBitmap, SearchError>;
/// Finds documents of a segment by their location.
type InPlaces<'f> = dyn Fn(&GeoReader) -> segment::Result<RoaringBitmap> + 'f;

pub(super) struct Evaluation<'s> {
    snapshot: &'s Snapshot,
    /// The whole filter.
    filter: &'s Condition,
    cancel: &'s Cancel,
    /// Results of `CONTAINS` by attribute, computed on first use.
    occurrences: RefCell<HashMap<String, Rc<Occurrences>>>,
}

/// Values looked up between two checks for cancellation.
const VALUES_AT_A_TIME: usize = 8192;

impl<'s> Evaluation<'s> {
    pub fn new(snapshot: &'s Snapshot, filter: &'s Condition, cancel: &'s Cancel) -> Self {
        Self { snapshot, filter, cancel, occurrences: RefCell::default() }
    }

    /// Returns the documents that satisfy the filter.
    pub fn all_documents(&self) -> Documents {
        self.documents(self.filter)
    }

    /// Returns how many texts `CONTAINS` has scanned.
    #[cfg(test)]
    pub fn texts_looked_through(&self) -> u64 {
        self.occurrences.borrow().values().map(|found| found.texts).sum()
    }

    /// Evaluates a condition. Recursion is bounded by the depth limit of the parser.
    fn documents(&self, condition: &Condition) -> Documents {
        self.cancel.check()?;
        match condition {
            Condition::And(members) => self.all(members),
            Condition::Or(members) => self.any(members),
            Condition::Not(inner) => Ok(self.all_but(self.documents(inner)?)),
            Condition::Compare { attribute, operator } => self.compare(attribute.value(), operator),
            Condition::In { attribute, values } => self.is_one_of(attribute.value(), values),
            Condition::GeoRadius { latitude, longitude, radius, resolution } => {
                let circle = geo::circle([latitude, longitude], radius, resolution.as_ref())?;
                let points = |geo: &GeoReader| geo.points_within(circle.centre, circle.metres);
                let shapes = |geo: &GeoReader| geo.shapes_within(circle.centre, circle.metres);
                self.places(Some(&points), &shapes)
            }
            Condition::GeoBox { top_right, bottom_left } => {
                let [top_right, bottom_left] = geo::corners(top_right, bottom_left)?;
                let points = |geo: &GeoReader| geo.points_in_box(top_right, bottom_left);
                let shapes = |geo: &GeoReader| geo.shapes_in_box(top_right, bottom_left);
                self.places(Some(&points), &shapes)
            }
            Condition::GeoPolygon { points } => {
                let polygon = geo::polygon(points)?;
                self.places(None, &|geo: &GeoReader| geo.shapes_in_polygon(&polygon))
            }
            Condition::Vectors(vectors) => Ok(self.with_vectors(vectors)),
            Condition::Shard(shard) => {
                let documents = shard.documents.as_deref();
                Ok(documents.map_or_else(RoaringBitmap::new, |set| set & self.snapshot.live()))
            }
            Condition::Foreign { attribute, ids: Some(ids), .. } => {
                self.is_one_of(attribute.value(), ids)
            }
            // The check has already rejected conditions about other indexes.
            Condition::Foreign { ids: None, .. } => Ok(RoaringBitmap::new()),
        }
    }

    fn with_vectors(&self, condition: &VectorCondition) -> RoaringBitmap {
        let Some(name) = &condition.embedder else {
            let stores =
                self.snapshot.embedders().map(|(_, embedder)| embedder.store().documents());
            return stores.fold(RoaringBitmap::new(), |all, documents| all | documents);
        };
        let Some(embedder) = self.snapshot.embedder(name.value()) else {
            return RoaringBitmap::new();
        };
        match &condition.kind {
            VectorKind::Any => embedder.store().documents().clone(),
            VectorKind::UserProvided => embedder.given().clone(),
            VectorKind::Regenerate => self.snapshot.live() - embedder.fixed(),
            VectorKind::DocumentTemplate => {
                let mut made = embedder.store().documents() - embedder.given();
                for (_, documents) in embedder.fragments() {
                    made -= documents;
                }
                made
            }
            VectorKind::Fragment(fragment) => {
                embedder.fragment(fragment.value()).cloned().unwrap_or_default()
            }
        }
    }

    /// Intersects the members. Negated members are collected and subtracted at once: each
    /// complement by itself would be a set of nearly all documents. Inequations of one attribute
    /// are looked up together.
    fn all(&self, members: &[Condition]) -> Documents {
        let mut excluded = RoaringBitmap::new();
        let mut unequal: BTreeMap<&str, Vec<&Token>> = BTreeMap::new();
        let mut without: BTreeMap<&str, Vec<&Token>> = BTreeMap::new();
        let mut documents: Option<RoaringBitmap> = None;
        for member in members {
            let found = match member {
                Condition::Compare { attribute, operator: Operator::NotEqual(value) }
                    if self.snapshot.knows_field(attribute.value()) =>
                {
                    unequal.entry(attribute.value()).or_default().push(value);
                    continue;
                }
                Condition::Not(inner) => {
                    match &**inner {
                        Condition::Compare { attribute, operator: Operator::Equal(value) } => {
                            unequal.entry(attribute.value()).or_default().push(value);
                        }
                        Condition::Compare {
                            attribute,
                            operator: Operator::Contains { value, .. },
                        } => without.entry(attribute.value()).or_default().push(value),
                        inner => excluded |= self.documents(inner)?,
                    }
                    continue;
                }
                other => self.documents(other)?,
            };
            let documents = match &mut documents {
                None => documents.insert(found),
                Some(documents) => {
                    *documents &= found;
                    documents
                }
            };
            if documents.is_empty() {
                return Ok(RoaringBitmap::new());
            }
        }
        for (attribute, values) in unequal {
            excluded |= self.is_one_of(attribute, values)?;
        }
        for (attribute, parts) in without {
            excluded |= self.contains_one_of(attribute, parts)?;
        }
        Ok(match documents {
            Some(documents) => documents - excluded,
            None => self.all_but(excluded),
        })
    }

    fn all_but(&self, documents: RoaringBitmap) -> RoaringBitmap {
        let mut others = self.snapshot.live() - documents;
        // Run containers are for storage: the following operations are slow with many of them.
        others.remove_run_compression();
        others
    }

    /// Unites the members. Equations of one attribute are looked up together, like the values of
    /// `IN`.
    fn any(&self, members: &[Condition]) -> Documents {
        let mut equations: BTreeMap<&str, Vec<&Token>> = BTreeMap::new();
        let mut parts: BTreeMap<&str, Vec<&Token>> = BTreeMap::new();
        let mut documents = RoaringBitmap::new();
        for member in members {
            match member {
                Condition::Compare { attribute, operator: Operator::Equal(value) } => {
                    equations.entry(attribute.value()).or_default().push(value);
                }
                Condition::Compare { attribute, operator: Operator::Contains { value, .. } } => {
                    parts.entry(attribute.value()).or_default().push(value);
                }
                other => documents |= self.documents(other)?,
            }
        }
        for (attribute, values) in equations {
            documents |= self.is_one_of(attribute, values)?;
        }
        for (attribute, parts) in parts {
            documents |= self.contains_one_of(attribute, parts)?;
        }
        Ok(documents)
    }

    fn compare(&self, attribute: &str, operator: &Operator) -> Documents {
        let up = |bound: Bound<f64>| (bound, Bound::Unbounded);
        let down = |bound: Bound<f64>| (Bound::Unbounded, bound);
        match operator {
            Operator::Equal(value) => self.is_one_of(attribute, [value]),
            Operator::NotEqual(value) => {
                // An attribute that no document ever had differs from nothing.
                if !self.snapshot.knows_field(attribute) {
                    return Ok(RoaringBitmap::new());
                }
                Ok(self.all_but(self.is_one_of(attribute, [value])?))
            }
            Operator::Greater(value) => {
                let numbers = value.number().map(|number| up(Bound::Excluded(number)));
                let text = form(value);
                self.between(attribute, numbers, Bound::Excluded(&text), Bound::Unbounded)
            }
            Operator::GreaterOrEqual(value) => {
                let numbers = value.number().map(|number| up(Bound::Included(number)));
                let text = form(value);
                self.between(attribute, numbers, Bound::Included(&text), Bound::Unbounded)
            }
            Operator::Less(value) => {
                let numbers = value.number().map(|number| down(Bound::Excluded(number)));
                let text = form(value);
                self.between(attribute, numbers, Bound::Unbounded, Bound::Excluded(&text))
            }
            Operator::LessOrEqual(value) => {
                let numbers = value.number().map(|number| down(Bound::Included(number)));
                let text = form(value);
                self.between(attribute, numbers, Bound::Unbounded, Bound::Included(&text))
            }
            Operator::Between { from, to } => {
                let numbers = from.number().zip(to.number());
                let numbers =
                    numbers.map(|(from, to)| (Bound::Included(from), Bound::Included(to)));
                let (from, to) = (form(from), form(to));
                self.between(attribute, numbers, Bound::Included(&from), Bound::Included(&to))
            }
            Operator::Exists => self.in_columns(attribute, |column| Ok(column.exists().clone())),
            Operator::Null => self.in_columns(attribute, |column| Ok(column.null().clone())),
            Operator::Empty => self.in_columns(attribute, |column| Ok(column.empty().clone())),
            Operator::StartsWith { value, .. } => {
                let prefix = form(value);
                self.in_columns(attribute, |column| {
                    // Every value starts with the empty text, even values that are not text.
                    if prefix.is_empty() {
                        return Ok(column.exists().clone());
                    }
                    let range = column.strings_starting_with(prefix.as_bytes())?;
                    Ok(column.documents_of_range(range)?)
                })
            }
            Operator::Contains { value, .. } => self.contains_one_of(attribute, [value]),
        }
    }

    /// Returns the documents with one of the values, read as numbers and as text.
    fn is_one_of<'t>(
        &self,
        attribute: &str,
        values: impl IntoIterator<Item = &'t Token>,
    ) -> Documents {
        let (mut forms, mut numbers) = (Vec::new(), Vec::new());
        for value in values {
            forms.push(form(value));
            numbers.extend(value.number());
        }
        self.in_columns(attribute, |column| {
            let mut ordinals = Vec::new();
            for (place, &number) in numbers.iter().enumerate() {
                self.check_at(place)?;
                let equal = (Bound::Included(number), Bound::Included(number));
                ordinals.extend(column.numbers_between(equal.0, equal.1)?);
            }
            for (place, form) in forms.iter().enumerate() {
                self.check_at(place)?;
                ordinals.extend(column.string_ordinal(form.as_bytes())?);
            }
            match ordinals[..] {
                [] => Ok(RoaringBitmap::new()),
                [only] => Ok(column.documents_of(only)?),
                _ => {
                    ordinals.sort_unstable();
                    ordinals.dedup();
                    Ok(column.documents_of_many(&ordinals)?)
                }
            }
        })
    }

    /// Returns the documents with a text that contains one of the parts.
    fn contains_one_of<'t>(
        &self,
        attribute: &str,
        parts: impl IntoIterator<Item = &'t Token>,
    ) -> Documents {
        let occurrences = self.occurrences_in(attribute)?;
        let parts: Vec<String> = parts.into_iter().map(form).collect();
        let mut all = RoaringBitmap::new();
        for (place, segment) in self.snapshot.segments().iter().enumerate() {
            self.cancel.check()?;
            let Some(column) = segment.column(attribute)? else { continue };
            let ordinals = occurrences.of_any(place, &parts);
            all |= column.documents_of_many(&ordinals)? - segment.deleted();
        }
        Ok(all)
    }

    fn occurrences_in(&self, attribute: &str) -> Result<Rc<Occurrences>, SearchError> {
        if let Some(found) = self.occurrences.borrow().get(attribute) {
            return Ok(Rc::clone(found));
        }
        let found = Occurrences::find(self.snapshot, self.filter, attribute, self.cancel)?;
        let found = Rc::new(found);
        self.occurrences.borrow_mut().insert(attribute.to_owned(), Rc::clone(&found));
        Ok(found)
    }

    /// Checks for cancellation now and then, in a loop that has reached this index.
    fn check_at(&self, place: usize) -> Result<(), SearchError> {
        if place.is_multiple_of(VALUES_AT_A_TIME) { Ok(self.cancel.check()?) } else { Ok(()) }
    }

    /// Returns the documents with a number or a text within bounds; each kind has its own.
    fn between(
        &self,
        attribute: &str,
        numbers: Option<(Bound<f64>, Bound<f64>)>,
        from: Bound<&String>,
        to: Bound<&String>,
    ) -> Documents {
        let from = from.map(String::as_bytes);
        let to = to.map(String::as_bytes);
        self.in_columns(attribute, |column| {
            let texts = column.strings_between(from, to)?;
            let mut documents = column.documents_of_range(texts)?;
            if let Some((from, to)) = numbers {
                documents |= column.documents_of_range(column.numbers_between(from, to)?)?;
            }
            Ok(documents)
        })
    }

    fn in_columns(&self, attribute: &str, find: impl Fn(&Column) -> Documents) -> Documents {
        self.in_segments(|segment| match segment.column(attribute)? {
            Some(column) => find(column),
            None => Ok(RoaringBitmap::new()),
        })
    }

    /// Returns documents by their points, if the settings let points be filtered, or by their
    /// shapes.
    fn places(&self, points: Option<&InPlaces<'_>>, shapes: &InPlaces<'_>) -> Documents {
        let settings = self.snapshot.typed_settings();
        let points = points.filter(|_| settings.filters_by_points());
        self.in_segments(|segment| {
            let Some(geo) = segment.geo() else { return Ok(RoaringBitmap::new()) };
            let mut documents = match points {
                Some(find) => find(geo)?,
                None => RoaringBitmap::new(),
            };
            if settings.indexes_shapes() {
                documents |= shapes(geo)?;
            }
            Ok(documents)
        })
    }

    fn in_segments(&self, find: impl Fn(&Segment) -> Documents) -> Documents {
        let mut all = RoaringBitmap::new();
        for segment in self.snapshot.segments() {
            let mut found = find(segment)?;
            if !segment.deleted().is_empty() {
                found -= segment.deleted();
            }
            if all.is_empty() {
                all = found;
            } else {
                all |= found;
            }
        }
        Ok(all)
    }
}

pub(super) fn form(value: &Token) -> String {
    let mut form = String::new();
    value_form(value.value(), &mut form);
    form
}
