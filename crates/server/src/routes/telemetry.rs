//! `/telemetry/preview`: the usage data of this instance, as it would be sent.

use crate::app::App;
use crate::blocking::run_blocking;
use crate::call::{Answer, Call};
use crate::http::answer;

pub async fn preview(app: App, _call: Call) -> Answer {
    let telemetry = app.options.telemetry.clone();
    // Counting documents and bytes reads the disk.
    let preview = run_blocking(move || Ok(telemetry.preview())).await?;
    Ok(answer::ok(&preview))
}
