//! The attributes that one search shows, highlights and crops.

use std::collections::BTreeMap;

use super::scope::{Coverage, Scope, is_within};
use super::{FormatRequest, Object};

/// The formatting of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextOptions {
    pub highlight: bool,
    /// Number of words to keep; 0, which can be requested too, means all.
    pub crop: Option<usize>,
}

pub struct Plan<'a> {
    /// Options of `*`, for all displayed attributes.
    every: TextOptions,
    /// Options by name; valid names only.
    named: BTreeMap<String, TextOptions>,
    has_star: bool,
    is_formatted: bool,
    /// The content of `_formatted`.
    shown: Scope,
    displayed: Scope,
    knows: Box<dyn Fn(&str) -> bool + 'a>,
}

impl<'a> Plan<'a> {
    pub fn new(
        displayed: Option<&[String]>,
        retrieve: Option<&[String]>,
        request: &FormatRequest,
        knows: Box<dyn Fn(&str) -> bool + 'a>,
    ) -> Self {
        let displayed = match displayed {
            None => Scope::All,
            Some(names) => Scope::Names(names.iter().filter(|name| knows(name)).cloned().collect()),
        };
        let mut plan = Self {
            every: TextOptions::default(),
            named: BTreeMap::new(),
            has_star: false,
            is_formatted: false,
            shown: displayed.clone(),
            displayed,
            knows,
        };
        for name in request.highlight.iter().flatten() {
            plan.apply(name, |options| options.highlight = true);
        }
        for item in request.crop.iter().flatten() {
            let (name, length) = match item.rsplit_once(':') {
                Some((name, length)) => (name, length.parse().unwrap_or(request.crop_length)),
                None => (item.as_str(), request.crop_length),
            };
            plan.apply(name, |options| options.crop = Some(length));
        }
        plan.limit_shown(retrieve);
        plan
    }

    /// Sets options of a name, or of all displayed ones.
    fn apply(&mut self, name: &str, set: impl Fn(&mut TextOptions)) {
        if name != "*" {
            if self.is_valid(name) {
                self.is_formatted = true;
                set(self.named.entry(name.to_owned()).or_default());
            }
            return;
        }
        self.has_star = true;
        match &self.displayed {
            Scope::All => {
                self.is_formatted = true;
                set(&mut self.every);
                self.named.values_mut().for_each(set);
            }
            Scope::Names(names) => {
                self.is_formatted |= !names.is_empty();
                for name in names {
                    set(self.named.entry(name.clone()).or_default());
                }
            }
        }
    }

    fn is_valid(&self, name: &str) -> bool {
        match &self.displayed {
            Scope::All => (self.knows)(name),
            Scope::Names(names) => names.iter().any(|displayed| displayed == name),
        }
    }

    /// Limits the formatted attributes to those that are retrieved or named.
    fn limit_shown(&mut self, retrieve: Option<&[String]>) {
        let Some(retrieve) = retrieve else { return };
        if self.has_star || retrieve.iter().any(|name| name == "*") {
            return;
        }
        let retrieved = retrieve.iter().filter(|name| self.is_valid(name));
        self.shown = Scope::Names(retrieved.chain(self.named.keys()).cloned().collect());
    }

    /// Returns whether there is a `_formatted` at all.
    pub fn is_formatted(&self) -> bool {
        self.is_formatted
    }

    pub fn displayed(&self, attribute: &str) -> Coverage {
        self.displayed.coverage(attribute)
    }

    /// Returns how much of a member of an object is shown. A member with dots in its own name is
    /// selected by that very name, and yields to a selected field that its name seems to be inside
    /// of. If everything is shown and the object has that field too, both remain.
    pub fn shown(&self, attribute: &str, name: &str, object: &Object) -> Coverage {
        let coverage = self.shown.coverage(attribute);
        if coverage == Coverage::Nothing || !name.contains('.') {
            return coverage;
        }
        let outside = attribute.len() - name.len();
        let mut ends = name.match_indices('.').map(|(end, _)| end);
        let gives_way = match &self.shown {
            Scope::All => {
                !ends.clone().any(|end| object.contains_key(&name[..end]))
                    && ends.any(|end| (self.knows)(&attribute[..outside + end]))
            }
            Scope::Names(names) => {
                ends.any(|end| names.iter().any(|shown| *shown == attribute[..outside + end]))
            }
        };
        if gives_way { Coverage::Nothing } else { coverage }
    }

    /// Returns the options of an attribute. Options of a parent apply to its children and vice
    /// versa. Among several lengths, that of the outermost name wins.
    pub fn options(&self, attribute: &str) -> TextOptions {
        let mut options = self.every;
        let mut outermost = usize::MAX;
        let top = attribute.split('.').next().unwrap_or(attribute);
        for (name, named) in &self.named {
            if !is_within(attribute, name) && !is_within(name, attribute) {
                continue;
            }
            options.highlight |= named.highlight;
            // `*` also names the top-level field: only an option given for that one can take
            // precedence.
            let may_decide = self.every.crop.is_none() || name == top;
            if named.crop.is_some() && may_decide && name.len() < outermost {
                outermost = name.len();
                options.crop = named.crop;
            }
        }
        options.crop = options.crop.filter(|length| *length > 0);
        options
    }
}
