//! The rights of a caller where they matter beyond the door: for answers that last, and for what a
//! task or batch shows.

use std::fmt;
use std::sync::Arc;

use ::tasks::{BatchView, Task};
use axum::http::HeaderMap;
use engine::Engine;
use engine::chats::{IndexAccess, SearchAccess};
use engine::keys::{Access, Action};

use crate::http::guard::bearer_token;

/// The credential of a request whose answer lasts. What it allows is looked up anew as the answer
/// goes on, because keys expire and are deleted meanwhile.
#[derive(Clone)]
pub(crate) struct Pass {
    engine: Arc<Engine>,
    token: Option<Arc<str>>,
}

impl Pass {
    /// To be made after the request was admitted.
    pub fn of(engine: &Arc<Engine>, headers: &HeaderMap) -> Self {
        let token = bearer_token(headers).ok().flatten().map(Arc::from);
        Self { engine: Arc::clone(engine), token }
    }

    /// None once the credential is worth nothing any more.
    pub fn access(&self, action: Action, index: Option<&str>) -> Option<Access> {
        self.engine.keys().authorize(self.token.as_deref(), &[action], index).ok()
    }
}

/// The token stays out of whatever prints this.
impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pass").finish_non_exhaustive()
    }
}

/// A conversation searches as its caller would.
impl SearchAccess for Pass {
    fn to_index(&self, uid: &str) -> IndexAccess {
        match self.access(Action::Search, Some(uid)) {
            None => IndexAccess::Denied,
            Some(access) => match access.filter(uid) {
                None => IndexAccess::Full,
                Some(filter) => IndexAccess::Filtered(filter.clone()),
            },
        }
    }
}

/// Whether a change of a task is told to somebody. As in lists, what concerns no index, or more
/// than one, is for those who see all of them.
pub(crate) fn sees_task(access: &Access, task: &Task) -> bool {
    access.is_to_all_indexes()
        || (task.task_type().concerns_one_index()
            && task.content.index_uids().iter().all(|uid| access.is_to_index(uid)))
}

pub(crate) fn sees_batch(access: &Access, batch: &BatchView) -> bool {
    access.is_to_all_indexes()
        || (batch.stats.types.keys().all(|kind| kind.concerns_one_index())
            && batch.stats.index_uids.keys().any(|uid| access.is_to_index(uid)))
}
