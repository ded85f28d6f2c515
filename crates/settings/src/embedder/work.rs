//! Work that a change of an embedder causes for the existing vectors.

use super::{Embedder, Fragments, Prompt, Source};

/// Work on the vectors of an embedder, from the least to the most. Each includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EmbedderWork {
    /// The vectors stay as they are.
    Nothing,
    /// All vectors are reduced to their signs.
    Quantise,
    /// All documents are rendered again, and those with another text are embedded.
    Render,
    /// All documents are embedded again.
    Embed,
}

/// Determines the work by the settings alone. Dimensions learnt from the provider may also differ
/// from those of the stored vectors; the caller must compare them.
pub fn embedder_work(before: &Embedder, after: &Embedder) -> EmbedderWork {
    let quantise = match (before.binary_quantized, after.binary_quantized) {
        (false, true) => EmbedderWork::Quantise,
        // A new embedder of the same name: quantised vectors are not precise enough for it.
        (true, false) => EmbedderWork::Embed,
        _ => EmbedderWork::Nothing,
    };
    source_work(&before.source, &after.source).max(quantise)
}

fn source_work(before: &Source, after: &Source) -> EmbedderWork {
    let embed_if =
        |differs: bool| if differs { EmbedderWork::Embed } else { EmbedderWork::Nothing };
    match (before, after) {
        (Source::OpenAi(before), Source::OpenAi(after)) => {
            embed_if((&before.model, before.dimensions) != (&after.model, after.dimensions))
                .max(prompt_work(&before.prompt, &after.prompt))
        }
        (Source::HuggingFace(before), Source::HuggingFace(after)) => embed_if(
            (&before.model, &before.revision, before.pooling)
                != (&after.model, &after.revision, after.pooling),
        )
        .max(prompt_work(&before.prompt, &after.prompt)),
        (Source::Ollama(before), Source::Ollama(after)) => {
            let resize = resizes(before.dimensions, after.dimensions);
            embed_if(resize || (&before.model, &before.url) != (&after.model, &after.url))
                .max(prompt_work(&before.prompt, &after.prompt))
        }
        (Source::Rest(before), Source::Rest(after)) => {
            let resize = resizes(before.dimensions, after.dimensions);
            let provider = (&before.url, &before.request, &before.response)
                != (&after.url, &after.request, &after.response);
            let fragments = fragments_work(&before.indexing_fragments, &after.indexing_fragments);
            let prompt = if after.indexing_fragments.is_empty() {
                prompt_work(&before.prompt, &after.prompt)
            } else {
                EmbedderWork::Nothing
            };
            embed_if(resize || provider).max(fragments).max(prompt)
        }
        (
            Source::UserProvided { dimensions: before },
            Source::UserProvided { dimensions: after },
        ) => embed_if(before != after),
        // The search embedder does not affect stored vectors.
        (Source::Composite { indexing: before, .. }, Source::Composite { indexing: after, .. }) => {
            source_work(before, after)
        }
        _ => EmbedderWork::Embed,
    }
}

/// Returns whether the set dimensions differ. They are only a hint to the provider, but vectors of
/// different lengths cannot be mixed.
fn resizes(before: Option<usize>, after: Option<usize>) -> bool {
    matches!((before, after), (Some(before), Some(after)) if before != after)
}

fn prompt_work(before: &Prompt, after: &Prompt) -> EmbedderWork {
    let is_new = before.template != after.template || after.max_bytes > before.max_bytes;
    if is_new { EmbedderWork::Render } else { EmbedderWork::Nothing }
}

fn fragments_work(before: &Fragments, after: &Fragments) -> EmbedderWork {
    match (before.is_empty(), after.is_empty()) {
        _ if before == after => EmbedderWork::Nothing,
        (false, false) => EmbedderWork::Render,
        _ => EmbedderWork::Embed,
    }
}
