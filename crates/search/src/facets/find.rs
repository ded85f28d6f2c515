//! Finds values of a facet by their beginning. Strings are compared by their folded form; the
//! dictionaries of all segments are walked at once, in the order of that form. If the settings give
//! the attribute a language that folds differently, its strings are folded here instead.

use std::collections::BTreeMap;

use fst::Streamer;
use fst::raw::OpBuilder;
use index::Snapshot;
use model::Cancel;
use roaring::RoaringBitmap;
use segment::columns::FoldedDictionary;
use settings::FacetOrder;
use text::Language;

use super::folding::Folding;
use super::found::FacetDisplay;
use super::frequent::{Frequent, frequent_strings};
use super::matcher::Matcher;
use super::merge::{Group, ValueLocation, first_strings};
use super::patterns::check_searchable;
use super::spelling::{Speller, spelled};
use super::tally::{ReadHint, Tally, parts, tallies};
use crate::error::SearchError;

/// Folding a string costs up to as much as iterating over this many strings.
const FOLDING_COST: usize = 128;

/// Strings processed between two checks for cancellation.
const STRINGS_AT_A_TIME: usize = 8192;

#[derive(Debug, Clone, Copy)]
pub struct FacetQuery<'q> {
    /// The attribute whose values are searched.
    pub facet: &'q str,
    /// The beginning of the values; `None`: all values.
    pub text: Option<&'q str>,
    /// Languages of the text; `None`: those of the attribute in the settings.
    pub locales: Option<&'q [Language]>,
}

/// Returns the strings that match the query, each with the number of candidates that have it.
pub fn search(
    snapshot: &Snapshot,
    query: &FacetQuery<'_>,
    candidates: &RoaringBitmap,
    cancel: &Cancel,
) -> Result<Vec<(String, u64)>, SearchError> {
    find(snapshot, query, candidates, FacetDisplay::of(snapshot, query.facet), cancel)
}

/// Like `search`, with all values, so that another instance can sum up the counts of several.
pub fn search_all(
    snapshot: &Snapshot,
    query: &FacetQuery<'_>,
    candidates: &RoaringBitmap,
    cancel: &Cancel,
) -> Result<Vec<(String, u64)>, SearchError> {
    let shown = FacetDisplay { most: usize::MAX, ..FacetDisplay::of(snapshot, query.facet) };
    find(snapshot, query, candidates, shown, cancel)
}

fn find(
    snapshot: &Snapshot,
    query: &FacetQuery<'_>,
    candidates: &RoaringBitmap,
    FacetDisplay { order, most }: FacetDisplay,
    cancel: &Cancel,
) -> Result<Vec<(String, u64)>, SearchError> {
    check_searchable(snapshot, query.facet)?;
    let settings = snapshot.typed_settings();
    let folding = Folding::new(settings, query);
    let matcher = query
        .text
        .map(|text| folding.query(text).map(|folded| Matcher::new(settings, query.facet, folded)));
    if most == 0 || matches!(matcher, Some(None)) {
        return Ok(Vec::new());
    }

    let hint = match (order, query.text) {
        (_, Some(_)) if !folding.is_stored() => ReadHint::All,
        (FacetOrder::Alpha, _) => ReadHint::First(most),
        (FacetOrder::Count, None | Some("")) => ReadHint::All,
        // Their number is not known in advance.
        (FacetOrder::Count, Some(_)) => ReadHint::First(1),
    };
    cancel.check()?;
    let parts = parts(snapshot, candidates);
    let mut tallies = tallies(&parts, query.facet, hint)?;
    cancel.check()?;
    let groups = match (matcher.flatten(), order) {
        // An empty text excludes nothing.
        (_, FacetOrder::Count) if query.text.is_none_or(str::is_empty) => {
            let groups = frequent_strings(&mut tallies, most)?;
            with_all_places(&tallies, groups)?
        }
        (None, _) => {
            let groups = first_strings(&mut tallies, most)?;
            with_all_places(&tallies, groups)?
        }
        (Some(matcher), _) if !folding.is_stored() || are_few(&tallies) => {
            let groups = matching_of_few(&mut tallies, &matcher, folding, order, most)?;
            with_all_places(&tallies, groups)?
        }
        (Some(matcher), _) => matching(&mut tallies, &matcher, order, most, cancel)?,
    };
    spelled(snapshot, query.facet, &tallies, groups, Speller::Live)
}

/// Returns whether it is faster to test the strings that count than to find those that match.
fn are_few(tallies: &[Tally<'_>]) -> bool {
    let all: usize = tallies.iter().map(|tally| tally.strings().len()).sum();
    let few: Option<usize> = tallies.iter().map(Tally::few_values).sum();
    few.is_some_and(|few| few * FOLDING_COST < all)
}

/// Like `matching`, but tests each string that counts.
fn matching_of_few(
    tallies: &mut [Tally<'_>],
    matcher: &Matcher,
    folding: Folding<'_>,
    order: FacetOrder,
    most: usize,
) -> Result<Vec<Group>, SearchError> {
    let mut groups = first_strings(tallies, usize::MAX)?;
    match order {
        FacetOrder::Alpha => {
            let mut by_form: Vec<(String, Group)> = groups
                .into_iter()
                .map(|group| (folding.value(&group.normal), group))
                .filter(|(form, _)| matcher.accepts(form))
                .collect();
            // Stable: strings of one form stay in order.
            by_form.sort_by(|a, b| a.0.cmp(&b.0));
            groups = by_form.into_iter().map(|(_, group)| group).collect();
        }
        FacetOrder::Count => {
            groups.retain(|group| matcher.accepts(&folding.value(&group.normal)));
            groups.sort_by(|a, b| (b.count, &b.normal).cmp(&(a.count, &a.normal)));
        }
    }
    groups.truncate(most);
    Ok(groups)
}

/// Returns the strings that the matcher accepts. With a query, even an empty one, values are sorted
/// by their folded forms.
fn matching(
    tallies: &mut [Tally<'_>],
    matcher: &Matcher,
    order: FacetOrder,
    most: usize,
    cancel: &Cancel,
) -> Result<Vec<Group>, SearchError> {
    let mut sources = Vec::new();
    let mut dictionaries = OpBuilder::new();
    for (number, tally) in tallies.iter().enumerate() {
        if let Some(dictionary) = tally.column.dictionary() {
            sources.push(Source::Normal { tally: number, folded: FoldedStrings::new(tally) });
            dictionaries.push(dictionary.search(matcher));
        }
        if let Some(folded) = tally.column.folded() {
            sources.push(Source::Folded { tally: number, folded });
            dictionaries.push(folded.dictionary().search(matcher));
        }
    }

    let mut shown =
        FacetCollector { order, most, first: Vec::new(), frequent: Frequent::new(most) };
    let mut found = dictionaries.union();
    let mut strings = Strings::default();
    let mut count = 0_usize;
    while !shown.is_full()
        && let Some((folded, hits)) = found.next()
    {
        if count.is_multiple_of(STRINGS_AT_A_TIME) {
            cancel.check()?;
        }
        count += 1;
        strings.clear();
        for hit in hits {
            sources[hit.index].add(tallies, folded, hit.value, &mut strings)?;
        }
        let normal = String::from_utf8_lossy(folded);
        if strings.folded.is_empty() {
            shown.offer(tallies, &normal, &strings.plain)?;
            continue;
        }
        let plain = std::mem::take(&mut strings.plain);
        strings.folded.insert(normal.into_owned(), plain);
        for (normal, places) in &strings.folded {
            shown.offer(tallies, normal, places)?;
        }
    }
    Ok(shown.groups())
}

/// The strings of one folded form.
#[derive(Default)]
struct Strings {
    /// Locations of the string whose normal form is the folded form.
    plain: Vec<ValueLocation>,
    /// Locations of the other strings, by normal form.
    folded: BTreeMap<String, Vec<ValueLocation>>,
}

impl Strings {
    fn clear(&mut self) {
        self.plain.clear();
        self.folded.clear();
    }
}

/// The origin of an accepted form.
enum Source<'p> {
    Normal { tally: usize, folded: FoldedStrings<'p> },
    Folded { tally: usize, folded: FoldedDictionary<'p> },
}

impl Source<'_> {
    /// Adds the strings of an accepted form. `value` is the dictionary's value for it.
    fn add(
        &mut self,
        tallies: &[Tally<'_>],
        form: &[u8],
        value: u64,
        strings: &mut Strings,
    ) -> Result<(), SearchError> {
        match self {
            Source::Normal { tally, folded } => {
                let ordinal = tallies[*tally].strings().start + value as u32;
                // A string that has another folded form is found by that alone.
                if form.is_ascii() || !folded.contains(ordinal)? {
                    strings.plain.push(ValueLocation { tally: *tally, ordinal });
                }
            }
            Source::Folded { tally, folded } => {
                for ordinal in folded.ordinals(value)? {
                    let places = strings.folded.entry(tallies[*tally].column.string(ordinal)?);
                    places.or_default().push(ValueLocation { tally: *tally, ordinal });
                }
            }
        }
        Ok(())
    }
}

/// Collects the values to show.
struct FacetCollector {
    order: FacetOrder,
    most: usize,
    /// In the order of discovery.
    first: Vec<Group>,
    frequent: Frequent<String, Vec<ValueLocation>>,
}

impl FacetCollector {
    /// Returns whether no later value can be shown.
    fn is_full(&self) -> bool {
        self.order == FacetOrder::Alpha && self.first.len() == self.most
    }

    fn offer(
        &mut self,
        tallies: &mut [Tally<'_>],
        normal: &str,
        places: &[ValueLocation],
    ) -> Result<(), SearchError> {
        let mut count = 0;
        for place in places {
            count += u64::from(tallies[place.tally].count(place.ordinal)?);
        }
        if count == 0 || self.is_full() {
            return Ok(());
        }
        match self.order {
            FacetOrder::Alpha => {
                let normal = normal.to_owned();
                self.first.push(Group { normal, count, places: places.to_vec() });
            }
            FacetOrder::Count if self.frequent.keeps(count, normal) => {
                self.frequent.offer(count, normal.to_owned(), || places.to_vec());
            }
            FacetOrder::Count => {}
        }
        Ok(())
    }

    fn groups(self) -> Vec<Group> {
        match self.order {
            FacetOrder::Alpha => self.first,
            FacetOrder::Count => self.frequent.into_groups(),
        }
    }
}

/// The strings of a column whose folded form differs from their normal form. They are collected on
/// first use.
struct FoldedStrings<'p> {
    folded: Option<FoldedDictionary<'p>>,
    ordinals: Option<RoaringBitmap>,
}

impl<'p> FoldedStrings<'p> {
    fn new(tally: &Tally<'p>) -> Self {
        Self { folded: tally.column.folded(), ordinals: None }
    }

    fn contains(&mut self, ordinal: u32) -> Result<bool, SearchError> {
        let Some(folded) = self.folded else {
            return Ok(false);
        };
        let ordinals = match &mut self.ordinals {
            Some(ordinals) => ordinals,
            ordinals => {
                let mut all = RoaringBitmap::new();
                for group in 0..folded.dictionary().len() as u64 {
                    all.extend(folded.ordinals(group)?);
                }
                ordinals.insert(all)
            }
        };
        Ok(ordinals.contains(ordinal))
    }
}

/// Adds the locations of the strings in segments without counted documents, which may provide the
/// spelling.
fn with_all_places(
    tallies: &[Tally<'_>],
    mut groups: Vec<Group>,
) -> Result<Vec<Group>, SearchError> {
    for group in &mut groups {
        group.places.clear();
        for (number, tally) in tallies.iter().enumerate() {
            if let Some(ordinal) = tally.column.string_ordinal(group.normal.as_bytes())? {
                group.places.push(ValueLocation { tally: number, ordinal });
            }
        }
    }
    Ok(groups)
}
