//! The page that the `link` of every error points to: one anchor per code.

use std::fmt::Write;

use axum::http::StatusCode;
use model::Code;

use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::{answer, error};

const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
<title>Sonde: error codes</title>\n\
<style>body{font:16px/1.5 sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}\
td,th{text-align:left;padding:.2rem 1rem .2rem 0}:target{background:#fe9}</style>\n\
<h1>Error codes</h1>\n\
<p>An error answer has the form <code>{\"message\", \"code\", \"type\", \"link\"}</code>. \
The message says what to change; the code never does change.</p>\n\
<table>\n<tr><th>code<th>type<th>HTTP status\n";

pub async fn show(_app: App, _call: Call) -> Answer {
    Ok(answer::with_type(StatusCode::OK, answer::HTML, page()))
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for &code in Code::ALL {
        // Writing to a String cannot fail.
        let _ = writeln!(
            page,
            "<tr id=\"{code}\"><td><code>{code}</code><td>{}<td>{}",
            code.kind().name(),
            error::status(code.class()).as_u16()
        );
    }
    page.push_str("</table>\n</html>\n");
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_anchor() {
        let page = page();
        for &code in Code::ALL {
            assert!(page.contains(&format!("id=\"{code}\"")), "{code}");
        }
    }
}
