//! How deep a template is nested. The parser calls itself for each level, and so does rendering:
//! a template of a few kilobytes could otherwise use up the stack of the process.

use std::cell::Cell;

use liquid_core::{
    BlockReflection, Error, Language, ParseBlock, Renderable, Result, TagBlock, TagTokenIter,
};

use crate::error::TemplateError;

const BLOCKS: usize = 64;
/// In all, since the grammar is read before anything of ours is called.
const BRACKETS: usize = 256;

thread_local! {
    static OPEN: Cell<usize> = const { Cell::new(0) };
}

pub(crate) fn check_brackets(text: &str) -> Result<(), TemplateError> {
    if text.bytes().filter(|byte| *byte == b'[').count() > BRACKETS {
        return Err(TemplateError::TooManyBrackets { limit: BRACKETS });
    }
    Ok(())
}

/// A block that refuses to be the innermost of too many.
#[derive(Clone)]
pub(super) struct Nested<B>(pub(super) B);

impl<B: ParseBlock + Clone + 'static> ParseBlock for Nested<B> {
    fn parse(
        &self,
        arguments: TagTokenIter<'_>,
        block: TagBlock<'_, '_>,
        options: &Language,
    ) -> Result<Box<dyn Renderable>> {
        let open = Open::new();
        if open.depth > BLOCKS {
            return Err(Error::with_msg(format!("Blocks are nested more than {BLOCKS} deep")));
        }
        self.0.parse(arguments, block, options)
    }

    fn reflection(&self) -> &dyn BlockReflection {
        self.0.reflection()
    }
}

struct Open {
    depth: usize,
}

impl Open {
    fn new() -> Self {
        let depth = OPEN.get() + 1;
        OPEN.set(depth);
        Self { depth }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        OPEN.set(OPEN.get() - 1);
    }
}
