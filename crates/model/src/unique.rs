//! Identifiers that sort by creation time.

use std::time::{SystemTime, UNIX_EPOCH};

use uuid::{NoContext, Timestamp, Uuid};

/// Returns a UUID v7. Before 1970, which the format cannot express, it uses the first time: the
/// library alone would panic there.
pub fn time_ordered_uuid() -> Uuid {
    uuid_at(SystemTime::now())
}

fn uuid_at(clock: SystemTime) -> Uuid {
    match clock.duration_since(UNIX_EPOCH) {
        Ok(_) => Uuid::now_v7(),
        Err(_) => Uuid::new_v7(Timestamp::from_unix(NoContext, 0, 0)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_before_1970_gives_identifiers_too() {
        let early = UNIX_EPOCH - Duration::from_secs(1_000_000);
        let (a, b) = (uuid_at(early), uuid_at(early));
        assert!(a != b && a.get_version_num() == 7);
        assert!(a < time_ordered_uuid());
    }
}
