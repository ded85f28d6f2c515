//! Tests cross-encoders small enough to be generated here. The encoder is compared with the same
//! encoder used as an embedder, which is known to be right; the head is recomputed by hand.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use candle_core::{Device, Tensor};
use model::Cancel;
use outbound::{AddressPolicy, Client};
use serde_json::{Value, json};
use settings::{HuggingFace, Pooling, RerankerSource};
use tempfile::TempDir;

use super::tests::{UNLIMITED, fixtures, tokenizer, values, weights, write};
use super::{CrossEncoder, Model};
use crate::options::Options;
use crate::rerank::{RerankError, RerankLimits, Reranker};

const WIDTH: usize = 32;

/// Returns, for each architecture, the encoder's prefix in the file, its class, and the head's
/// tensors.
fn head(kind: &str) -> (&'static str, &'static str, Vec<(&'static str, Vec<usize>)>) {
    let square = vec![WIDTH, WIDTH];
    match kind {
        "bert" => (
            "bert.",
            "BertForSequenceClassification",
            vec![
                ("bert.pooler.dense.weight", square),
                ("bert.pooler.dense.bias", vec![WIDTH]),
                ("classifier.weight", vec![1, WIDTH]),
                ("classifier.bias", vec![1]),
            ],
        ),
        "xlm-roberta" => (
            "roberta.",
            "XLMRobertaForSequenceClassification",
            vec![
                ("classifier.dense.weight", square),
                ("classifier.dense.bias", vec![WIDTH]),
                ("classifier.out_proj.weight", vec![1, WIDTH]),
                ("classifier.out_proj.bias", vec![1]),
            ],
        ),
        _ => (
            "model.",
            "ModernBertForSequenceClassification",
            vec![
                ("head.dense.weight", square),
                ("head.norm.weight", vec![WIDTH]),
                ("classifier.weight", vec![1, WIDTH]),
                ("classifier.bias", vec![1]),
            ],
        ),
    }
}

fn tensor(values: Vec<f32>, shape: &[usize]) -> Tensor {
    Tensor::from_vec(values, shape, &Device::Cpu).unwrap()
}

fn all_weights(kind: &str) -> HashMap<String, Tensor> {
    let (prefix, _, tensors) = head(kind);
    let mut all = weights(&fixtures()[kind]["shapes"], prefix);
    for (name, shape) in tensors {
        all.insert(name.to_owned(), tensor(values(name, shape.iter().product()), &shape));
    }
    all
}

/// A folder with a cross-encoder of this kind, with changes to its configuration.
fn folder(kind: &str, changes: &Value, weights: &HashMap<String, Tensor>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut config = fixtures()[kind]["config"].clone();
    config["architectures"] = json!([head(kind).1]);
    for (name, value) in changes.as_object().unwrap() {
        config[name] = value.clone();
    }
    write(folder.path(), "config.json", &config);
    write(folder.path(), "tokenizer.json", &tokenizer());
    candle_core::safetensors::save(weights, folder.path().join("model.safetensors")).unwrap();
    folder
}

fn load(folder: &Path) -> Result<CrossEncoder, String> {
    let client = Client::new(AddressPolicy::Any).unwrap();
    let model =
        CrossEncoder::load(folder.to_str().unwrap(), None, folder.parent(), &client, &UNLIMITED);
    model.map_err(|error| error.to_string())
}

fn scores(model: &CrossEncoder, query: &str, texts: &[&str]) -> Vec<f64> {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    model.scores(query, &texts, &Cancel::default()).unwrap().unwrap()
}

/// Returns the encoder's pooled row for a text.
fn pooled(folder: &Path, pooling: Pooling, text: &str) -> Vec<f64> {
    let settings = HuggingFace {
        model: folder.to_str().unwrap().to_owned(),
        revision: None,
        pooling,
        prompt: Default::default(),
    };
    let client = Client::new(AddressPolicy::Any).unwrap();
    let model = Model::load(&settings, folder.parent(), &client, &UNLIMITED).unwrap();
    let rows = model.embed(&[text], &UNLIMITED).unwrap();
    rows[0].iter().copied().map(f64::from).collect()
}

/// Computes a dense layer.
fn dense(row: &[f64], weight: &str, bias: Option<&str>, outputs: usize) -> Vec<f64> {
    let weights = values(weight, outputs * row.len());
    let biases = bias.map_or_else(|| vec![0.0; outputs], |name| values(name, outputs));
    let output = |(weights, bias): (&[f32], &f32)| {
        row.iter().zip(weights).map(|(x, w)| x * f64::from(*w)).sum::<f64>() + f64::from(*bias)
    };
    weights.chunks(row.len()).zip(&biases).map(output).collect()
}

fn sigmoid(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

#[test]
fn scores_are_those_of_the_head_over_the_rows_of_the_pair() {
    for kind in ["bert", "xlm-roberta"] {
        let folder = folder(kind, &json!({}), &all_weights(kind));
        let model = load(folder.path()).unwrap();
        // `2` separates the two texts of a pair.
        let row = pooled(folder.path(), Pooling::ForceCls, "5 6 2 7 8 9");
        let tensors = head(kind).2;
        let name = |place: usize| tensors[place].0;
        let inner: Vec<f64> =
            dense(&row, name(0), Some(name(1)), WIDTH).into_iter().map(f64::tanh).collect();
        let expected = sigmoid(dense(&inner, name(2), Some(name(3)), 1)[0]);
        let found = scores(&model, "5 6", &["3 4", "7 8 9"]);
        assert!((found[1] - expected).abs() < 1e-5, "{kind}: {found:?} is not {expected}");
        assert!(found.iter().all(|score| (0.0..=1.0).contains(score)));
        assert_ne!(found[0], found[1]);
        assert_eq!(scores(&model, "5 6", &["3 4", "7 8 9"]), found);
        assert!(scores(&model, "5 6", &[]).is_empty());
    }
}

#[test]
fn modern_bert_pools_as_its_configuration_says() {
    let all = all_weights("modernbert");
    let score = |pooling: &str| {
        let folder = folder("modernbert", &json!({"classifier_pooling": pooling}), &all);
        let found = scores(&load(folder.path()).unwrap(), "5 6", &["7 8 9"])[0];
        let of_embedder = if pooling == "mean" { Pooling::ForceMean } else { Pooling::ForceCls };
        let row = pooled(folder.path(), of_embedder, "5 6 2 7 8 9");
        let gelu = |x: f64| 0.5 * x * (1.0 + erf(x / 2_f64.sqrt()));
        let inner: Vec<f64> =
            dense(&row, "head.dense.weight", None, WIDTH).into_iter().map(gelu).collect();
        let mean = inner.iter().sum::<f64>() / WIDTH as f64;
        let variance = inner.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / WIDTH as f64;
        let scale = values("head.norm.weight", WIDTH);
        let normal =
            |(x, scale): (&f64, &f32)| (x - mean) / (variance + 1e-5).sqrt() * f64::from(*scale);
        let inner: Vec<f64> = inner.iter().zip(&scale).map(normal).collect();
        let logit = dense(&inner, "classifier.weight", Some("classifier.bias"), 1)[0];
        let expected = sigmoid(logit);
        assert!((found - expected).abs() < 1e-4, "{pooling}: {found} is not {expected}");
        found
    };
    assert_ne!(score("cls"), score("mean"));
}

/// Computes `erf` by its series, for small numbers.
fn erf(x: f64) -> f64 {
    let mut term = x;
    let mut sum = x;
    for n in 1..60 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

#[test]
fn the_texts_of_a_pair_are_told_apart_by_their_types() {
    let mut all = all_weights("bert");
    let plain = folder("bert", &json!({}), &all);
    let by_type = |folder: &TempDir| {
        let mut tokenizer = tokenizer();
        for place in [3, 4] {
            let member = tokenizer["post_processor"]["pair"][place].as_object_mut().unwrap();
            for (_, value) in member {
                value["type_id"] = json!(1);
            }
        }
        write(folder.path(), "tokenizer.json", &tokenizer);
        scores(&load(folder.path()).unwrap(), "5 6", &["7 8"])[0]
    };
    let without_types = scores(&load(plain.path()).unwrap(), "5 6", &["7 8"])[0];
    assert_ne!(by_type(&plain), without_types);
    // Where both types are the same they make no difference.
    let name = "bert.embeddings.token_type_embeddings.weight";
    let first = all[name].narrow(0, 0, 1).unwrap();
    all.insert(name.to_owned(), Tensor::cat(&[&first, &first], 0).unwrap());
    let same = by_type(&folder("bert", &json!({}), &all));
    assert!((same - without_types).abs() < 1e-6, "{same} is not {without_types}");
}

/// Tests a model whose attention weighs all tokens alike and whose head reads one number of each
/// token: high for the word 7, low for the word 8.
#[test]
fn a_model_made_by_hand_orders_as_expected() {
    let mut all = all_weights("bert");
    for (name, weight) in &mut all {
        let shape = weight.dims().to_vec();
        let count = shape.iter().product();
        let is_scale = name.contains("LayerNorm.weight");
        let mut made = vec![if is_scale { 1.0 } else { 0.0 }; count];
        let is_identity =
            ["self.value.weight", "attention.output.dense.weight", "pooler.dense.weight"];
        if is_identity.iter().any(|part| name.ends_with(part)) {
            (0..WIDTH).for_each(|place| made[place * WIDTH + place] = 1.0);
        }
        if name.ends_with("word_embeddings.weight") {
            for (word, value) in [(7, 1.0), (8, -1.0)] {
                made[word * WIDTH] = value;
                made[word * WIDTH + 1] = -value;
            }
        }
        if name == "classifier.weight" {
            made[0] = 4.0;
        }
        *weight = tensor(made, &shape);
    }
    // Normalised rows keep their length, more or less.
    let folder = folder("bert", &json!({"layer_norm_eps": 1.0}), &all);
    let found = scores(&load(folder.path()).unwrap(), "5", &["8 8 8", "7 7 7", "9 9 9", "7 7 8"]);
    assert!(found[1] > found[3] && found[3] > found[2] && found[2] > found[0], "{found:?}");
    assert!((found[2] - 0.5).abs() < 1e-3, "{found:?}");
}

#[test]
fn the_document_is_cut_where_the_model_ends() {
    let folder = folder("xlm-roberta", &json!({}), &all_weights("xlm-roberta"));
    let model = load(folder.path()).unwrap();
    let words: Vec<String> = (0..300).map(|n| (3 + n % 57).to_string()).collect();
    // 48 positions, of which three are special tokens and two the query.
    let found =
        scores(&model, "5 6", &[&words.join(" "), &words[..43].join(" "), &words[..42].join(" ")]);
    assert_eq!(found[0], found[1]);
    assert_ne!(found[0], found[2]);
    // A query that is too long leaves some of the document.
    let found = scores(&model, &words.join(" "), &["3 4", "4 3"]);
    assert_ne!(found[0], found[1]);
}

#[test]
fn stopped_calls_compute_nothing() {
    let folder = folder("bert", &json!({}), &all_weights("bert"));
    let model = load(folder.path()).unwrap();
    assert_eq!(
        model.scores("5", &["6".to_owned()], &Cancel::default().or_when(|| true)).unwrap(),
        None
    );
}

#[test]
fn local_reranker_calls_no_provider() {
    let folder = folder("bert", &json!({}), &all_weights("bert"));
    let models = folder.path().parent().map(Path::to_owned);
    let options = Options { models, ..Options::default() };
    let model = folder.path().to_str().unwrap().to_owned();
    let settings = settings::Reranker {
        source: RerankerSource::HuggingFace { model, revision: None },
        prompt: Default::default(),
        timeout: None,
    };
    let client = Client::new(AddressPolicy::Any).unwrap();
    let reranker = Reranker::new(&settings, &client, &options, &Cancel::default()).unwrap();
    assert!(!reranker.asks_a_provider());
    let texts = ["3 4".to_owned(), "7 8 9".to_owned()];
    let cancel = &Cancel::default();
    let wait = |seconds: u64| {
        let deadline = Instant::now() + Duration::from_secs(seconds);
        RerankLimits { deadline, cancel }
    };
    let expected = scores(&load(folder.path()).unwrap(), "5 6", &["3 4", "7 8 9"]);
    assert_eq!(reranker.scores("5 6", &texts, wait(60)).unwrap(), expected);
    assert_eq!(reranker.scores("5 6", &texts, wait(0)).unwrap_err(), RerankError::Late);
}

#[test]
fn models_for_something_else_are_refused() {
    let all = all_weights("bert");
    let check = |changes: Value, weights: &HashMap<String, Tensor>, expected: &str| {
        let folder = folder("bert", &changes, weights);
        let error = load(folder.path()).unwrap_err();
        assert!(error.contains(expected), "{error}");
    };
    let embedder = json!({"architectures": ["BertModel"]});
    check(embedder, &all, "in `config.json`: `architectures` names no model for sequence");
    check(json!({"classifier_pooling": "max"}), &all, "unsupported `classifier_pooling`");
    let mut several = all.clone();
    several.insert("classifier.weight".to_owned(), tensor(vec![0.0; 3 * WIDTH], &[3, WIDTH]));
    check(json!({}), &several, "`classifier.weight` has shape [3, 32] where [1, 32] was expected");
    let mut headless = all.clone();
    headless.remove("bert.pooler.dense.weight");
    check(json!({}), &headless, "there is no tensor `bert.pooler.dense.weight`");
}
