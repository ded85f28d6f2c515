//! What one search looks at: the segments of its snapshot with the role of each of their fields,
//! and the sets of documents it has computed so far.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use hashbrown::HashMap;
use roaring::RoaringBitmap;
use segment::text::TextReader;
use settings::Settings;
use text::Tokenizer;

use crate::attributes::{self, FieldRole};
use crate::parse::Phrase;
use crate::query::{Query, SearchError};
use crate::synonyms::Synonyms;
use crate::term::{Levels, TermId};

pub(crate) struct SegmentView<'s> {
    pub text: &'s TextReader,
    pub deleted: &'s RoaringBitmap,
    /// By local field number.
    pub roles: Vec<FieldRole>,
    /// Whether some field is not searched.
    pub is_restricted: bool,
    /// Whether some field is searched without typos.
    pub has_exact_fields: bool,
}

pub(crate) struct Context<'s> {
    pub settings: &'s Settings,
    pub tokenizer: &'s Tokenizer,
    pub synonyms: &'s Synonyms,
    pub segments: Vec<SegmentView<'s>>,
    pub live: &'s RoaringBitmap,
    /// Entries of `searchableAttributes`; 1 when all attributes weigh the same.
    pub weights: u32,
    deadline: Instant,
    cancelled: &'s std::sync::atomic::AtomicBool,
    /// Documents by term, typo levels and whether only the exact word counts.
    pub documents: RefCell<HashMap<(TermId, Levels, bool), Rc<RoaringBitmap>>>,
    pub phrases: RefCell<HashMap<Phrase, Rc<RoaringBitmap>>>,
}

impl SegmentView<'_> {
    pub fn role(&self, field: u16) -> FieldRole {
        self.roles.get(usize::from(field)).copied().unwrap_or(FieldRole::NONE)
    }
}

/// One state of an index as a search needs it.
pub(crate) struct Source<'s> {
    /// Words of each segment, and its deleted documents.
    pub segments: Vec<(&'s TextReader, &'s RoaringBitmap)>,
    pub live: &'s RoaringBitmap,
    pub settings: &'s Settings,
    pub tokenizer: &'s Tokenizer,
    pub synonyms: &'s Synonyms,
}

impl<'s> Context<'s> {
    pub fn new(source: &Source<'s>, query: &Query<'s>) -> Result<Self, SearchError> {
        let settings = source.settings;
        let fields = || source.segments.iter().flat_map(|(text, _)| text.fields());
        let searched = attributes::searched(fields, settings, query.attributes)?;
        let segments = source
            .segments
            .iter()
            .map(|&(text, deleted)| {
                let roles = attributes::roles(text.fields(), settings, searched);
                SegmentView {
                    text,
                    deleted,
                    is_restricted: roles.iter().any(|role| !role.is_searched),
                    has_exact_fields: roles.iter().any(|role| role.is_searched && role.is_exact),
                    roles,
                }
            })
            .collect();
        Ok(Self {
            settings,
            tokenizer: source.tokenizer,
            synonyms: source.synonyms,
            segments,
            live: source.live,
            weights: settings.searchable_attributes.as_ref().map_or(1, |list| list.len().max(1))
                as u32,
            deadline: query.deadline,
            cancelled: query.cancelled,
            documents: RefCell::default(),
            phrases: RefCell::default(),
        })
    }

    /// Whether the time for ranking is over.
    pub fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Ends a search that nobody waits for.
    pub fn check_wanted(&self) -> Result<(), SearchError> {
        if self.cancelled.load(Ordering::Relaxed) { Err(SearchError::Cancelled) } else { Ok(()) }
    }
}
