//! Renders the Markdown of a page as HTML. Headings get the anchors that code hosts give them,
//! table rows that begin with a name get one too, and links to other pages point to where these are
//! served.

use std::collections::BTreeSet;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};

use super::INTERFACE;
use super::library::{self, Page};

pub fn to_html(page: &Page) -> String {
    let mut written = String::with_capacity(page.text.len() * 2);
    html::push_html(&mut written, events(page).into_iter());
    // An empty header cell is an ordinary cell.
    written.replace("<th></th>", "<td></td>")
}

/// Parses a page into events, ready to be rendered.
pub fn events(page: &Page) -> Vec<Event<'static>> {
    let parsed: Vec<Event<'static>> = Parser::new_ext(page.text, Options::ENABLE_TABLES)
        // HTML comments are for tests and generators; pages contain no other HTML.
        .filter(|event| !matches!(event, Event::Html(_) | Event::InlineHtml(_)))
        .collect();
    let mut anchors = Anchors::default();
    let mut events = Vec::with_capacity(parsed.len());
    let mut open_links: Vec<bool> = Vec::new();
    for (place, event) in parsed.iter().enumerate() {
        let rest = parsed.get(place + 1..).unwrap_or_default();
        match event {
            Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
            Event::Start(Tag::Heading { level, .. }) => {
                let id = anchors.new_one(&slug(&text_of(rest)));
                events.push(Event::Start(Tag::Heading {
                    level: *level,
                    id: Some(CowStr::from(id)),
                    classes: Vec::new(),
                    attrs: Vec::new(),
                }));
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let target = target(page, dest_url);
                open_links.push(target.is_some());
                if let Some(target) = target {
                    events.push(html(format!("<a href=\"{}\">", escaped(&target))));
                }
            }
            Event::End(TagEnd::Link) => {
                if open_links.pop() == Some(true) {
                    events.push(html("</a>".to_owned()));
                }
            }
            // Long lines and wide tables scroll sideways, with the keyboard too.
            Event::Start(Tag::Table(_)) => {
                events.push(html("<div class=\"wide\" tabindex=\"0\">".to_owned()));
                events.push(event.clone());
            }
            Event::End(TagEnd::Table) => {
                events.push(event.clone());
                events.push(html("</div>".to_owned()));
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.split(' ').next().unwrap_or_default(),
                    CodeBlockKind::Indented => "",
                };
                let language = escaped(language);
                events.push(html(format!(
                    "<pre tabindex=\"0\"><code class=\"language-{language}\">"
                )));
            }
            Event::End(TagEnd::CodeBlock) => events.push(html("</code></pre>\n".to_owned())),
            Event::Code(name) if is_first_of_row(&parsed, place) => match anchors.of_row(name) {
                Some(id) => {
                    let id = escaped(&id);
                    events.push(html(format!("<a class=\"row\" id=\"{id}\" href=\"#{id}\">")));
                    events.push(event.clone());
                    events.push(html("</a>".to_owned()));
                }
                None => events.push(event.clone()),
            },
            _ => events.push(event.clone()),
        }
    }
    events
}

fn html(text: String) -> Event<'static> {
    Event::InlineHtml(CowStr::from(text))
}

/// Returns whether the event begins a table row that is not the header.
fn is_first_of_row(events: &[Event<'static>], place: usize) -> bool {
    place >= 2
        && events[place - 1] == Event::Start(Tag::TableCell)
        && events[place - 2] == Event::Start(Tag::TableRow)
}

/// Returns the text up to the end of the current heading.
pub fn text_of(events: &[Event<'static>]) -> String {
    let mut text = String::new();
    for event in events {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(part),
            Event::End(TagEnd::Heading(_)) => break,
            _ => {}
        }
    }
    text
}

/// Returns the anchor of a heading, as code hosts form it.
fn slug(text: &str) -> String {
    let kept = text.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        _ => c.is_alphanumeric().then(|| c.to_ascii_lowercase()),
    });
    kept.collect()
}

/// Assigns unique anchors on a page.
#[derive(Default)]
struct Anchors(BTreeSet<String>);

impl Anchors {
    fn new_one(&mut self, wanted: &str) -> String {
        let mut anchor = wanted.to_owned();
        let mut number = 1;
        while !self.0.insert(anchor.clone()) {
            anchor = format!("{wanted}-{number}");
            number += 1;
        }
        anchor
    }

    /// Returns the anchor of a table row; `None` if the name cannot be one, or is taken.
    fn of_row(&mut self, name: &str) -> Option<String> {
        let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
        (is_plain && !name.is_empty() && self.0.insert(name.to_owned())).then(|| name.to_owned())
    }
}

/// Returns the URL of a link when the page is served; `None` for a file of the repository that is
/// not served.
fn target(page: &Page, written: &str) -> Option<String> {
    if written.starts_with("https://") || written.starts_with("http://") || written.starts_with('/')
    {
        return Some(written.to_owned());
    }
    if let Some(anchor) = written.strip_prefix('#') {
        return Some(format!("#{anchor}"));
    }
    let (path, anchor) = match written.split_once('#') {
        Some((path, anchor)) => (path, format!("#{anchor}")),
        None => (written, String::new()),
    };
    let path = resolved(page.path, path);
    if path == "docs/openapi.json" {
        return Some(format!("/docs/{INTERFACE}"));
    }
    let linked = library::at(&path)?;
    let slash = if linked.name.is_empty() { "" } else { "/" };
    Some(format!("/docs{slash}{}{anchor}", linked.name))
}

/// Resolves a path relative to a file, from the root of the repository.
fn resolved(from: &str, path: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &'static str) -> String {
        to_html(&Page { name: "x", path: "docs/x.md", title: "X", text })
    }

    #[test]
    fn headings_have_anchors_of_their_own() {
        let html = written("## On `disk`, or so\n\n## On disk or so\n");
        assert!(html.contains("<h2 id=\"on-disk-or-so\">"), "{html}");
        assert!(html.contains("<h2 id=\"on-disk-or-so-1\">"), "{html}");
    }

    #[test]
    fn rows_that_begin_with_a_name_can_be_linked_to() {
        let html = written("| `code` | is |\n|---|---|\n| `a_b` | x |\n| `a = b` | y |\n");
        assert!(html.contains("<a class=\"row\" id=\"a_b\" href=\"#a_b\"><code>a_b</code></a>"));
        assert_eq!(html.matches("id=\"").count(), 1, "{html}");
    }

    #[test]
    fn links_lead_to_pages_that_are_served_and_nowhere_else() {
        let html = written(
            "[a](filters.md#sort) [b](../ARCHITECTURE.md) [c](../Cargo.toml) [d](https://e.org)",
        );
        assert!(html.contains("<a href=\"/docs/filters#sort\">a</a>"), "{html}");
        assert!(html.contains("<a href=\"/docs/architecture\">b</a>"), "{html}");
        assert!(html.contains(" c <a href=\"https://e.org\">d</a>"), "{html}");
        let html = written("[e](openapi.json)");
        assert!(html.contains("<a href=\"/docs/api\">e</a>"), "{html}");
        assert_eq!(resolved("docs/api/keys.md", "../security.md"), "docs/security.md");
    }

    #[test]
    fn comments_and_markup_do_not_come_through() {
        let html =
            written("<!-- setup -->\n\n`<b>` and <i>x</i>\n\n```sh expects=404\na < b\n```\n");
        assert!(!html.contains("<i>") && !html.contains("setup"), "{html}");
        assert!(html.contains("<code class=\"language-sh\">a &lt; b\n</code>"), "{html}");
    }
}
