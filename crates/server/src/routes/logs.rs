//! `/logs`: streams the log to one client, and sets what goes to stderr.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode};
use deserr::{
    DeserializeError, Deserr, ErrorKind, IntoValue, Value, ValuePointerRef, take_cf_content,
};
use engine::keys::Action;
use futures_util::stream;
use logs::{Control, LogStream, StreamMode, Targets};
use model::features::Feature;
use model::{Code, ServiceError};
use tokio::sync::watch;
use tokio::time::Interval;

use crate::access::Credential;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::field_error::string;
use crate::http::json::BodyError;

/// How often the key of a reader is checked, whether there are lines or not.
const CHECK_EVERY: Duration = Duration::from_secs(1);

pub async fn open_stream(app: App, mut call: Call) -> Answer {
    let body: StreamBody = call.json().await?;
    let mode = body.mode()?;
    check_feature(&app)?;
    let opened = control(&app)?.open_stream(mode, body.target.0);
    let lines = opened.map_err(|_| {
        let message = "The `/logs/stream` route is currently in use by someone else.";
        ServiceError::new(Code::BadRequest, message)
    })?;
    let credential = Credential::of(&app.engine, &call.headers);
    let (closing, checks) = (app.closing.clone(), tokio::time::interval(CHECK_EVERY));
    let reader = Reader { lines, closing, credential, checks };
    let lines = stream::unfold(reader, |mut reader| async move {
        let line = reader.next().await?;
        Some((Ok::<_, Infallible>(line), reader))
    });
    let kind = match mode {
        StreamMode::Human => answer::TEXT,
        StreamMode::Json | StreamMode::Profile { .. } => answer::NDJSON,
    };
    let mut response = answer::with_type(StatusCode::OK, kind, Body::from_stream(lines));
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

pub async fn end_stream(app: App, _call: Call) -> Answer {
    check_feature(&app)?;
    control(&app)?.end_stream();
    Ok(answer::empty(StatusCode::NO_CONTENT))
}

pub async fn set_stderr(app: App, mut call: Call) -> Answer {
    let body: StderrBody = call.json().await?;
    check_feature(&app)?;
    control(&app)?.set_console(body.target.0);
    Ok(answer::empty(StatusCode::NO_CONTENT))
}

fn check_feature(app: &App) -> Result<(), ServiceError> {
    app.engine.features().check(Feature::logs_route, "Modifying logs through the `/logs/*` routes")
}

fn control(app: &App) -> Result<&Control, ServiceError> {
    let control = app.options.logs.as_ref();
    control.ok_or_else(|| {
        ServiceError::internal("the logs of this process are not under the control of this server")
    })
}

/// A client that reads the stream until it disconnects, its key expires, the stream is ended, or
/// the server shuts down.
struct Reader {
    lines: LogStream,
    closing: watch::Receiver<bool>,
    credential: Credential,
    checks: Interval,
}

impl Reader {
    async fn next(&mut self) -> Option<axum::body::Bytes> {
        loop {
            tokio::select! {
                line = self.lines.next() => return line,
                _ = self.checks.tick() => drop(self.credential.access(Action::MetricsGet, None)?),
                _ = self.closing.wait_for(|closing| *closing) => return None,
            }
        }
    }
}

// The fields are in the order of error messages.
#[derive(Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct StreamBody {
    #[deserr(default)]
    target: Target,
    #[deserr(default = Mode::Human)]
    mode: Mode,
    #[deserr(default = false)]
    profile_memory: bool,
}

#[derive(Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct StderrBody {
    #[deserr(default)]
    target: Target,
}

#[derive(Debug, Clone, Copy, Deserr)]
#[deserr(rename_all = camelCase)]
enum Mode {
    Human,
    Json,
    Profile,
}

impl StreamBody {
    fn mode(&self) -> Result<StreamMode, ServiceError> {
        match (self.mode, self.profile_memory) {
            (Mode::Human, false) => Ok(StreamMode::Human),
            (Mode::Json, false) => Ok(StreamMode::Json),
            (Mode::Profile, memory) => Ok(StreamMode::Profile { memory }),
            (mode, true) => Err(ServiceError::new(
                // The code is odd, but part of the API.
                Code::InvalidSettingsTypoTolerance,
                format!(
                    "Invalid value: `profile_memory` can only be used while profiling code and is \
                     not compatible with the {mode:?} mode."
                ),
            )),
        }
    }
}

const EMPTY_TARGET: &str = "Empty string is not a valid target. If you want to get no logs use `OFF`. Usage: `info`, `meilisearch=info`, or you can write multiple filters in one target: `index_scheduler=info,milli=trace`";

/// The lines to log: a level, or levels by module.
struct Target(Targets);

impl Default for Target {
    fn default() -> Self {
        Self(Targets::new().with_default(logs::LevelFilter::INFO))
    }
}

impl<E: DeserializeError> Deserr<E> for Target {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        let text = string::<V, E>(value, at)?;
        if text.is_empty() {
            let kind = ErrorKind::Unexpected { msg: EMPTY_TARGET.to_owned() };
            return Err(take_cf_content(E::error::<V>(None, kind, at)));
        }
        text.parse().map(Self).map_err(|cause: logs::ParseError| {
            let kind = ErrorKind::Unexpected { msg: cause.to_string() };
            take_cf_content(E::error::<V>(None, kind, at))
        })
    }
}
