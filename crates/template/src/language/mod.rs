//! The Liquid language of templates: the standard library, without its parts that could take
//! unbounded time, memory or stack, or that lose the order of object members; those are replaced.

mod assign;
mod budget;
mod depth;
mod filters;
mod loops;
mod objects_in_filters;
mod ordered;
mod scope;

pub(crate) use budget::{BoundedText, Budget};
pub(crate) use depth::check_brackets;
pub(crate) use ordered::{OrderedObject, OrderedValue};
pub(crate) use scope::{AssignScope, Scope};

use std::sync::LazyLock;

use liquid_core::{Language, ParseBlock, ParseFilter, ParseTag};
use liquid_lib::stdlib;

use depth::DepthLimited;
use objects_in_filters::LibraryFilterParser;

pub(crate) fn language() -> &'static Language {
    static LANGUAGE: LazyLock<Language> = LazyLock::new(build);
    &LANGUAGE
}

fn build() -> Language {
    let mut language = Language::empty();
    let blocks: [Box<dyn ParseBlock>; 9] = [
        DepthLimited(stdlib::RawBlock).into(),
        DepthLimited(stdlib::IfBlock).into(),
        DepthLimited(stdlib::UnlessBlock).into(),
        DepthLimited(stdlib::IfChangedBlock).into(),
        DepthLimited(stdlib::CommentBlock).into(),
        DepthLimited(stdlib::CaseBlock).into(),
        DepthLimited(assign::CaptureBlock).into(),
        DepthLimited(loops::FOR).into(),
        DepthLimited(loops::TABLE_ROW).into(),
    ];
    for block in blocks {
        language.blocks.register(block.reflection().start_tag().to_owned(), block);
    }
    let tags: [Box<dyn ParseTag>; 8] = [
        assign::AssignTag.into(),
        stdlib::BreakTag.into(),
        stdlib::ContinueTag.into(),
        stdlib::CycleTag.into(),
        stdlib::IncludeTag.into(),
        stdlib::IncrementTag.into(),
        stdlib::DecrementTag.into(),
        stdlib::RenderTag.into(),
    ];
    for tag in tags {
        language.tags.register(tag.reflection().tag().to_owned(), tag);
    }
    let library_filters = text_filters().into_iter().chain(array_filters()).chain(number_filters());
    let library_filters = library_filters.map(|filter| LibraryFilterParser(filter).into());
    for filter in library_filters.chain(own_filters()) {
        language.filters.register(filter.reflection().name().to_owned(), filter);
    }
    language
}

fn own_filters() -> [Box<dyn ParseFilter>; 5] {
    [
        filters::Join.into(),
        filters::Replace.into(),
        objects_in_filters::Sort.into(),
        objects_in_filters::SortNatural.into(),
        objects_in_filters::Uniq.into(),
    ]
}

fn text_filters() -> Vec<Box<dyn ParseFilter>> {
    vec![
        stdlib::Append.into(),
        stdlib::Capitalize.into(),
        stdlib::Date.into(),
        stdlib::Default.into(),
        stdlib::Downcase.into(),
        stdlib::Escape.into(),
        stdlib::EscapeOnce.into(),
        stdlib::Lstrip.into(),
        stdlib::NewlineToBr.into(),
        stdlib::Prepend.into(),
        stdlib::Remove.into(),
        stdlib::RemoveFirst.into(),
        stdlib::ReplaceFirst.into(),
        stdlib::Rstrip.into(),
        stdlib::Slice.into(),
        stdlib::Split.into(),
        stdlib::Strip.into(),
        stdlib::StripHtml.into(),
        stdlib::StripNewlines.into(),
        stdlib::Truncate.into(),
        stdlib::TruncateWords.into(),
        stdlib::Upcase.into(),
        stdlib::UrlDecode.into(),
        stdlib::UrlEncode.into(),
    ]
}

fn array_filters() -> Vec<Box<dyn ParseFilter>> {
    vec![
        stdlib::Compact.into(),
        stdlib::Concat.into(),
        stdlib::First.into(),
        stdlib::Last.into(),
        stdlib::Map.into(),
        stdlib::Reverse.into(),
        stdlib::Size.into(),
        stdlib::Where.into(),
    ]
}

fn number_filters() -> Vec<Box<dyn ParseFilter>> {
    vec![
        stdlib::Abs.into(),
        stdlib::AtLeast.into(),
        stdlib::AtMost.into(),
        stdlib::Ceil.into(),
        stdlib::DividedBy.into(),
        stdlib::Floor.into(),
        stdlib::Minus.into(),
        stdlib::Modulo.into(),
        stdlib::Plus.into(),
        stdlib::Round.into(),
        stdlib::Times.into(),
    ]
}
