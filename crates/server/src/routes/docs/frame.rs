//! Wraps the text of a page in its head, navigation and search field.

use super::INTERFACE;
use super::library::{self, CHAPTERS, Page};
use super::markdown::escaped;

const INTERFACE_TITLE: &str = "Every route";

pub fn page(page: &Page, text: &str, has_dashboard: bool) -> String {
    framed(page.name, page.title, text, "", has_dashboard)
}

/// Writes the page that shows `/openapi.json` in the browser.
pub fn interface(has_dashboard: bool) -> String {
    let text = "<h1 id=\"api\">Every route</h1>\n\
        <p>Read from <a href=\"/openapi.json\">/openapi.json</a>, the interface as an OpenAPI 3.1 \
        document. The pages beside this one have examples.</p>\n\
        <div id=\"routes\" aria-live=\"polite\"><p>Loading…</p></div>\n\
        <noscript><p>This page needs scripts; the document itself does not.</p></noscript>\n";
    framed(
        INTERFACE,
        INTERFACE_TITLE,
        text,
        "<script type=\"module\" src=\"/docs/assets/api.js\"></script>\n",
        has_dashboard,
    )
}

pub fn missing(has_dashboard: bool) -> String {
    let text = "<h1 id=\"missing\">No such page</h1>\n\
        <p>See the list for all pages.</p>\n";
    framed("404", "No such page", text, "", has_dashboard)
}

fn framed(name: &str, title: &str, text: &str, scripts: &str, has_dashboard: bool) -> String {
    let title = escaped(title);
    let dashboard =
        if has_dashboard { "<a class=\"over\" href=\"/\">Open dashboard</a>\n" } else { "" };
    let navigation = navigation(name);
    format!(
        "<!doctype html>\n\
         <html lang=\"en\">\n\
         <head>\n\
         <meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} · Sonde</title>\n\
         <link rel=\"icon\" href=\"/docs/assets/icon.svg\" type=\"image/svg+xml\">\n\
         <link rel=\"stylesheet\" href=\"/docs/assets/docs.css\">\n\
         <script type=\"module\" src=\"/docs/assets/search.js\"></script>\n\
         {scripts}\
         </head>\n\
         <body>\n\
         <a class=\"skip\" href=\"#text\">Skip to the text</a>\n\
         <header>\n\
         <a class=\"name\" href=\"/docs\">Sonde</a>\n\
         {dashboard}\
         <div class=\"search\" role=\"search\" hidden>\n\
         <label for=\"search\">Search the pages</label>\n\
         <input id=\"search\" type=\"search\" autocomplete=\"off\" placeholder=\"Search the pages\" \
         aria-controls=\"found\">\n\
         <div id=\"found\" role=\"region\" aria-label=\"Found in the pages\" aria-live=\"polite\" hidden></div>\n\
         </div>\n\
         </header>\n\
         <div class=\"columns\">\n\
         <nav aria-label=\"Pages\">\n\
         <details class=\"pages\" open>\n<summary>Pages</summary>\n{navigation}</details>\n</nav>\n\
         <main id=\"text\" tabindex=\"-1\">\n{text}</main>\n\
         </div>\n\
         </body>\n\
         </html>\n"
    )
}

fn navigation(current: &str) -> String {
    let mut written = String::new();
    for chapter in CHAPTERS {
        written.push_str(&format!("<h2>{}</h2>\n<ul>\n", escaped(chapter.title)));
        for &name in chapter.pages {
            let title = match library::named(name) {
                Some(page) => page.title,
                None => INTERFACE_TITLE,
            };
            let slash = if name.is_empty() { "" } else { "/" };
            let is_current = if name == current { " aria-current=\"page\"" } else { "" };
            let title = escaped(title);
            written.push_str(&format!(
                "<li><a href=\"/docs{slash}{name}\"{is_current}>{title}</a></li>\n"
            ));
        }
        written.push_str("</ul>\n");
    }
    written
}
