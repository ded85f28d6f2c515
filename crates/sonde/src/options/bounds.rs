//! The limits on what connections and requests may cost.

use server::Bounds;

use super::config::OptionReader;
use super::error::OptionError;
use super::option::LaunchOption;
use super::table;

impl OptionReader<'_> {
    pub(super) fn bounds(&self) -> Result<Bounds, OptionError> {
        Ok(Bounds {
            connections: self.max_connections()?,
            body_rate: self.bytes(&table::HTTP_MIN_BODY_RATE)?,
            payload_size: self.bytes(&table::HTTP_PAYLOAD_SIZE_LIMIT)?,
            search_payload_size: self.bytes(&table::HTTP_SEARCH_PAYLOAD_SIZE_LIMIT)?,
            json_values: self.number(&table::HTTP_JSON_VALUE_LIMIT)?,
            search_memory: self.bytes(&table::HTTP_SEARCH_MEMORY)?,
            upload_memory: self.bytes(&table::HTTP_UPLOAD_MEMORY)?,
            queries: self.count(&table::SEARCH_QUERIES_LIMIT)?,
            query_size: self.size(&table::SEARCH_QUERY_SIZE_LIMIT)?,
            tag_size: self.size(&table::SEARCH_TAG_SIZE_LIMIT)?,
            answer_size: self.bytes(&table::SEARCH_ANSWER_SIZE_LIMIT)?,
            ..Bounds::default()
        })
    }

    fn size(&self, option: &'static LaunchOption) -> Result<usize, OptionError> {
        Ok(usize::try_from(self.bytes(option)?).unwrap_or(usize::MAX))
    }
}
