//! One Liquid template, parsed; rendering it is bounded and does not panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use liquid_core::runtime::RuntimeBuilder;
use liquid_core::{Renderable, Runtime, parser};

use crate::error::{RenderError, TemplateError};
use crate::language::{self, AssignScope, BoundedText, Budget, Scope};
use crate::variables::Variables;

#[derive(Debug)]
pub(crate) struct Template {
    parsed: liquid_core::Template,
}

impl Template {
    pub(crate) fn parse(text: &str) -> Result<Self, TemplateError> {
        language::check_brackets(text)?;
        let parse = || parser::parse(text, language::language());
        match catch_unwind(AssertUnwindSafe(parse)) {
            Ok(Ok(elements)) => Ok(Self { parsed: liquid_core::Template::new(elements) }),
            Ok(Err(error)) => Err(TemplateError::Liquid(words(&error))),
            Err(_) => Err(TemplateError::Liquid("the template cannot be parsed".to_owned())),
        }
    }

    /// Renders the template. Some filters of the library panic on extreme numbers, hence the guard.
    pub(crate) fn render(&self, variables: &Variables) -> Result<String, RenderError> {
        catch_unwind(AssertUnwindSafe(|| self.render_unguarded(variables)))
            .unwrap_or(Err(RenderError::Failed))
    }

    fn render_unguarded(&self, variables: &Variables) -> Result<String, RenderError> {
        let base = RuntimeBuilder::new().build();
        let given = Scope::new(&base, &variables.values);
        let runtime = AssignScope::new(&given);
        let mut text = BoundedText::new(&runtime);
        let rendered = self.parsed.render_to(&mut text, &runtime);
        let text = text.into_text();
        if let Some(exhausted) = runtime.registers().get_mut::<Budget>().exhausted() {
            return Err(exhausted);
        }
        rendered.map_err(|error| RenderError::Liquid(words(&error)))?;
        text.ok_or(RenderError::Failed)
    }
}

fn words(error: &liquid_core::Error) -> String {
    error.to_string().trim_end().to_owned()
}
