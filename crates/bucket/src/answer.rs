//! Reads answers of servers: the status, and the few texts in use.

use outbound::Answer;

use crate::error::BucketError;

const LONGEST_MESSAGE: usize = 500;

pub(crate) fn check(answer: &Answer) -> Result<(), BucketError> {
    let status = answer.status;
    let message = || message_of(&text_of(answer));
    match status {
        200..300 => Ok(()),
        500.. => Err(BucketError::Failed { status, message: message() }),
        _ => Err(BucketError::Refused { status, message: message() }),
    }
}

pub(crate) fn text_of(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

/// Returns the server's error code and message if it sends them, else the beginning of the text.
pub(crate) fn message_of(text: &str) -> String {
    match (element(text, "Code"), element(text, "Message")) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code,
        _ => text.chars().take(LONGEST_MESSAGE).collect(),
    }
}

/// Returns the text of the first element of this name. The few answers need no more XML than this.
pub(crate) fn element(xml: &str, name: &str) -> Option<String> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once(&format!("</{name}>"))?;
    let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    Some(plain.replace("&apos;", "'").replace("&amp;", "&"))
}
