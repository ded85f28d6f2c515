//! Tasks and batches as they change, as server-sent events: one object per change, none replayed.

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
use crate::access::{Pass, sees_batch, sees_task};
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::error::Links;
use crate::routes::batches::{self, BatchObject};

/// A line is sent this often when nothing happens, so that nobody takes the silence for the end.
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

/// Without this wish, `stream` is read as an uid, as clients of older versions expect.
fn wants_events(call: &Call) -> bool {
    call.headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.to_ascii_lowercase().contains("text/event-stream"))
}

/// How one event reads to a client; none when it is of the other kind, or not to be seen.
type Wording = fn(&Event, &Access, &Links) -> Option<Bytes>;

fn line<T: Serialize>(object: &T) -> Bytes {
    let json = serde_json::to_string(object).unwrap_or_default();
    Bytes::from(format!("data: {json}\n\n"))
}

struct Listener {
    events: broadcast::Receiver<Event>,
    closing: watch::Receiver<bool>,
    pass: Pass,
    links: Links,
    wording: Wording,
    is_new: bool,
}

fn stream_of(app: &App, call: Call, wording: Wording) -> axum::response::Response {
    let listener = Listener {
        events: app.relay.listen(&app.engine),
        closing: app.closing.clone(),
        pass: Pass::of(&app.engine, &call.headers),
        links: call.links,
        wording,
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
                        // The stream ends with the right to read it.
                        let access = self.pass.access(Action::TasksGet, None)?;
                        if let Some(line) = (self.wording)(&event, &access, &self.links) {
                            return Some(line);
                        }
                    }
                    Err(RecvError::Lagged(_) | RecvError::Closed) => return None,
                },
                () = tokio::time::sleep(HEARTBEAT) => {
                    self.pass.access(Action::TasksGet, None)?;
                    return Some(Bytes::from_static(b":\n\n"));
                }
                _ = self.closing.wait_for(|closing| *closing) => return None,
            }
        }
    }
}
