//! The dashboard at `/`: a page and its files, served as they are. It is a client like any other
//! and has only the API; its key is the one that its user types.
//!
//! If it is switched off, `/` says that the server runs, and the files are not found.

mod assets;
mod table;

use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::{instance, shown};
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use assets::Asset;

pub async fn page(app: App, call: Call) -> Answer {
    if !app.options.dashboard {
        return instance::root(app, call).await;
    }
    Ok(serve(&call.headers, &assets::PAGE))
}

pub async fn file(app: App, call: Call) -> Answer {
    let asset = assets::find(call.param("folder"), call.param("file"));
    Ok(match asset.filter(|_| app.options.dashboard) {
        Some(asset) => serve(&call.headers, asset),
        None => answer::empty(StatusCode::NOT_FOUND),
    })
}

fn serve(request: &HeaderMap, asset: &Asset) -> Response {
    shown::show(request, &assets::TAG, shown::kind_of(asset.path), asset.bytes)
}
