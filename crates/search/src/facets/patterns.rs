//! The attributes that a facet request selects, and the error if it may not select them. A pattern
//! must overlap with a filterable rule, even if no document has such an attribute.

use index::Snapshot;
use settings::pattern::{covers, matches};
use settings::{FilterFeatures, FilterableRule, Settings};

use crate::attributes::listed;
use crate::error::SearchError;

/// Rejects the first pattern of `facets` that no filterable attribute can match.
pub fn check(snapshot: &Snapshot, patterns: &[String]) -> Result<(), SearchError> {
    let settings = snapshot.typed_settings();
    patterns.iter().try_for_each(|pattern| check_pattern(settings, pattern))
}

/// Returns the attributes of the patterns, in byte order.
pub fn selected<'s>(snapshot: &'s Snapshot, patterns: &[String]) -> Vec<&'s str> {
    let settings = snapshot.typed_settings();
    let is_selected = |name: &&str| {
        // Patterns first: there may be many rules.
        patterns.iter().any(|pattern| matches(pattern, name) || covers(pattern, name))
            && is_filterable(settings, name)
            && patterns.iter().any(|pattern| selects(settings, pattern, name))
    };
    snapshot.field_names().filter(is_selected).collect()
}

/// Returns whether a pattern selects an attribute. A plain name also selects what it contains, but
/// only if it is filterable itself: with `a.b` or `a.*` alone in the settings, `a` selects nothing.
fn selects(settings: &Settings, pattern: &str, name: &str) -> bool {
    matches(pattern, name) || (covers(pattern, name) && is_filterable(settings, pattern))
}

fn is_filterable(settings: &Settings, name: &str) -> bool {
    settings.filterable_rule(name).is_some_and(|(_, rule)| rule.features().filters())
}

fn check_pattern(settings: &Settings, pattern: &str) -> Result<(), SearchError> {
    let rules = || settings.filterable_attributes.iter().enumerate();
    let allows = |rule: &FilterableRule| rule.features().filters();
    let (is_allowed, forbidden_by) = match Shape::of(pattern) {
        Shape::Name(name) => match settings.filterable_rule(name) {
            Some((_, rule)) if allows(rule) => (true, None),
            Some((place, _)) => (false, Some(place)),
            None => {
                let contains =
                    |rule: &FilterableRule| rule.patterns().iter().any(|it| covers(name, it));
                (rules().any(|(_, rule)| allows(rule) && contains(rule)), None)
            }
        },
        shape => {
            let mut overlapping = rules().filter(|(_, rule)| shape.overlaps_rule(rule));
            let first = overlapping.clone().next();
            (overlapping.any(|(_, rule)| allows(rule)), first.map(|(place, _)| place))
        }
    };
    if is_allowed { Ok(()) } else { Err(not_filterable(settings, pattern, forbidden_by)) }
}

fn not_filterable(settings: &Settings, pattern: &str, rule: Option<usize>) -> SearchError {
    let why = match rule {
        Some(rule) => format!(
            "Attribute `{pattern}` matched rule #{rule} in filterableAttributes, but this rule \
             does not enable filtering.\n\
             Hint: enable filtering in rule #{rule} by modifying the features.filter object\n\
             Hint: prepend another rule matching `{pattern}` with appropriate filter features \
             before rule #{rule}"
        ),
        None => {
            let available = match settings.filterable_patterns(FilterFeatures::filters).as_slice() {
                [] => "This index does not have configured filterable attributes.".to_owned(),
                patterns => {
                    let patterns = patterns.join(", ");
                    format!("Available filterable attributes patterns are: `{patterns}`.")
                }
            };
            format!("Pattern `{pattern}` is not filterable. {available}")
        }
    };
    SearchError::Facets(format!("Invalid facet distribution: {why}"))
}

/// Rejects a search for the values of an attribute if the settings do not allow it.
pub fn check_searchable(snapshot: &Snapshot, facet: &str) -> Result<(), SearchError> {
    let settings = snapshot.typed_settings();
    if !settings.facet_search {
        return Err(SearchError::FacetSearchDisabled);
    }
    let why = match settings.filterable_rule(facet) {
        Some((_, rule)) if rule.features().facet_search => return Ok(()),
        Some((rule, _)) => format!(
            "Note: this attribute matches rule #{rule} in filterableAttributes, but this rule \
             does not enable facetSearch.\n\
             Hint: enable facetSearch in rule #{rule} by adding `\"facetSearch\": true` to the \
             rule.\n\
             Hint: prepend another rule matching {facet} with facetSearch: true before rule \
             #{rule}"
        ),
        None => format!(
            "{} To make it facet-searchable add it to the `filterableAttributes` index settings.",
            available_for_search(settings)
        ),
    };
    Err(SearchError::NotFacetSearchable(format!(
        "Attribute `{facet}` is not facet-searchable. {why}"
    )))
}

fn available_for_search(settings: &Settings) -> String {
    let patterns = settings.filterable_patterns(|features| features.facet_search);
    if patterns.is_empty() {
        return "This index does not have configured facet-searchable attributes.".to_owned();
    }
    let patterns = listed(settings, patterns.into_iter());
    format!("Available facet-searchable attributes patterns are: `{patterns}`.")
}

/// The shape of a pattern by the position of its stars; other stars are literal.
#[derive(Debug, Clone, Copy)]
enum Shape<'p> {
    Name(&'p str),
    Beginning(&'p str),
    End(&'p str),
    Part(&'p str),
}

impl<'p> Shape<'p> {
    fn of(pattern: &'p str) -> Self {
        match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
            (Some(rest), Some(_)) => Shape::Part(rest.strip_suffix('*').unwrap_or(rest)),
            (Some(end), None) => Shape::End(end),
            (None, Some(beginning)) => Shape::Beginning(beginning),
            (None, None) => Shape::Name(pattern),
        }
    }

    /// Returns whether some name matches both.
    fn overlaps(self, other: Shape<'_>) -> bool {
        match (self, other) {
            (Shape::Name(a), Shape::Name(b)) => a == b,
            (Shape::Name(name), Shape::Beginning(beginning))
            | (Shape::Beginning(beginning), Shape::Name(name)) => name.starts_with(beginning),
            (Shape::Name(name), Shape::End(end)) | (Shape::End(end), Shape::Name(name)) => {
                name.ends_with(end)
            }
            (Shape::Name(name), Shape::Part(part)) | (Shape::Part(part), Shape::Name(name)) => {
                name.contains(part)
            }
            (Shape::Beginning(a), Shape::Beginning(b)) => a.starts_with(b) || b.starts_with(a),
            (Shape::End(a), Shape::End(b)) => a.ends_with(b) || b.ends_with(a),
            // Parts that one shape leaves open can match the other.
            _ => true,
        }
    }

    fn overlaps_rule(self, rule: &FilterableRule) -> bool {
        match rule {
            FilterableRule::Attribute(name) => {
                self.overlaps(Shape::Name(name))
                    || self.overlaps(Shape::Beginning(&format!("{name}.")))
            }
            FilterableRule::Patterns { attribute_patterns, .. } => {
                attribute_patterns.iter().any(|pattern| self.overlaps(Shape::of(pattern)))
            }
        }
    }
}
