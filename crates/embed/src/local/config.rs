//! Parses `config.json`: the model's architecture and sizes. Sizes that would divide by zero or
//! point outside of a table are rejected here, so that no other code must check.

use serde::Deserialize;
use serde_json::error::Category;

use super::encoder::{Activation, Architecture, BertShape, ModernBertShape};

#[derive(Deserialize)]
struct Config {
    model_type: String,
    vocab_size: usize,
    hidden_size: usize,
    intermediate_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    max_position_embeddings: usize,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default = "gelu")]
    hidden_activation: String,
    position_embedding_type: Option<String>,
    #[serde(default = "one")]
    type_vocab_size: usize,
    pad_token_id: Option<usize>,
    layer_norm_eps: Option<f64>,
    norm_eps: Option<f64>,
    /// The type of each layer, in newer files.
    layer_types: Option<Vec<String>>,
    #[serde(default = "three")]
    global_attn_every_n_layers: usize,
    #[serde(default)]
    norm_bias: bool,
    #[serde(default)]
    attention_bias: bool,
    #[serde(default)]
    mlp_bias: bool,
    #[serde(default = "window")]
    local_attention: usize,
    global_rope_theta: Option<f64>,
    local_rope_theta: Option<f64>,
    rope_parameters: Option<RopeParameters>,
}

/// Newer files have the thetas here.
#[derive(Deserialize)]
struct RopeParameters {
    full_attention: Rope,
    sliding_attention: Rope,
}

#[derive(Deserialize)]
struct Rope {
    rope_theta: f64,
}

fn gelu() -> String {
    "gelu".to_owned()
}

fn one() -> usize {
    1
}

fn three() -> usize {
    3
}

fn window() -> usize {
    128
}

pub(super) fn parse(json: &[u8]) -> Result<Architecture, String> {
    let config: Config = serde_json::from_slice(json).map_err(|error| unreadable(&error))?;
    config.check()?;
    match config.model_type.as_str() {
        "bert" => config.bert(0),
        // Their first positions are reserved for padding.
        "roberta" | "xlm-roberta" | "camembert" => {
            let padding = config.pad_token_id.unwrap_or(1);
            config.bert(padding.saturating_add(1))
        }
        "modernbert" => config.modern_bert(),
        _ => Err("unsupported `model_type`, expected `bert`, `roberta`, `camembert`, \
                  `xlm-roberta` or `modernbert`"
            .to_owned()),
    }
}

/// Describes a JSON error without any values of the file: users who set up the embedder need not be
/// allowed to read it.
pub(super) fn unreadable(error: &serde_json::Error) -> String {
    let place = format!("line {} column {}", error.line(), error.column());
    let text = error.to_string();
    match error.classify() {
        Category::Data if text.starts_with("missing field") => text,
        Category::Data => format!("a value is not of the expected type at {place}"),
        _ => format!("it is not JSON at {place}"),
    }
}

impl Config {
    fn check(&self) -> Result<(), String> {
        let sizes = [
            ("vocab_size", self.vocab_size),
            ("hidden_size", self.hidden_size),
            ("intermediate_size", self.intermediate_size),
            ("num_hidden_layers", self.num_hidden_layers),
            ("num_attention_heads", self.num_attention_heads),
            ("max_position_embeddings", self.max_position_embeddings),
            ("type_vocab_size", self.type_vocab_size),
            ("global_attn_every_n_layers", self.global_attn_every_n_layers),
        ];
        for (name, size) in sizes {
            if size == 0 || size > u32::MAX as usize {
                return Err(format!("`{name}` is not a size that a model can have"));
            }
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            return Err("`hidden_size` is no multiple of `num_attention_heads`".to_owned());
        }
        match self.position_embedding_type.as_deref() {
            None | Some("absolute" | "rope") => Ok(()),
            Some(_) => Err("unsupported `position_embedding_type`".to_owned()),
        }
    }

    fn bert(&self, first_position: usize) -> Result<Architecture, String> {
        if first_position >= self.max_position_embeddings {
            return Err("`pad_token_id` leaves nothing of `max_position_embeddings`".to_owned());
        }
        Ok(Architecture::Bert(BertShape {
            vocabulary: self.vocab_size,
            width: self.hidden_size,
            inner_width: self.intermediate_size,
            layers: self.num_hidden_layers,
            heads: self.num_attention_heads,
            positions: self.max_position_embeddings,
            first_position,
            token_types: self.type_vocab_size,
            activation: match self.hidden_act.as_str() {
                "gelu" => Activation::Gelu,
                "relu" => Activation::Relu,
                _ => return Err("unsupported `hidden_act`".to_owned()),
            },
            epsilon: self.layer_norm_eps.unwrap_or(1e-12),
        }))
    }

    fn modern_bert(&self) -> Result<Architecture, String> {
        if self.hidden_activation != "gelu" {
            return Err("unsupported `hidden_activation`".to_owned());
        }
        if !(self.hidden_size / self.num_attention_heads).is_multiple_of(2) {
            return Err("the width of an attention head is not even".to_owned());
        }
        if self.norm_bias || self.attention_bias || self.mlp_bias {
            return Err("unsupported biases".to_owned());
        }
        let rope = self.rope_parameters.as_ref();
        let global_theta = rope.map(|rope| rope.full_attention.rope_theta);
        let local_theta = rope.map(|rope| rope.sliding_attention.rope_theta);
        Ok(Architecture::ModernBert(ModernBertShape {
            vocabulary: self.vocab_size,
            width: self.hidden_size,
            inner_width: self.intermediate_size,
            heads: self.num_attention_heads,
            positions: self.max_position_embeddings,
            is_local: self.local_layers()?,
            local_window: self.local_attention,
            global_theta: global_theta.or(self.global_rope_theta).unwrap_or(160_000.0),
            local_theta: local_theta.or(self.local_rope_theta).unwrap_or(10_000.0),
            epsilon: self.norm_eps.or(self.layer_norm_eps).unwrap_or(1e-5),
        }))
    }

    fn local_layers(&self) -> Result<Vec<bool>, String> {
        let Some(types) = &self.layer_types else {
            let every = self.global_attn_every_n_layers;
            return Ok((0..self.num_hidden_layers).map(|layer| layer % every != 0).collect());
        };
        if types.len() != self.num_hidden_layers {
            return Err("`layer_types` does not say what each layer is".to_owned());
        }
        let is_local = types.iter().map(|name| match name.as_str() {
            "full_attention" => Ok(false),
            "sliding_attention" => Ok(true),
            _ => Err("unsupported item of `layer_types`".to_owned()),
        });
        is_local.collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parse_with(changes: Value) -> Result<Architecture, String> {
        let mut config = json!({
            "model_type": "bert", "vocab_size": 100, "hidden_size": 32, "intermediate_size": 64,
            "num_hidden_layers": 2, "num_attention_heads": 4, "max_position_embeddings": 66,
            "type_vocab_size": 2, "hidden_act": "gelu", "layer_norm_eps": 1e-12, "pad_token_id": 1
        });
        for (name, value) in changes.as_object().unwrap() {
            config[name] = value.clone();
        }
        parse(config.to_string().as_bytes())
    }

    #[test]
    fn roberta_counts_from_behind_the_padding() {
        assert_eq!(parse_with(json!({})).unwrap().max_tokens(), 66);
        let roberta = parse_with(json!({"model_type": "xlm-roberta"})).unwrap();
        assert_eq!((roberta.max_tokens(), roberta.width()), (64, 32));
    }

    #[test]
    fn unsupported_or_impossible_configs_are_named() {
        let cases = [
            (json!({"model_type": "t5"}), "unsupported `model_type`, expected `bert`"),
            (json!({"hidden_act": "silu"}), "unsupported `hidden_act`"),
            (json!({"position_embedding_type": "relative_key"}), "`position_embedding_type`"),
            (json!({"num_attention_heads": 0}), "`num_attention_heads` is not a size"),
            (json!({"num_attention_heads": 5}), "no multiple"),
            (json!({"model_type": "roberta", "pad_token_id": 65}), "`pad_token_id`"),
            (json!({"model_type": "modernbert", "num_attention_heads": 32}), "not even"),
            (json!({"model_type": "modernbert", "norm_bias": true}), "biases"),
            (json!({"model_type": "modernbert", "layer_types": ["full_attention"]}), "each layer"),
            (json!({"hidden_size": "wide"}), "a value is not of the expected type at line 1"),
        ];
        for (changes, expected) in cases {
            let error = parse_with(changes).unwrap_err();
            assert!(error.contains(expected), "{error}");
            for value in ["t5", "silu", "relative_key", "wide"] {
                assert!(!error.contains(value), "{error}");
            }
        }
    }

    #[test]
    fn which_layers_are_local_is_read_from_both_places() {
        let local = |changes: Value| match parse_with(changes).unwrap() {
            Architecture::ModernBert(shape) => shape.is_local,
            Architecture::Bert(_) => Vec::new(),
        };
        let every = json!({"model_type": "modernbert", "num_hidden_layers": 4});
        assert_eq!(local(every), [false, true, true, false]);
        let types = json!({"model_type": "modernbert",
            "layer_types": ["sliding_attention", "full_attention"]});
        assert_eq!(local(types), [true, false]);
    }

    #[test]
    fn thetas_are_read_from_both_places() {
        let theta = |changes: Value| match parse_with(changes).unwrap() {
            Architecture::ModernBert(shape) => (shape.global_theta, shape.local_theta),
            Architecture::Bert(_) => (0.0, 0.0),
        };
        let old =
            json!({"model_type": "modernbert", "global_rope_theta": 5.0, "local_rope_theta": 6.0});
        assert_eq!(theta(old), (5.0, 6.0));
        let new = json!({"model_type": "modernbert", "rope_parameters": {
            "full_attention": {"rope_theta": 7.0}, "sliding_attention": {"rope_theta": 8.0}}});
        assert_eq!(theta(new), (7.0, 8.0));
    }
}
