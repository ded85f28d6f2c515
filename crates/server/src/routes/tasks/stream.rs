//! Streams changes of tasks and batches as server-sent events: one object per change, none
//! replayed.

use std::convert::Infallible;
use std::time::Duration;

use ::tasks::Event;
use axum::body::{Body, Bytes};
use axum::http::header;
use engine::keys::{Access, Action};
use futures_util::stream;
use model::{Code, ServiceError};
use serde::Serialize;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

use super::wire::TaskObject;
use crate::access::{Credential, sees_batch, sees_task};
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::error::Links;
use crate::routes::batches::{self, BatchObject};

/// How often a heartbeat is sent, so that clients do not take silence for the end.
const HEARTBEAT: Duration = Duration::from_secs(15);

pub async fn of_tasks(app: App, call: Call) -> Answer {
    if !wants_events(&call) {
        return Err(ServiceError::new(
            Code::InvalidTaskUids,
            "Task uid `stream` is invalid. It should only contain numeric characters.",
        ));
    }
    Ok(stream_of(&app, call, |event, access, links| match event {
        Event::Task(task) if sees_task(access, task) => Some(line(&TaskObject::new(task, links))),
        Event::Task(_) | Event::Batch(_) => None,
    }))
}

pub async fn of_batches(app: App, call: Call) -> Answer {
    if !wants_events(&call) {
        return Err(batches::invalid_uid("stream"));
    }
    Ok(stream_of(&app, call, |event, access, _| match event {
        Event::Batch(batch) if sees_batch(access, batch) => {
            Some(line(&BatchObject::from(&**batch)))
        }
        Event::Batch(_) | Event::Task(_) => None,
    }))
}

/// True if the client accepts events. Otherwise `stream` is read as a uid, as clients of older
/// versions expect.
fn wants_events(call: &Call) -> bool {
    call.headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.to_ascii_lowercase().contains("text/event-stream"))
}

/// Writes an event for a client; `None` if it is of the other kind, or not visible to it.
type EventToLine = fn(&Event, &Access, &Links) -> Option<Bytes>;

fn line<T: Serialize>(object: &T) -> Bytes {
    let json = serde_json::to_string(object).unwrap_or_default();
    Bytes::from(format!("data: {json}\n\n"))
}

struct Listener {
    events: broadcast::Receiver<Event>,
    closing: watch::Receiver<bool>,
    credential: Credential,
    links: Links,
    to_line: EventToLine,
    is_new: bool,
}

fn stream_of(app: &App, call: Call, to_line: EventToLine) -> axum::response::Response {
    let listener = Listener {
        events: app.relay.listen(&app.engine),
        closing: app.closing.clone(),
        credential: Credential::of(&app.engine, &call.headers),
        links: call.links,
        to_line,
        is_new: true,
    };
    let lines = stream::unfold(listener, |mut listener| async move {
        let line = listener.next().await?;
        Some((Ok::<_, Infallible>(line), listener))
    });
    answer::events(Body::from_stream(lines))
}

impl Listener {
    async fn next(&mut self) -> Option<Bytes> {
        if self.is_new {
            self.is_new = false;
            return Some(Bytes::from_static(b": listening\n\n"));
        }
        loop {
            tokio::select! {
                event = self.events.recv() => match event {
                    Ok(event) => {
                        // The stream ends when the key loses its access.
                        let access = self.credential.access(Action::TasksGet, None)?;
                        if let Some(line) = (self.to_line)(&event, &access, &self.links) {
                            return Some(line);
                        }
                    }
                    Err(RecvError::Lagged(_) | RecvError::Closed) => return None,
                },
                () = tokio::time::sleep(HEARTBEAT) => {
                    self.credential.access(Action::TasksGet, None)?;
                    return Some(Bytes::from_static(b":\n\n"));
                }
                _ = self.closing.wait_for(|closing| *closing) => return None,
            }
        }
    }
}
