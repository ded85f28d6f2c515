//! The text of the pages, split at their headings, for the search field of the documentation.

use pulldown_cmark::{Event, Tag, TagEnd};
use serde_json::{Value, json};

use super::library::{PAGES, Page};
use super::markdown;

/// Longest text of a section that is searched and can be shown.
const LONGEST: usize = 2000;

pub fn to_json() -> String {
    let sections: Vec<Value> = PAGES.iter().flat_map(of_page).collect();
    Value::from(sections).to_string()
}

fn of_page(page: &Page) -> Vec<Value> {
    let mut sections = Vec::new();
    let (mut id, mut heading, mut text) = (String::new(), String::new(), String::new());
    let mut is_heading = false;
    for event in markdown::events(page) {
        match event {
            Event::Start(Tag::Heading { id: new_id, .. }) => {
                if !heading.is_empty() {
                    sections.push(section(page, &id, &heading, &text));
                }
                id = new_id.map(|id| id.to_string()).unwrap_or_default();
                heading.clear();
                text.clear();
                is_heading = true;
            }
            Event::End(TagEnd::Heading(_)) => is_heading = false,
            Event::Text(part) | Event::Code(part) => {
                if is_heading {
                    heading.push_str(&part);
                } else if text.len() < LONGEST {
                    text.push_str(&part);
                }
            }
            Event::SoftBreak | Event::End(_) if !is_heading => text.push(' '),
            _ => {}
        }
    }
    sections.push(section(page, &id, &heading, &text));
    sections
}

fn section(page: &Page, id: &str, heading: &str, text: &str) -> Value {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    json!({ "page": page.name, "title": page.title, "id": id, "heading": heading, "text": text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_cut_at_its_headings() {
        let text = "# One\n\nfirst `code`\n\n## Two\n\n| a | b |\n|---|---|\n| c | d |\n";
        let page = Page { name: "x", path: "docs/x.md", title: "X", text };
        let sections = of_page(&page);
        assert_eq!(sections.len(), 2);
        assert_eq!(sections[0]["text"], "first code");
        assert_eq!((&sections[1]["id"], &sections[1]["text"]), (&json!("two"), &json!("a b c d")));
    }
}
