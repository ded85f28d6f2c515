//! The module `settings/table.js` of the dashboard, made from the tables of settings and of ranking
//! rules, so that the dashboard shows a new one without a change.

use std::sync::LazyLock;

use serde_json::{Value, json};
use settings::{RankingRule, Setting, Shape};

pub static MODULE: LazyLock<String> = LazyLock::new(|| {
    let settings: Value = Setting::ALL.iter().map(setting).collect();
    let rules = RankingRule::NAMED.iter();
    let rules: Value =
        rules.map(|(rule, title)| json!({"name": rule.name(), "title": title})).collect();
    format!("export const SETTINGS = {settings};\nexport const RANKING_RULES = {rules};\n")
});

fn setting(setting: &Setting) -> Value {
    let choices = match setting.shape {
        Shape::Word(words) => words,
        _ => &[],
    };
    json!({
        "name": setting.name,
        "help": setting.help,
        "code": setting.code.name(),
        "default": setting.default_value(),
        "isOwn": setting.is_own,
        "control": control(&setting.shape),
        "choices": choices,
    })
}

/// Returns the control for values of a shape.
fn control(shape: &Shape) -> &'static str {
    match shape {
        Shape::Flag => "switch",
        Shape::Integer | Shape::Byte | Shape::Positive => "number",
        Shape::Text => "text",
        Shape::Word(_) => "choice",
        Shape::Set => "names",
        Shape::List(item) if control(item) == "text" => "names",
        Shape::Checked(shape, _) => control(shape),
        _ => "json",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_controls() {
        for (name, expected) in [
            ("facetSearch", "switch"),
            ("searchCutoffMs", "number"),
            ("distinctAttribute", "text"),
            ("prefixSearch", "choice"),
            ("sortableAttributes", "names"),
            ("rankingRules", "names"),
            ("dictionary", "names"),
            ("chat", "json"),
            ("boosts", "json"),
        ] {
            let setting = Setting::named(name).expect(name);
            assert_eq!(control(&setting.shape), expected, "{name}");
        }
    }
}
