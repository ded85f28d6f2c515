//! The blocks `for` and `tablerow`. Those of the library materialise a range before the first step
//! and divide by the number of columns even if it is zero.

use std::collections::HashMap;
use std::fmt;
use std::io::Write;

use liquid_core::error::{ResultLiquidExt, ResultLiquidReplaceExt};
use liquid_core::model::{KString, KStringRef, ObjectView, Scalar, ValueCow, ValueView};
use liquid_core::parser::{BlockElement, TryMatchToken};
use liquid_core::runtime::{Interrupt, InterruptRegister};
use liquid_core::{
    BlockReflection, Error, Expression, Language, ParseBlock, Renderable, Result, Runtime,
    TagBlock, TagTokenIter, Template,
};

use super::budget::take_steps;
use super::ordered::OrderedValue;
use super::scope::Scope;

pub(super) const FOR: LoopBlock = LoopBlock { start: "for", end: "endfor" };
pub(super) const TABLE_ROW: LoopBlock = LoopBlock { start: "tablerow", end: "endtablerow" };

#[derive(Clone)]
pub(super) struct LoopBlock {
    start: &'static str,
    end: &'static str,
}

impl BlockReflection for LoopBlock {
    fn start_tag(&self) -> &str {
        self.start
    }

    fn end_tag(&self) -> &str {
        self.end
    }

    fn description(&self) -> &'static str {
        ""
    }
}

impl ParseBlock for LoopBlock {
    fn parse(
        &self,
        mut arguments: TagTokenIter<'_>,
        mut block: TagBlock<'_, '_>,
        options: &Language,
    ) -> Result<Box<dyn Renderable>> {
        let head = LoopHead::parse(self.start, &mut arguments)?;
        if self.start == TABLE_ROW.start {
            let body = Template::new(block.parse_all(options)?);
            return Ok(Box::new(TableRow { head, body }));
        }
        let mut body = Vec::new();
        let mut otherwise = None;
        while let Some(element) = block.next()? {
            match element {
                BlockElement::Tag(mut tag) if tag.name() == "else" => {
                    tag.tokens().expect_nothing()?;
                    otherwise = Some(Template::new(block.parse_all(options)?));
                    break;
                }
                element => body.push(element.parse(&mut block, options)?),
            }
        }
        Ok(Box::new(For { head, body: Template::new(body), otherwise }))
    }

    fn reflection(&self) -> &dyn BlockReflection {
        self
    }
}

/// The head of a loop: what it iterates over, and how.
#[derive(Debug)]
struct LoopHead {
    tag: &'static str,
    variable: KString,
    source: LoopSource,
    limit: Option<Expression>,
    offset: Option<Expression>,
    columns: Option<Expression>,
    reversed: bool,
}

#[derive(Debug)]
enum LoopSource {
    Values(Expression),
    Numbers(Expression, Expression),
}

impl LoopHead {
    fn parse(tag: &'static str, arguments: &mut TagTokenIter<'_>) -> Result<Self> {
        let variable = arguments.expect_next("Identifier expected.")?;
        let variable = KString::from_ref(variable.expect_identifier().into_result()?);
        let word = "\"in\" expected.";
        arguments.expect_next(word)?.expect_str("in").into_result_custom_msg(word)?;
        let source = match arguments.expect_next("Array or range expected.")?.expect_value() {
            TryMatchToken::Matches(values) => LoopSource::Values(values),
            TryMatchToken::Fails(token) => {
                let (first, last) = token.expect_range().into_result()?;
                LoopSource::Numbers(first, last)
            }
        };
        let mut head = Self {
            tag,
            variable,
            source,
            limit: None,
            offset: None,
            columns: None,
            reversed: false,
        };
        while let Some(token) = arguments.next() {
            match token.as_str() {
                "limit" => head.limit = Some(parameter(arguments)?),
                "offset" => head.offset = Some(parameter(arguments)?),
                "reversed" if tag == FOR.start => head.reversed = true,
                "cols" if tag == TABLE_ROW.start => head.columns = Some(parameter(arguments)?),
                _ if tag == FOR.start => {
                    let expected = "\"limit\", \"offset\" or \"reversed\" expected.";
                    return token.raise_custom_error(expected).into_err();
                }
                _ => {
                    let expected = "\"cols\", \"limit\" or \"offset\" expected.";
                    return token.raise_custom_error(expected).into_err();
                }
            }
        }
        Ok(head)
    }

    /// Returns the values to iterate over, charged to the budget.
    fn values(&self, runtime: &dyn Runtime) -> Result<Vec<OrderedValue>> {
        let offset = evaluated(self.offset.as_ref(), runtime)?.unwrap_or(0);
        let limit = evaluated(self.limit.as_ref(), runtime)?.unwrap_or(usize::MAX);
        let mut values: Vec<OrderedValue> = match &self.source {
            LoopSource::Values(source) => {
                let source = source.evaluate(runtime)?;
                let all = items(&source)?;
                let count = all.len().saturating_sub(offset).min(limit);
                take_steps(runtime, 1 + count as u64)?;
                all.into_iter().skip(offset).take(limit).collect()
            }
            LoopSource::Numbers(first, last) => {
                let (first, last) = (integer(first, runtime)?, integer(last, runtime)?);
                let count = (i128::from(last) - i128::from(first) + 1).max(0);
                let count = u64::try_from(count).unwrap_or(u64::MAX);
                let count = count.saturating_sub(offset as u64).min(limit as u64);
                take_steps(runtime, count.saturating_add(1))?;
                (first..=last).skip(offset).take(limit).map(OrderedValue::scalar).collect()
            }
        };
        if self.reversed {
            values.reverse();
        }
        Ok(values)
    }
}

impl fmt::Display for LoopHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{% {} {} in ", self.tag, self.variable)?;
        match &self.source {
            LoopSource::Values(values) => write!(f, "{values} %}}"),
            LoopSource::Numbers(first, last) => write!(f, "({first}..{last}) %}}"),
        }
    }
}

fn parameter(arguments: &mut TagTokenIter<'_>) -> Result<Expression> {
    let colon = "\":\" expected.";
    arguments.expect_next(colon)?.expect_str(":").into_result_custom_msg(colon)?;
    arguments.expect_next("Value expected.")?.expect_value().into_result()
}

fn evaluated(parameter: Option<&Expression>, runtime: &dyn Runtime) -> Result<Option<usize>> {
    let Some(parameter) = parameter else { return Ok(None) };
    let number = integer(parameter, runtime)?;
    Ok(Some(usize::try_from(number).unwrap_or(0)))
}

fn integer(expression: &Expression, runtime: &dyn Runtime) -> Result<i64> {
    let value = expression.evaluate(runtime)?;
    let number = value.as_scalar().and_then(|scalar| scalar.to_integer());
    number.ok_or_else(|| expected("whole number", value.type_name()))
}

fn items(source: &ValueCow<'_>) -> Result<Vec<OrderedValue>> {
    match OrderedValue::of(source) {
        OrderedValue::Array(items) => Ok(items),
        OrderedValue::Object(members) => Ok(members.into_pairs()),
        OrderedValue::State(_) | OrderedValue::Nil => Ok(Vec::new()),
        OrderedValue::Scalar(_) => Err(expected("array", source.type_name())),
    }
}

fn expected(expected: &str, found: &str) -> Error {
    Error::with_msg(format!("Expected {expected}, found `{found}`"))
}

#[derive(Debug)]
struct For {
    head: LoopHead,
    body: Template,
    otherwise: Option<Template>,
}

impl Renderable for For {
    fn render_to(&self, writer: &mut dyn Write, runtime: &dyn Runtime) -> Result<()> {
        let trace = || self.head.to_string().into();
        let values = self.head.values(runtime).trace_with(trace)?;
        if let (true, Some(otherwise)) = (values.is_empty(), &self.otherwise) {
            return otherwise.render_to(writer, runtime).trace("{% else %}").trace_with(trace);
        }
        let length = values.len();
        let outer = runtime.try_get(&[Scalar::new("forloop")]);
        let parentloop = outer.as_ref().map(ValueCow::as_view);
        for (index, value) in values.iter().enumerate() {
            let forloop = ForLoopVariables { parentloop, ..ForLoopVariables::new(index, length) };
            let mut scope = HashMap::<KStringRef<'_>, &dyn ValueView>::with_capacity(2);
            scope.insert("forloop".into(), &forloop);
            scope.insert(self.head.variable.as_ref(), value);
            let scope = Scope::new(runtime, &scope);
            self.body.render_to(writer, &scope).trace_with(trace)?;
            let interrupt = scope.registers().get_mut::<InterruptRegister>().reset();
            if let Some(Interrupt::Break) = interrupt {
                break;
            }
        }
        Ok(())
    }
}

#[derive(Debug, Clone, liquid_core::model::ValueView, liquid_core::model::ObjectView)]
struct ForLoopVariables<'p> {
    length: i64,
    parentloop: Option<&'p dyn ValueView>,
    index0: i64,
    index: i64,
    rindex0: i64,
    rindex: i64,
    first: bool,
    last: bool,
}

impl ForLoopVariables<'_> {
    fn new(index: usize, length: usize) -> Self {
        let (index, length) = (index as i64, length as i64);
        Self {
            length,
            parentloop: None,
            index0: index,
            index: index + 1,
            rindex0: length - index - 1,
            rindex: length - index,
            first: index == 0,
            last: index + 1 == length,
        }
    }
}

#[derive(Debug)]
struct TableRow {
    head: LoopHead,
    body: Template,
}

impl Renderable for TableRow {
    fn render_to(&self, writer: &mut dyn Write, runtime: &dyn Runtime) -> Result<()> {
        let trace = || self.head.to_string().into();
        let values = self.head.values(runtime).trace_with(trace)?;
        let length = values.len();
        let columns = evaluated(self.head.columns.as_ref(), runtime)?.unwrap_or(length);
        if columns == 0 && length > 0 {
            return Err(Error::with_msg("`cols` must be positive")).trace_with(trace);
        }
        for (index, value) in values.iter().enumerate() {
            let (row, column) = (index / columns, index % columns);
            let tablerow = TableRowVariables {
                length: length as i64,
                col0: column as i64,
                col: column as i64 + 1,
                col_first: column == 0,
                col_last: column + 1 == columns || index + 1 == length,
                index0: index as i64,
                index: index as i64 + 1,
                rindex0: (length - index) as i64 - 1,
                rindex: (length - index) as i64,
                first: index == 0,
                last: index + 1 == length,
            };
            let mut scope = HashMap::<KStringRef<'_>, &dyn ValueView>::with_capacity(2);
            scope.insert("tablerow".into(), &tablerow);
            scope.insert(self.head.variable.as_ref(), value);
            let failed = "Failed to render";
            if tablerow.col_first {
                write!(writer, "<tr class=\"row{}\">", row + 1).replace(failed)?;
            }
            write!(writer, "<td class=\"col{}\">", column + 1).replace(failed)?;
            self.body.render_to(writer, &Scope::new(runtime, &scope)).trace_with(trace)?;
            write!(writer, "</td>").replace(failed)?;
            if tablerow.col_last {
                write!(writer, "</tr>").replace(failed)?;
            }
        }
        Ok(())
    }
}

#[derive(Debug, Clone, liquid_core::model::ValueView, liquid_core::model::ObjectView)]
struct TableRowVariables {
    length: i64,
    index0: i64,
    index: i64,
    rindex0: i64,
    rindex: i64,
    first: bool,
    last: bool,
    col0: i64,
    col: i64,
    col_first: bool,
    col_last: bool,
}
