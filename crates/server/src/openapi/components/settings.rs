//! Schemas of the settings of an index. All of them follow from the table of settings, except those
//! of an embedder and a reranker, whose members depend on the source.

use settings::{Absence, FILTERABLE_RULE, Setting, Shape};

use super::{Named, Schema};
use crate::schema::{
    Member, always, any_of, anything, boolean, described, integer, list, map, maybe, named, number,
    object, object_and_more, one_of, text,
};

/// Returns the schema of the value of a setting.
pub fn of(setting: &Setting) -> Schema {
    let schema = of_shape(&setting.shape);
    if setting.takes_null() { schema.or_null() } else { schema }
}

/// Returns the schema of the body that changes a setting: null resets it.
pub fn change_of(setting: &Setting) -> Schema {
    described(of_shape(&setting.shape).or_null(), setting.help)
}

pub fn all() -> Vec<Named> {
    let member = |setting: &'static Setting| maybe(setting.name, of(setting), setting.help);
    let changed = |setting: &'static Setting| maybe(setting.name, change_of(setting), setting.help);
    vec![
        ("Settings", object(Setting::ALL.iter().map(member))),
        ("SettingsChange", object(Setting::ALL.iter().map(changed))),
        ("FilterableRule", of_shape(&FILTERABLE_RULE)),
        ("Embedder", embedder()),
        ("Reranker", reranker()),
    ]
}

fn of_shape(shape: &Shape) -> Schema {
    match *shape {
        Shape::Anything => anything(),
        Shape::Text => text(),
        Shape::Flag => boolean(),
        Shape::Integer | Shape::Positive => integer(),
        Shape::Byte => integer().between(0, 255),
        Shape::Number => number(),
        Shape::NumberBetween(least, most) => number().between(least, most),
        Shape::Word(words) => one_of(words),
        Shape::Set => list(text()),
        Shape::List(item) => list(of_shape(item)),
        Shape::Dictionary(member) => map(of_shape(member)),
        Shape::Object(members) => object(of_members(members)),
        Shape::OpenObject(members) => object_and_more(of_members(members)),
        Shape::OrNull(shape) => of_shape(shape).or_null(),
        Shape::Either(one, other) => any_of([of_shape(one), of_shape(other)]),
        Shape::Component(name, _) => named(name),
        Shape::Checked(shape, _) => of_shape(shape),
    }
}

/// Returns the members of an object, required ones first.
fn of_members(members: &[settings::Member]) -> Vec<Member> {
    let mut members: Vec<Member> = members.iter().map(of_member).collect();
    members.sort_by_key(|member| !member.is_required);
    members
}

fn of_member(member: &settings::Member) -> Member {
    let schema = of_shape(&member.shape);
    match member.absence {
        Absence::Required => always(member.name, schema, member.help),
        Absence::Optional => maybe(member.name, schema, member.help),
        Absence::Reset => maybe(member.name, schema.or_null(), member.help),
        Absence::Default(default) => {
            let value = default();
            let is_simple = !value.is_array() && !value.is_object();
            let schema = if is_simple { schema.default(value) } else { schema };
            maybe(member.name, schema, member.help)
        }
    }
}

/// The schema of an embedder. Its members depend on the source, see /docs/vectors.
fn embedder() -> Schema {
    let sources = ["openAi", "huggingFace", "ollama", "userProvided", "rest", "composite"];
    let distribution = object_and_more([
        maybe("mean", number(), "Mean of the similarities."),
        maybe("sigma", number(), "Standard deviation of the similarities."),
    ]);
    object_and_more([
        maybe("source", one_of(&sources).or_null(), ""),
        maybe("model", text().or_null(), ""),
        maybe("revision", text().or_null(), ""),
        maybe("pooling", one_of(&["useModel", "forceCls", "forceMean"]).or_null(), ""),
        maybe("apiKey", text().or_null(), "API key of the provider; returned redacted."),
        maybe("dimensions", integer().or_null(), ""),
        maybe("binaryQuantized", boolean().or_null(), "Stores 1 bit per value. Cannot be undone."),
        maybe("documentTemplate", text().or_null(), "Template in Liquid."),
        maybe("documentTemplateMaxBytes", integer().or_null(), ""),
        maybe("url", text().or_null(), ""),
        maybe("request", anything(), ""),
        maybe("response", anything(), ""),
        maybe("headers", map(text()).or_null(), ""),
        maybe("distribution", distribution.or_null(), ""),
        maybe("indexingFragments", map(anything()).or_null(), "Needs the feature `multimodal`."),
        maybe("searchFragments", map(anything()).or_null(), "Needs the feature `multimodal`."),
        maybe("searchEmbedder", named("Embedder").or_null(), "Only for composite embedders."),
        maybe("indexingEmbedder", named("Embedder").or_null(), "Only for composite embedders."),
    ])
}

/// The schema of a reranker. Its members depend on the source, see /docs/reranking.
fn reranker() -> Schema {
    let sources = ["rest", "cohere", "jina", "voyage", "huggingFace"];
    object([
        maybe("source", one_of(&sources).or_null(), ""),
        maybe("model", text().or_null(), ""),
        maybe("revision", text().or_null(), ""),
        maybe("apiKey", text().or_null(), "API key of the provider; returned redacted."),
        maybe("url", text().or_null(), ""),
        maybe("headers", map(text()).or_null(), ""),
        maybe("request", anything(), ""),
        maybe("response", anything(), ""),
        maybe("documentTemplate", text().or_null(), "Template in Liquid."),
        maybe("documentTemplateMaxBytes", integer().between(1, 65_536).or_null(), ""),
        maybe("timeoutMs", integer().between(1, 30_000).or_null(), ""),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_its_form() {
        for setting in Setting::ALL {
            assert_ne!(setting.help, "", "{}", setting.name);
            assert_ne!(of(setting).into_value(), anything().into_value(), "{}", setting.name);
        }
    }
}
