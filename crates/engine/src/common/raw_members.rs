//! A JSON object whose members stay as written.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Members in order, including duplicate names.
#[derive(Debug)]
pub struct RawMembers(pub Vec<(String, Box<RawValue>)>);

impl RawMembers {
    /// Returns the position of the first member of this name.
    pub fn place_of(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|member| member.0 == name)
    }
}

/// Writes the object as JSON.
impl fmt::Display for RawMembers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (place, (name, value)) in self.0.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            write!(f, "{comma}{}:{value}", serde_json::Value::from(name.as_str()))?;
        }
        f.write_str("}")
    }
}

impl<'de> Deserialize<'de> for RawMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = RawMembers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawMembers, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(RawMembers(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stay_as_they_were_written() {
        let json = r#"{"b":1.50,"a":{"x": [1]},"b":12345678901234567890123,"\"":null}"#;
        let members: RawMembers = serde_json::from_str(json).unwrap();
        assert_eq!(members.to_string(), json);
        assert_eq!((members.place_of("a"), members.place_of("c")), (Some(1), None));
        let none: RawMembers = serde_json::from_str("{ }").unwrap();
        assert_eq!(none.to_string(), "{}");
        assert!(serde_json::from_str::<RawMembers>("[]").is_err());
    }
}
