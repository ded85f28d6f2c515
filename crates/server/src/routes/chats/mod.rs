//! `/chats`: workspaces, which are created by setting their settings.

pub mod completions;
pub mod settings;

use axum::http::StatusCode;
use model::features::Feature;
use model::{IndexUid, ServiceError};
use serde::Serialize;

use super::paging::{PageParameters, PageReply};
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::query::Param;

#[derive(Debug, Serialize)]
struct Workspace {
    uid: String,
}

pub async fn list(app: App, call: Call) -> Answer {
    let PageParameters { offset: Param(offset), limit: Param(limit) } = call.parameters()?;
    check_feature(&app, "listing the chats")?;
    let page = app.engine.chats().list(offset, limit);
    Ok(answer::ok(&PageReply {
        results: page.results.into_iter().map(|uid| Workspace { uid }).collect(),
        offset,
        limit,
        total: page.total,
    }))
}

pub async fn get(app: App, call: Call) -> Answer {
    check_feature(&app, "displaying a chat")?;
    // No other route checks the name of a workspace.
    let uid = IndexUid::new(call.param("uid"))?.into_string();
    app.engine.chats().check(&uid)?;
    Ok(answer::ok(&Workspace { uid }))
}

pub async fn delete(app: App, call: Call) -> Answer {
    check_feature(&app, "deleting a chat")?;
    let uid = call.param("uid").to_owned();
    app.blocking(move |engine| engine.chats().delete(&uid)).await?;
    Ok(answer::empty(StatusCode::NO_CONTENT))
}

fn check_feature(app: &App, tried: &str) -> Result<(), ServiceError> {
    app.engine.features().check(Feature::chat_completions, tried)
}
