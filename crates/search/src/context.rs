//! The state of one search: the segments of its snapshot with the role of each of their fields, and
//! the document sets it has computed so far.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use hashbrown::HashMap;
use index::{Segment, Snapshot};
use model::Cancel;
use roaring::RoaringBitmap;
use segment::text::TextReader;
use settings::Settings;
use text::Tokenizer;

use crate::attributes::{self, FieldRole};
use crate::error::SearchError;
use crate::node_key::NodeKey;
use crate::parse::Phrase;
use crate::synonyms::Synonyms;

pub(crate) struct SegmentView<'s> {
    pub segment: &'s Segment,
    pub text: &'s TextReader,
    pub deleted: &'s RoaringBitmap,
    /// Roles by local field number.
    pub roles: Vec<FieldRole>,
    /// True if some field is not searched.
    pub is_restricted: bool,
    /// True if some field is searched without typos or, with stemming, without stems.
    pub has_strict_fields: bool,
}

pub(crate) struct Context<'s> {
    pub settings: &'s Settings,
    pub tokenizer: &'s Tokenizer,
    pub synonyms: Arc<Synonyms>,
    pub segments: Vec<SegmentView<'s>>,
    pub live: &'s RoaringBitmap,
    /// The number of entries of `searchableAttributes`; 1 if all attributes have the same weight.
    pub weights: u32,
    deadline: Option<Instant>,
    pub cancel: &'s Cancel,
    /// Documents by term, typo levels and how much of the term counts.
    pub documents: RefCell<HashMap<NodeKey, Rc<RoaringBitmap>>>,
    pub phrases: RefCell<HashMap<Phrase, Rc<RoaringBitmap>>>,
}

impl SegmentView<'_> {
    pub fn role(&self, field: u16) -> FieldRole {
        self.roles.get(usize::from(field)).copied().unwrap_or(FieldRole::NONE)
    }
}

impl<'s> Context<'s> {
    /// Creates the context of a search in the named attributes. Without a deadline, ranking takes
    /// as long as it needs.
    pub fn new(
        snapshot: &'s Snapshot,
        attributes: Option<&[String]>,
        deadline: Option<Instant>,
        cancel: &'s Cancel,
    ) -> Result<Self, SearchError> {
        let searched = attributes::searched(snapshot, attributes)?;
        Ok(Self::of_fields(snapshot, searched, |_| true, deadline, cancel))
    }

    /// Like `new`, for a list of attributes that was already checked, without the fields that
    /// `is_read` rejects.
    pub fn of_fields(
        snapshot: &'s Snapshot,
        searched: Option<&[String]>,
        is_read: impl Fn(&str) -> bool,
        deadline: Option<Instant>,
        cancel: &'s Cancel,
    ) -> Self {
        let settings = snapshot.typed_settings();
        let view = |segment: &'s Segment| {
            let fields = segment.text().fields();
            let mut roles = attributes::roles(fields, settings, searched);
            for (role, field) in roles.iter_mut().zip(fields) {
                role.is_searched = role.is_searched && is_read(field);
            }
            SegmentView {
                segment,
                text: segment.text(),
                deleted: segment.deleted(),
                is_restricted: roles.iter().any(|role| !role.is_searched),
                has_strict_fields: roles.iter().any(|role| role.is_searched && role.is_strict()),
                roles,
            }
        };
        Self {
            settings,
            tokenizer: snapshot.tokenizer(),
            synonyms: snapshot.derived(Synonyms::are_same, |settings| {
                Synonyms::new(settings, snapshot.tokenizer())
            }),
            segments: snapshot.segments().iter().map(view).collect(),
            live: snapshot.live(),
            weights: settings.searchable_attributes.as_ref().map_or(1, |list| list.len().max(1))
                as u32,
            deadline,
            cancel,
            documents: RefCell::default(),
            phrases: RefCell::default(),
        }
    }

    /// Returns whether the time for ranking is over.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Returns an error if the search was cancelled.
    pub fn check_cancelled(&self) -> Result<(), SearchError> {
        Ok(self.cancel.check()?)
    }
}
