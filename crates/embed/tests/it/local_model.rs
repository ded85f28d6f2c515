//! Compares a real local model with sentence-transformers (`fixtures/minilm.json`).

mod real_model;

use std::time::{Duration, Instant};

use embed::{EmbedCallbacks, Embedder, Input, Options, QueryInput, Requests};
use model::Cancel;
use outbound::{AddressPolicy, Client};
use serde::Deserialize;
use settings::{HuggingFace, Pooling, Source};

#[derive(Deserialize)]
struct Expected {
    text: String,
    vector: Vec<f32>,
}

fn assert_near(found: &[f32], known: &Expected) {
    assert_eq!(found.len(), known.vector.len());
    for (found, expected) in found.iter().zip(&known.vector) {
        assert!((found - expected).abs() < 1e-4, "{found} is not {expected} of {:?}", known.text);
    }
}

#[test]
fn a_real_model_gives_what_the_reference_gives() {
    let Some(folder) = real_model::folder() else { return };
    let source = Source::HuggingFace(HuggingFace {
        model: folder.to_str().unwrap().to_owned(),
        revision: None,
        pooling: Pooling::UseModel,
        prompt: Default::default(),
    });
    let settings = settings::Embedder { source, distribution: None, binary_quantized: false };
    let client = Client::new(AddressPolicy::Any).unwrap();
    let options = Options { models: folder.parent().map(Into::into), ..Options::default() };
    let embedder = Embedder::new("real", &settings, &client, None, &options).unwrap();
    assert_eq!(embedder.dimensions(), 384);

    let known: Vec<Expected> =
        serde_json::from_str(include_str!("../fixtures/minilm.json")).unwrap();
    let inputs: Vec<_> = known.iter().map(|known| Input::Text(known.text.clone())).collect();
    let requests = Requests::default();
    let callbacks =
        EmbedCallbacks { on_progress: &|_| (), cancel: &Cancel::default(), requests: &requests };
    let found = embedder.embed_documents(&inputs, &callbacks).unwrap();
    for (found, known) in found.iter().zip(&known) {
        assert_near(found, known);
    }
    let query = QueryInput { q: Some(&known[1].text), media: None };
    let found = embedder.embed_query(query, Instant::now() + Duration::from_secs(60)).unwrap();
    assert_near(&found, &known[1]);
}
