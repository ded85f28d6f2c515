//! The documentation at `/docs`: the pages of the repository's `docs` folder, and the API reference
//! of `/openapi.json`. Public, because it contains no data of the instance.

mod frame;
mod library;
mod markdown;
mod sections;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::Value;

use super::shown;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::openapi;
use library::Page;

/// Name of the page of the API reference, which shows every route.
const INTERFACE: &str = "api";

/// Assets of the pages, by name.
const FILES: &[(&str, &str)] = &[
    ("api.js", include_str!("../../../assets/docs/api.js")),
    ("docs.css", include_str!("../../../assets/docs/docs.css")),
    ("icon.svg", include_str!("../../../assets/dashboard/core/icon.svg")),
    ("schema.js", include_str!("../../../assets/docs/schema.js")),
    ("search.js", include_str!("../../../assets/docs/search.js")),
];

const SECTIONS: &str = "sections.json";

/// The pages, rendered once and then only sent.
struct RenderedDocs {
    pages: Vec<(&'static str, Bytes)>,
    sections: Bytes,
    /// An `ETag` that changes with any page or file. Weak, because the same is also sent
    /// compressed.
    tag: HeaderValue,
}

/// The pages link back to the dashboard if there is one.
static WITH_DASHBOARD: LazyLock<RenderedDocs> = LazyLock::new(|| render(true));
static WITHOUT_DASHBOARD: LazyLock<RenderedDocs> = LazyLock::new(|| render(false));

fn rendered(app: &App) -> &'static RenderedDocs {
    if app.options.dashboard { &WITH_DASHBOARD } else { &WITHOUT_DASHBOARD }
}

fn render(has_dashboard: bool) -> RenderedDocs {
    let mut pages: Vec<(&'static str, Bytes)> = library::PAGES
        .iter()
        .map(|page| {
            let text = frame::page(page, &markdown::to_html(page), has_dashboard);
            (page.name, Bytes::from(text))
        })
        .collect();
    pages.push((INTERFACE, Bytes::from(frame::interface(has_dashboard))));
    let sections = Bytes::from(sections::to_json());
    let mut hasher = DefaultHasher::new();
    (&pages, FILES, &sections, interface_text()).hash(&mut hasher);
    let tag = format!("W/\"{:016x}\"", hasher.finish());
    // Hexadecimal digits and quotes are always valid in a header.
    let tag = HeaderValue::from_str(&tag).unwrap_or_else(|_| HeaderValue::from_static("W/\"0\""));
    RenderedDocs { pages, sections, tag }
}

/// Returns the description of the API, as an OpenAPI document.
pub fn openapi_document() -> Value {
    openapi::document(super::route_table())
}

fn interface_text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| openapi_document().to_string());
    &TEXT
}

pub async fn start(app: App, call: Call) -> Answer {
    Ok(page_named(&app, Page::START, &call.headers))
}

pub async fn page(app: App, call: Call) -> Answer {
    Ok(page_named(&app, call.param("page"), &call.headers))
}

fn page_named(app: &App, name: &str, request: &HeaderMap) -> Response {
    let rendered = rendered(app);
    match rendered.pages.iter().find(|(known, _)| *known == name) {
        Some((_, page)) => shown::show(request, &rendered.tag, answer::HTML, page.clone()),
        None => {
            let page = frame::missing(app.options.dashboard);
            let mut response = answer::with_type(StatusCode::NOT_FOUND, answer::HTML, page);
            shown::protect(response.headers_mut());
            response
        }
    }
}

pub async fn file(app: App, call: Call) -> Answer {
    let rendered = rendered(&app);
    let name = call.param("file");
    let kind = shown::kind_of(name);
    if name == SECTIONS {
        return Ok(shown::show(&call.headers, &rendered.tag, kind, rendered.sections.clone()));
    }
    Ok(match FILES.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => shown::show(&call.headers, &rendered.tag, kind, *text),
        None => answer::empty(StatusCode::NOT_FOUND),
    })
}

pub async fn openapi(app: App, call: Call) -> Answer {
    Ok(shown::show(&call.headers, &rendered(&app).tag, answer::JSON, interface_text()))
}

#[cfg(test)]
mod tests {
    use super::*;

    static DOCS: &LazyLock<RenderedDocs> = &WITH_DASHBOARD;

    #[test]
    fn every_code_has_its_place_on_the_page_of_errors() {
        let (_, page) = DOCS.pages.iter().find(|(name, _)| *name == "errors").unwrap();
        let page = std::str::from_utf8(page).unwrap();
        for &code in model::Code::ALL {
            let found = page.matches(&format!("id=\"{code}\"")).count();
            assert_eq!(found, 1, "{code}");
        }
    }

    #[test]
    fn error_page_lists_status_and_type_of_each_code() {
        let text = library::named("errors").unwrap().text;
        for &code in model::Code::ALL {
            let status = crate::http::error::status(code.class()).as_u16();
            let row = format!("| `{code}` | {status} | {} | ", code.kind().name());
            assert!(text.lines().any(|line| line.starts_with(&row)), "{row}");
        }
    }

    #[test]
    fn links_between_pages_lead_somewhere() {
        for (name, page) in &DOCS.pages {
            let text = std::str::from_utf8(page).unwrap();
            for target in
                text.split("href=\"/docs").skip(1).filter_map(|rest| rest.split('"').next())
            {
                let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
                let to = path.trim_start_matches('/');
                if to.starts_with("assets/") {
                    continue;
                }
                let linked = DOCS.pages.iter().find(|(known, _)| *known == to);
                let (_, linked) = linked.unwrap_or_else(|| panic!("{name} links to {target}"));
                let linked = std::str::from_utf8(linked).unwrap();
                let is_there = anchor.is_empty() || linked.contains(&format!("id=\"{anchor}\""));
                assert!(is_there, "{name} links to {target}");
            }
        }
    }

    #[test]
    fn pages_have_no_inline_code() {
        for (name, page) in &DOCS.pages {
            let text = std::str::from_utf8(page).unwrap();
            for word in ["<style", "style=\"", "<script>", " onclick", "javascript:", "<!--"] {
                assert!(!text.contains(word), "{name}: {word}");
            }
        }
    }
}
