//! Serialises the format of a payload as a text that holds JSON: `"{\"csv\":{\"delimiter\":59}}"`.

use model::Format;
use serde::{Deserialize, Deserializer, Serializer, de, ser};

pub fn serialize<S: Serializer>(format: &Format, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&serde_json::to_string(format).map_err(ser::Error::custom)?)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Format, D::Error> {
    serde_json::from_str(&String::deserialize(deserializer)?).map_err(de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::content::{Content, Method};
    use crate::task::payload_id::PayloadId;

    #[test]
    fn the_stored_form_is_read_back() {
        for (format, stored) in [
            (Format::Json, r#""json""#),
            (Format::Ndjson, r#""ndjson""#),
            (Format::Csv { delimiter: b';' }, r#"{"csv":{"delimiter":59}}"#),
        ] {
            assert_eq!(serde_json::to_string(&format).unwrap(), stored);
            assert_eq!(serde_json::from_str::<Format>(stored).unwrap(), format);
            let content = Content::DocumentAdditionOrUpdate {
                index_uid: "books".to_owned(),
                primary_key: None,
                method: Method::Replace,
                format,
                payload: PayloadId::empty(),
                documents: 1,
                may_create_index: true,
                skip_creation: false,
            };
            let record = serde_json::to_string(&content).unwrap();
            let member = format!(r#","format":{},"#, serde_json::Value::from(stored));
            assert!(record.contains(&member), "{record}");
            assert_eq!(serde_json::from_str::<Content>(&record).unwrap(), content);
        }
    }
}
