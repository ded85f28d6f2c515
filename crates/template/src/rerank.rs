//! Request and response bodies of rerankers: JSON with placeholders for the query, the texts of
//! documents, and the scores.

use serde_json::Value;

use crate::error::{ExtractError, TemplateError};
use crate::placeholder::Placeholder;
use crate::placement::{self, Path, Slot, Step, display_path};
use crate::request::RequestTemplate;

const QUERY: &str = "{{query}}";

/// Request template: it contains the query at least once, and the texts of all documents.
#[derive(Debug, Clone)]
pub struct RerankRequest(RequestTemplate);

impl RerankRequest {
    pub fn parse(template: &Value) -> Result<Self, TemplateError> {
        let request = RequestTemplate::parse(template, Placeholder::RerankText)?;
        if matches!(request.slot, Slot::Single(_)) {
            return Err(TemplateError::NotRepeated("request", Placeholder::RerankText));
        }
        if !placement::contains(template, QUERY) {
            return Err(TemplateError::MissingQuery);
        }
        Ok(Self(request))
    }

    /// Builds the body. The query is filled in first, so that placeholders in documents are left
    /// alone.
    pub fn body(&self, query: &str, texts: &[String]) -> Value {
        let texts: Vec<Value> = texts.iter().map(|text| Value::from(text.as_str())).collect();
        self.0.filled_in(QUERY, &Value::from(query)).inject(&texts)
    }
}

/// Response template: one score for each document, in any order if it also has the index of the
/// document.
#[derive(Debug, Clone)]
pub struct RerankResponse {
    array: Path,
    score: Path,
    index: Option<Path>,
}

impl RerankResponse {
    pub fn parse(template: &Value) -> Result<Self, TemplateError> {
        let (array, score) = repeated(template, Placeholder::Score)?;
        let has_index = placement::contains(template, Placeholder::Index.token());
        let index = has_index.then(|| repeated(template, Placeholder::Index)).transpose()?;
        Ok(Self { array, score, index: index.map(|(_, item)| item) })
    }

    /// Extracts the scores, in the order in which the texts were sent.
    pub fn extract(&self, response: &Value, documents: usize) -> Result<Vec<f64>, ExtractError> {
        let list = follow(response, &self.array, "response")?;
        let path = display_path("response", &self.array);
        let Value::Array(items) = list else {
            return Err(wrong(path, "is not an array"));
        };
        if items.len() != documents {
            let found = items.len();
            return Err(wrong(path, format!("holds {found} scores for {documents} documents")));
        }
        let mut scores = vec![None; documents];
        for (position, item) in items.iter().enumerate() {
            let root = format!("{path}[{position}]");
            let place = match &self.index {
                None => position,
                Some(index) => index_in(item, index, &root, documents)?,
            };
            let score = follow(item, &self.score, &root)?;
            let number = score.as_f64().filter(|number| number.is_finite());
            let number =
                number.ok_or_else(|| wrong(display_path(&root, &self.score), "is not a number"))?;
            if scores[place].replace(number).is_some() {
                return Err(wrong(root, format!("is a second score for document {place}")));
            }
        }
        // There are as many scores as documents, and no duplicates.
        Ok(scores.into_iter().flatten().collect())
    }
}

fn repeated(template: &Value, what: Placeholder) -> Result<(Path, Path), TemplateError> {
    match placement::find(template, what)? {
        Slot::Repeated { array, item } => Ok((array, item)),
        Slot::Single(_) => Err(TemplateError::NotRepeated("response", what)),
    }
}

fn index_in(item: &Value, path: &Path, root: &str, most: usize) -> Result<usize, ExtractError> {
    let index = follow(item, path, root)?.as_u64();
    let index = index.and_then(|index| usize::try_from(index).ok()).filter(|index| *index < most);
    index.ok_or_else(|| {
        let path = display_path(root, path);
        wrong(path, format!("is not the index of one of the {most} documents"))
    })
}

fn follow<'v>(value: &'v Value, path: &[Step], root: &str) -> Result<&'v Value, ExtractError> {
    let step_into = |value: &'v Value, step: &Step| match step {
        Step::Member(name) => value.get(name),
        Step::Item(index) => value.get(index),
    };
    path.iter()
        .try_fold(value, step_into)
        .ok_or_else(|| wrong(display_path(root, path), "is missing in the answer of the server"))
}

fn wrong(path: String, problem: impl Into<String>) -> ExtractError {
    ExtractError { path, what: "scores".to_owned(), problem: problem.into() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn error(parsed: Result<impl std::fmt::Debug, TemplateError>) -> String {
        parsed.unwrap_err().to_string()
    }

    #[test]
    fn a_request_holds_the_query_and_all_texts() {
        let template = json!({"m": 1, "query": "{{query}}", "documents": ["{{text}}", "{{..}}"]});
        let request = RerankRequest::parse(&template).unwrap();
        let texts = ["{{query}}".to_owned(), "b".to_owned()];
        assert_eq!(
            request.body("q", &texts),
            json!({"m": 1, "query": "q", "documents": ["{{query}}", "b"]})
        );
        // Some servers take pairs.
        let pairs = RerankRequest::parse(&json!([["{{query}}", "{{text}}"], "{{..}}"])).unwrap();
        assert_eq!(pairs.body("q", &texts), json!([["q", "{{query}}"], ["q", "b"]]));
    }

    #[test]
    fn requests_that_lack_something_are_refused() {
        let parse = |template: Value| error(RerankRequest::parse(&template));
        assert_eq!(parse(json!({"query": "{{query}}"})), "in `request`: \"{{text}}\" not found");
        assert_eq!(parse(json!(["{{text}}", "{{..}}"])), "in `request`: \"{{query}}\" not found");
        let single = parse(json!({"q": "{{query}}", "t": "{{text}}"}));
        assert!(
            single.starts_with("in `request`: \"{{text}}\" must be in the first item"),
            "{single}"
        );
    }

    #[test]
    fn scores_are_put_in_the_order_of_the_documents() {
        let by_index = json!({"results": [{"index": "{{index}}", "s": "{{score}}"}, "{{..}}"]});
        let response = RerankResponse::parse(&by_index).unwrap();
        let answer = json!({"results": [{"index": 1, "s": 0.25}, {"index": 0, "s": 2}]});
        assert_eq!(response.extract(&answer, 2).unwrap(), [2.0, 0.25]);
        let in_order = RerankResponse::parse(&json!(["{{score}}", "{{..}}"])).unwrap();
        assert_eq!(in_order.extract(&json!([1, -3.5]), 2).unwrap(), [1.0, -3.5]);
    }

    #[test]
    fn answers_that_do_not_fit_are_told() {
        let template = json!({"results": [{"index": "{{index}}", "s": "{{score}}"}, "{{..}}"]});
        let response = RerankResponse::parse(&template).unwrap();
        for (answer, problem) in [
            (json!({}), "in `response.results`, while extracting scores, is missing"),
            (json!({"results": 1}), "is not an array"),
            (json!({"results": []}), "holds 0 scores for 2 documents"),
            (json!({"results": [{"index": 2, "s": 1}, {}]}), "`response.results[0].index`"),
            (json!({"results": [{"index": 0}, {}]}), "`response.results[0].s`"),
            (json!({"results": [{"index": 0, "s": "1"}, {}]}), "is not a number"),
            (
                json!({"results": [{"index": 0, "s": 1}, {"index": 0, "s": 1}]}),
                "is a second score for document 0",
            ),
        ] {
            let error = response.extract(&answer, 2).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
        let single = error(RerankResponse::parse(&json!({"s": "{{score}}"})));
        assert!(single.contains("\"{{score}}\" must be in the first item"), "{single}");
        let outside = json!({"index": "{{index}}", "r": ["{{score}}", "{{..}}"]});
        assert!(RerankResponse::parse(&outside).is_err());
    }
}
