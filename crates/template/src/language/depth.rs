//! Limits the nesting of templates. Parsing and rendering are recursive, so a template of a few
//! kilobytes could otherwise overflow the stack.

use std::cell::Cell;

use liquid_core::{
    BlockReflection, Error, Language, ParseBlock, Renderable, Result, TagBlock, TagTokenIter,
};

use crate::error::TemplateError;

const BLOCKS: usize = 64;
/// In total, since the grammar is parsed before our code is called.
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

/// A block that refuses to be nested too deeply.
#[derive(Clone)]
pub(super) struct DepthLimited<B>(pub(super) B);

impl<B: ParseBlock + Clone + 'static> ParseBlock for DepthLimited<B> {
    fn parse(
        &self,
        arguments: TagTokenIter<'_>,
        block: TagBlock<'_, '_>,
        options: &Language,
    ) -> Result<Box<dyn Renderable>> {
        let open = DepthGuard::new();
        if open.depth > BLOCKS {
            return Err(Error::with_msg(format!("Blocks are nested more than {BLOCKS} deep")));
        }
        self.0.parse(arguments, block, options)
    }

    fn reflection(&self) -> &dyn BlockReflection {
        self.0.reflection()
    }
}

struct DepthGuard {
    depth: usize,
}

impl DepthGuard {
    fn new() -> Self {
        let depth = OPEN.get() + 1;
        OPEN.set(depth);
        Self { depth }
    }
}

impl Drop for DepthGuard {
    fn drop(&mut self) {
        OPEN.set(OPEN.get() - 1);
    }
}
