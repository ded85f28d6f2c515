//! What a change of an embedder asks of the vectors there are.

use super::{Embedder, Fragments, Prompt, Source};

/// From the least to the most. Each contains those before it: vectors that stay are quantised
/// too, where that is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EmbedderWork {
    /// The vectors stay as they are.
    Nothing,
    /// All of them lose everything but the signs.
    Quantise,
    /// Documents are rendered again, and those embedded that got another text.
    Render,
    /// Nothing of the old vectors can stay.
    Embed,
}

/// By the settings alone. Dimensions that are learnt from the provider may differ from those of
/// the vectors there are; who learns them has to compare.
pub fn embedder_work(before: &Embedder, after: &Embedder) -> EmbedderWork {
    let quantise = match (before.binary_quantized, after.binary_quantized) {
        (false, true) => EmbedderWork::Quantise,
        // Another one of the same name: the vectors of the old one are not precise enough.
        (true, false) => EmbedderWork::Embed,
        _ => EmbedderWork::Nothing,
    };
    source_work(&before.source, &after.source).max(quantise)
}

fn source_work(before: &Source, after: &Source) -> EmbedderWork {
    let embed_if = |differs: bool| match differs {
        true => EmbedderWork::Embed,
        false => EmbedderWork::Nothing,
    };
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
            let prompt = match after.indexing_fragments.is_empty() {
                true => prompt_work(&before.prompt, &after.prompt),
                false => EmbedderWork::Nothing,
            };
            embed_if(resize || provider).max(fragments).max(prompt)
        }
        (
            Source::UserProvided { dimensions: before },
            Source::UserProvided { dimensions: after },
        ) => embed_if(before != after),
        // Queries are embedded when they come.
        (Source::Composite { indexing: before, .. }, Source::Composite { indexing: after, .. }) => {
            source_work(before, after)
        }
        _ => EmbedderWork::Embed,
    }
}

/// The provider gives what it gives, so these are a hint; but vectors of one size cannot stand
/// among those of another.
fn resizes(before: Option<usize>, after: Option<usize>) -> bool {
    matches!((before, after), (Some(before), Some(after)) if before != after)
}

fn prompt_work(before: &Prompt, after: &Prompt) -> EmbedderWork {
    match before.template != after.template || after.max_bytes > before.max_bytes {
        true => EmbedderWork::Render,
        false => EmbedderWork::Nothing,
    }
}

fn fragments_work(before: &Fragments, after: &Fragments) -> EmbedderWork {
    match (before.is_empty(), after.is_empty()) {
        _ if before == after => EmbedderWork::Nothing,
        (false, false) => EmbedderWork::Render,
        _ => EmbedderWork::Embed,
    }
}
