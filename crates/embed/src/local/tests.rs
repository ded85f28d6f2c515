//! Tests models small enough to be generated here, against the reference implementation with the
//! same weights (`tests/fixtures/tiny_models.json`), and broken folders.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use candle_core::{DType, Device, Tensor};
use model::Cancel;
use outbound::{AddressPolicy, Client};
use serde_json::{Value, json};
use settings::{HuggingFace, Pooling};
use tempfile::TempDir;

use super::Model;
use crate::error::EmbedError;
use crate::remote::Attempts;

static NOT_CANCELLED: LazyLock<Cancel> = LazyLock::new(Cancel::default);

pub(super) static UNLIMITED: LazyLock<Attempts<'static>> = LazyLock::new(|| Attempts {
    timeout: Duration::MAX,
    max_delay: Duration::MAX,
    deadline: None,
    cancel: &NOT_CANCELLED,
    requests: None,
});

pub(super) fn fixtures() -> Value {
    serde_json::from_str(include_str!("../../tests/fixtures/tiny_models.json")).unwrap()
}

/// Returns pseudo-random values, different for each name.
pub(super) fn values(name: &str, count: usize) -> Vec<f32> {
    let fnv = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
    let mut state = name.bytes().fold(2_166_136_261, fnv);
    let is_scale = name.to_lowercase().contains("norm") && name.ends_with(".weight");
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let value = ((f64::from(state >> 8) / f64::from(1 << 24) - 0.5) * 0.4) as f32;
        if is_scale { value + 1.0 } else { value }
    };
    (0..count).map(next).collect()
}

pub(super) fn weights(shapes: &Value, prefix: &str) -> HashMap<String, Tensor> {
    let tensor = |(name, shape): (&String, &Value)| {
        let shape: Vec<usize> = serde_json::from_value(shape.clone()).unwrap();
        let values = values(name, shape.iter().product());
        (format!("{prefix}{name}"), Tensor::from_vec(values, shape, &Device::Cpu).unwrap())
    };
    shapes.as_object().unwrap().iter().map(tensor).collect()
}

/// Words `3` to `59`, between `0` and `2`.
pub(super) fn tokenizer() -> Value {
    let vocabulary: serde_json::Map<_, _> = (0..60).map(|n| (n.to_string(), json!(n))).collect();
    let special =
        |id: usize| json!({"id": id.to_string(), "ids": [id], "tokens": [id.to_string()]});
    let token = |id: &str| json!({"SpecialToken": {"id": id, "type_id": 0}});
    let text = |id: &str| json!({"Sequence": {"id": id, "type_id": 0}});
    json!({
        "version": "1.0", "truncation": null, "padding": {
            "strategy": {"Fixed": 16}, "direction": "Right", "pad_to_multiple_of": null,
            "pad_id": 1, "pad_type_id": 0, "pad_token": "1"
        },
        "added_tokens": [], "normalizer": null, "decoder": null,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [token("0"), text("A"), token("2")],
            "pair": [token("0"), text("A"), token("2"), text("B"), token("2")],
            "special_tokens": {"0": special(0), "2": special(2)}
        },
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "3"}
    })
}

pub(super) fn write(folder: &Path, name: &str, content: &Value) {
    fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
    fs::write(folder.join(name), content.to_string()).unwrap();
}

fn folder(kind: &str, prefix: &str) -> TempDir {
    let fixture = &fixtures()[kind];
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "config.json", &fixture["config"]);
    write(folder.path(), "tokenizer.json", &tokenizer());
    let weights = weights(&fixture["shapes"], prefix);
    candle_core::safetensors::save(&weights, folder.path().join("model.safetensors")).unwrap();
    folder
}

fn load(folder: &Path, pooling: Pooling) -> Result<Model, EmbedError> {
    let settings = HuggingFace {
        model: folder.to_str().unwrap().to_owned(),
        revision: None,
        pooling,
        prompt: Default::default(),
    };
    Model::load(&settings, folder.parent(), &Client::new(AddressPolicy::Any).unwrap(), &UNLIMITED)
}

fn error_of(folder: &Path) -> String {
    load(folder, Pooling::UseModel).unwrap_err().to_string()
}

/// Returns the text with these tokens.
fn text_of(tokens: &Value) -> String {
    let tokens = tokens.as_array().unwrap();
    let words: Vec<_> = tokens[1..tokens.len() - 1].iter().map(Value::to_string).collect();
    words.join(" ")
}

fn assert_near(found: &[f32], expected: &Value) {
    let expected: Vec<f32> = serde_json::from_value(expected.clone()).unwrap();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
    }
}

#[test]
fn every_architecture_gives_what_the_reference_gives() {
    for kind in ["bert", "xlm-roberta", "modernbert"] {
        let folder = folder(kind, "");
        let fixture = &fixtures()[kind]["texts"];
        let texts: Vec<_> =
            fixture.as_array().unwrap().iter().map(|text| text_of(&text["tokens"])).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for (pooling, name) in [(Pooling::ForceCls, "first"), (Pooling::ForceMean, "mean")] {
            let model = load(folder.path(), pooling).unwrap();
            assert_eq!(model.dimensions(), 32);
            for (number, vector) in model.embed(&texts, &UNLIMITED).unwrap().iter().enumerate() {
                assert_near(vector, &fixture[number][name]);
            }
        }
    }
}

#[test]
fn texts_do_not_influence_each_other() {
    let folder = folder("modernbert", "");
    let model = load(folder.path(), Pooling::UseModel).unwrap();
    let texts: Vec<String> = (0..200)
        .map(|n| {
            (0..n * 7 % 40).map(|m| (3 + n * m % 57).to_string()).collect::<Vec<_>>().join(" ")
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = model.embed(&texts, &UNLIMITED).unwrap();
    for (text, vector) in texts.iter().zip(&together) {
        let alone = &model.embed(&[text], &UNLIMITED).unwrap()[0];
        assert!(alone.iter().zip(vector).all(|(alone, vector)| (alone - vector).abs() < 1e-5));
    }
    assert_eq!(model.embed(&[], &UNLIMITED).unwrap(), Vec::<Vec<f32>>::new());
}

#[test]
fn stopped_calls_compute_nothing() {
    for kind in ["bert", "modernbert"] {
        let folder = folder(kind, "");
        let model = load(folder.path(), Pooling::UseModel).unwrap();
        let late = Attempts { deadline: Some(Instant::now()), ..*UNLIMITED };
        let error = model.embed(&["5 6 7"], &late).unwrap_err().to_string();
        assert_eq!(error, "runtime error: there was no embedding in time");

        // Stopped on the way: asked before the first layer, between layers, and at the end.
        let (stops, asked) = Cancel::at_check(3);
        let stopped = Attempts { cancel: &stops, ..*UNLIMITED };
        assert!(model.embed(&["5 6 7"], &stopped).unwrap_err().is_stopped());
        assert_eq!(asked.load(Ordering::Relaxed), 4);

        let in_time =
            Attempts { deadline: Some(Instant::now() + Duration::from_secs(60)), ..*UNLIMITED };
        assert_eq!(model.embed(&["5 6 7"], &in_time).unwrap().len(), 1);
    }
}

#[test]
fn texts_are_cut_where_the_model_ends() {
    let folder = folder("xlm-roberta", "");
    let words: Vec<String> = (0..500).map(|n| (3 + n % 57).to_string()).collect();
    let at_most = |words_kept: usize| {
        let model = load(folder.path(), Pooling::UseModel).unwrap();
        let vectors =
            model.embed(&[&words.join(" "), &words[..words_kept].join(" ")], &UNLIMITED).unwrap();
        let fewer = model.embed(&[&words[..words_kept - 1].join(" ")], &UNLIMITED).unwrap();
        assert_eq!(vectors[0], vectors[1]);
        assert_ne!(vectors[0], fewer[0]);
    };
    // 50 positions, of which the first two are not used; begin and end are tokens too.
    at_most(46);
    write(folder.path(), "tokenizer_config.json", &json!({"model_max_length": 1e30}));
    at_most(46);
    write(folder.path(), "tokenizer_config.json", &json!({"model_max_length": 20}));
    at_most(18);
    write(folder.path(), "sentence_bert_config.json", &json!({"max_seq_length": 10}));
    at_most(8);
}

#[test]
fn the_model_says_how_it_is_pooled_and_normalised() {
    let folder = folder("bert", "");
    let embed = |pooling| {
        load(folder.path(), pooling).unwrap().embed(&["5 6 7"], &UNLIMITED).unwrap().remove(0)
    };
    let length = |vector: &[f32]| vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    let (first, mean) = (embed(Pooling::ForceCls), embed(Pooling::ForceMean));
    assert_eq!(embed(Pooling::UseModel), mean);
    assert!((length(&mean) - 1.0).abs() > 0.1);

    write(folder.path(), "1_Pooling/config.json", &json!({"pooling_mode_cls_token": true}));
    assert_eq!(embed(Pooling::UseModel), first);

    let module = |path: &str, kind: &str| json!({"path": path, "type": format!("sentence_transformers.models.{kind}")});
    let modules =
        [module("", "Transformer"), module("pool", "Pooling"), module("2_Normalize", "Normalize")];
    write(folder.path(), "modules.json", &json!(modules));
    write(folder.path(), "pool/config.json", &json!({"pooling_mode": "mean"}));
    let normalised = embed(Pooling::UseModel);
    assert!((length(&normalised) - 1.0).abs() < 1e-6);
    let scale = length(&mean);
    for (value, mean) in normalised.iter().zip(&mean) {
        assert!((value - mean / scale).abs() < 1e-6);
    }

    write(folder.path(), "modules.json", &json!([module("2_Dense", "Dense")]));
    assert_eq!(
        error_of(folder.path()).lines().last().unwrap(),
        "  - in `modules.json`: only Transformer, Pooling and Normalize modules are supported"
    );
}

#[test]
fn weights_may_be_a_part_of_a_larger_model_and_in_several_files() {
    let folder = folder("xlm-roberta", "roberta.");
    let expected =
        load(folder.path(), Pooling::UseModel).unwrap().embed(&["5 6 7"], &UNLIMITED).unwrap();

    let fixture = &fixtures()["xlm-roberta"];
    let mut first = weights(&fixture["shapes"], "");
    let second: HashMap<_, _> = first.extract_if(|name, _| name.contains("layer.1")).collect();
    let names = |tensors: &HashMap<String, Tensor>, file: &str| -> Vec<(String, Value)> {
        tensors.keys().map(|name| (name.clone(), json!(file))).collect()
    };
    let map: serde_json::Map<_, _> =
        names(&first, "a.safetensors").into_iter().chain(names(&second, "b.safetensors")).collect();
    candle_core::safetensors::save(&first, folder.path().join("a.safetensors")).unwrap();
    candle_core::safetensors::save(&second, folder.path().join("b.safetensors")).unwrap();
    fs::remove_file(folder.path().join("model.safetensors")).unwrap();
    write(folder.path(), "model.safetensors.index.json", &json!({"weight_map": map}));
    let model = load(folder.path(), Pooling::UseModel).unwrap();
    assert_eq!(model.embed(&["5 6 7"], &UNLIMITED).unwrap(), expected);

    write(folder.path(), "model.safetensors.index.json", &json!({"weight_map": {"a": "../a"}}));
    assert!(error_of(folder.path()).contains("`weight_map` names something that is no file"));
}

#[test]
fn a_model_is_shared_while_its_files_stay_the_same() {
    let folder = folder("bert", "");
    let first = load(folder.path(), Pooling::ForceCls).unwrap();
    let second = load(folder.path(), Pooling::ForceMean).unwrap();
    assert!(Arc::ptr_eq(&first.encoder, &second.encoder));
    let mut weights = weights(&fixtures()["bert"]["shapes"], "");
    weights.insert("one.more".to_owned(), Tensor::zeros(1, DType::F32, &Device::Cpu).unwrap());
    candle_core::safetensors::save(&weights, folder.path().join("model.safetensors")).unwrap();
    let third = load(folder.path(), Pooling::ForceCls).unwrap();
    assert!(!Arc::ptr_eq(&first.encoder, &third.encoder));
}

#[test]
fn errors_name_the_model_and_the_file() {
    let folder = folder("bert", "");
    let path = folder.path();
    let start = format!("user error: could not load model `{}`:\n  - ", path.to_str().unwrap());
    let weights = fs::read(path.join("model.safetensors")).unwrap();
    let check = |expected: &str| {
        let error = error_of(path);
        let told = error.strip_prefix(&start).unwrap_or_else(|| panic!("{error}"));
        assert!(told.starts_with(expected), "{told}");
    };
    fs::write(path.join("model.safetensors"), &weights[..weights.len() - 1]).unwrap();
    check("in `model.safetensors`: ");
    fs::write(path.join("model.safetensors"), b"").unwrap();
    check("in `model.safetensors`: ");
    let empty: HashMap<String, Tensor> = HashMap::new();
    candle_core::safetensors::save(&empty, path.join("model.safetensors")).unwrap();
    check("in `model.safetensors`: there is no tensor `embeddings.word_embeddings.weight`");
    fs::remove_file(path.join("model.safetensors")).unwrap();
    check("there is neither `model.safetensors` nor `pytorch_model.bin`");
    fs::write(path.join("model.safetensors"), &weights).unwrap();

    let mut config = fixtures()["bert"]["config"].clone();
    config["intermediate_size"] = json!(47);
    write(path, "config.json", &config);
    check(
        "in `model.safetensors`: tensor `encoder.layer.0.intermediate.dense.weight` has shape [48, 32] where [47, 32] was expected",
    );
    config["model_type"] = json!("t5");
    write(path, "config.json", &config);
    check("in `config.json`: unsupported `model_type`, expected `bert`");
    fs::write(path.join("tokenizer.json"), b"{}").unwrap();
    write(path, "config.json", &fixtures()["bert"]["config"]);
    check("in `tokenizer.json`: ");
    fs::remove_file(path.join("tokenizer.json")).unwrap();
    check("there is no `tokenizer.json`");
    fs::remove_file(path.join("config.json")).unwrap();
    check("there is no `config.json`");
}

#[test]
fn tokenizer_larger_than_the_model_is_an_error() {
    let folder = folder("bert", "");
    let mut tokenizer = tokenizer();
    tokenizer["model"]["vocab"]["many"] = json!(1000);
    write(folder.path(), "tokenizer.json", &tokenizer);
    let model = load(folder.path(), Pooling::UseModel).unwrap();
    let error = model.embed(&["5", "many"], &UNLIMITED).unwrap_err().to_string();
    assert!(error.contains("cannot embed a text"), "{error}");
    assert!(model.embed(&["5"], &UNLIMITED).is_ok());
}

#[test]
fn folders_outside_of_the_root_are_refused_like_missing_ones() {
    let models = tempfile::tempdir().unwrap();
    let outside = folder("bert", "");
    let outside = outside.path().to_str().unwrap();
    let refused = |root: Option<&Path>, model: &str| {
        let settings = HuggingFace {
            model: model.to_owned(),
            revision: None,
            pooling: Pooling::UseModel,
            prompt: Default::default(),
        };
        let client = Client::new(AddressPolicy::Any).unwrap();
        let error = Model::load(&settings, root, &client, &UNLIMITED).unwrap_err().to_string();
        error.replace(model, "<model>")
    };
    let missing = refused(Some(models.path()), "/no/such/folder");
    assert!(
        missing.ends_with(
            "it is neither the name of a model at the hub nor a folder below the one that \
             `--embedder-models-path` names"
        ),
        "{missing}"
    );
    assert_eq!(refused(Some(models.path()), outside), missing);
    assert_eq!(refused(None, outside), missing);
    assert_eq!(refused(None, "../.ssh"), missing);
}

#[cfg(unix)]
#[test]
fn files_that_are_links_out_of_the_root_are_refused() {
    let secret = tempfile::NamedTempFile::new().unwrap();
    let folder = folder("bert", "");
    let models = tempfile::tempdir().unwrap();
    let model = models.path().join("model");
    fs::create_dir(&model).unwrap();
    for name in ["tokenizer.json", "model.safetensors"] {
        fs::copy(folder.path().join(name), model.join(name)).unwrap();
    }
    std::os::unix::fs::symlink(secret.path(), model.join("config.json")).unwrap();
    let error = load(&model, Pooling::UseModel).unwrap_err().to_string();
    assert!(error.contains("in `config.json`: it is outside of"), "{error}");
}
