//! Fragments: JSON whose strings are templates. They describe what to embed to providers with
//! several kinds of input (texts, images).

use serde_json::{Map, Value};

use crate::error::{RenderError, TemplateError};
use crate::liquid::Template;
use crate::variables::Variables;

#[derive(Debug)]
pub struct Fragment {
    root: Node,
}

#[derive(Debug)]
enum Node {
    Literal(Value),
    Text(Template),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Fragment {
    /// `path` names the fragment in messages.
    pub fn parse(value: &Value, path: &str) -> Result<Self, TemplateError> {
        Ok(Self { root: Node::parse(value, path)? })
    }

    pub fn render(&self, variables: &Variables) -> Result<Value, RenderError> {
        self.root.render(variables)
    }
}

impl Node {
    fn parse(value: &Value, path: &str) -> Result<Self, TemplateError> {
        Ok(match value {
            Value::String(text) => Self::Text(Template::parse(text).map_err(|error| {
                TemplateError::InFragment { path: path.to_owned(), error: Box::new(error) }
            })?),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                let nodes = items.map(|(i, item)| Self::parse(item, &format!("{path}[{i}]")));
                Self::Array(nodes.collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let node = |(name, member): (&String, &Value)| {
                    Ok((name.clone(), Self::parse(member, &format!("{path}.{name}"))?))
                };
                Self::Object(members.iter().map(node).collect::<Result<_, _>>()?)
            }
            other => Self::Literal(other.clone()),
        })
    }

    fn render(&self, variables: &Variables) -> Result<Value, RenderError> {
        Ok(match self {
            Self::Literal(value) => value.clone(),
            Self::Text(template) => Value::String(template.render(variables)?),
            Self::Array(nodes) => {
                let items = nodes.iter().map(|node| node.render(variables));
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            Self::Object(nodes) => {
                let members =
                    nodes.iter().map(|(name, node)| Ok((name.clone(), node.render(variables)?)));
                Value::Object(members.collect::<Result<Map<_, _>, _>>()?)
            }
        })
    }
}
