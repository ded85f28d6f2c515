//! Reads and changes the settings of indexes.

use model::{IndexUid, ServiceError};
use serde_json::{Map, Value};
use settings::{Change, Setting};
use tasks::{Content, Task};

use super::{Engine, WriteContext};
use crate::search::check_filters_of_boosts;

impl Engine {
    /// Returns all settings of an index, defaults included.
    pub fn settings(&self, uid: &str) -> Result<Map<String, Value>, ServiceError> {
        let snapshot = self.indexes.index(uid)?.snapshot();
        Ok(Setting::read_all(snapshot.settings(), &self.features()))
    }

    pub fn setting(&self, uid: &str, setting: &Setting) -> Result<Value, ServiceError> {
        let snapshot = self.indexes.index(uid)?.snapshot();
        Ok(setting.read(snapshot.settings()))
    }

    /// Checks the change as far as possible without the index, then enqueues it.
    pub fn change_settings(
        &self,
        uid: IndexUid,
        change: Change,
        may_create_index: bool,
        context: impl Into<WriteContext>,
    ) -> Result<Task, ServiceError> {
        let context = context.into();
        change.check_whole(&self.features())?;
        if let Some(boosts) = change.get("boosts") {
            check_filters_of_boosts(boosts, &self.features())?;
        }
        let content = Content::SettingsUpdate {
            index_uid: uid.into_string(),
            details: change.details(),
            settings: change.into_value(),
            may_create_index: may_create_index && !context.needs_index,
        };
        self.enqueue(content, context)
    }
}
