//! The tags `assign` and `capture`: variables count against the same budget as output, since
//! doubling one a few dozen times would fill any memory.

use std::io::Write;

use liquid_core::error::ResultLiquidExt;
use liquid_core::model::{KString, Value};
use liquid_core::parser::FilterChain;
use liquid_core::{
    BlockReflection, Error, Language, ParseBlock, ParseTag, Renderable, Result, Runtime, TagBlock,
    TagReflection, TagTokenIter, Template,
};

use super::budget::{BoundedText, bytes_of, take_bytes};

#[derive(Clone)]
pub(super) struct AssignTag;

impl TagReflection for AssignTag {
    fn tag(&self) -> &'static str {
        "assign"
    }

    fn description(&self) -> &'static str {
        ""
    }
}

impl ParseTag for AssignTag {
    fn parse(
        &self,
        mut arguments: TagTokenIter<'_>,
        options: &Language,
    ) -> Result<Box<dyn Renderable>> {
        let name = arguments.expect_next("Identifier expected.")?;
        let name = KString::from_ref(name.expect_identifier().into_result()?);
        let operator = "Assignment operator \"=\" expected.";
        arguments.expect_next(operator)?.expect_str("=").into_result_custom_msg(operator)?;
        let source = arguments.expect_next("FilterChain expected.")?;
        let source = source.expect_filter_chain(options).into_result()?;
        arguments.expect_nothing()?;
        Ok(Box::new(Assign { name, source }))
    }

    fn reflection(&self) -> &dyn TagReflection {
        self
    }
}

#[derive(Debug)]
struct Assign {
    name: KString,
    source: FilterChain,
}

impl Renderable for Assign {
    fn render_to(&self, _writer: &mut dyn Write, runtime: &dyn Runtime) -> Result<()> {
        let trace = || format!("{{% assign {} = {} %}}", self.name, self.source).into();
        let value = self.source.evaluate(runtime).trace_with(trace)?.into_owned();
        take_bytes(runtime, bytes_of(&value)).trace_with(trace)?;
        runtime.set_global(self.name.clone(), value);
        Ok(())
    }
}

#[derive(Clone)]
pub(super) struct CaptureBlock;

impl BlockReflection for CaptureBlock {
    fn start_tag(&self) -> &'static str {
        "capture"
    }

    fn end_tag(&self) -> &'static str {
        "endcapture"
    }

    fn description(&self) -> &'static str {
        ""
    }
}

impl ParseBlock for CaptureBlock {
    fn parse(
        &self,
        mut arguments: TagTokenIter<'_>,
        mut block: TagBlock<'_, '_>,
        options: &Language,
    ) -> Result<Box<dyn Renderable>> {
        let name = arguments.expect_next("Identifier expected")?;
        let name = KString::from_ref(name.expect_identifier().into_result()?);
        arguments.expect_nothing()?;
        let template = Template::new(block.parse_all(options)?);
        Ok(Box::new(Capture { name, template }))
    }

    fn reflection(&self) -> &dyn BlockReflection {
        self
    }
}

#[derive(Debug)]
struct Capture {
    name: KString,
    template: Template,
}

impl Renderable for Capture {
    fn render_to(&self, _writer: &mut dyn Write, runtime: &dyn Runtime) -> Result<()> {
        let mut captured = BoundedText::new(runtime);
        self.template
            .render_to(&mut captured, runtime)
            .trace_with(|| format!("{{% capture {} %}}", self.name).into())?;
        let text = captured.into_text().ok_or_else(|| Error::with_msg("Invalid text"))?;
        runtime.set_global(self.name.clone(), Value::scalar(text));
        Ok(())
    }
}
