//! Guards reads of the whole `meta.redb`. The database panics on some kinds of damage; here that
//! becomes an error that names the file, without a backtrace.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs work on the database, which must open and close it. A panic becomes an error.
pub(crate) fn without_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        format!("it is damaged and cannot be read: {text}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_its_words() {
        assert_eq!(without_panic(|| 7), Ok(7));
        let number = 3;
        for error in [without_panic(|| panic!("page 3")), without_panic(|| panic!("page {number}"))]
        {
            let error: Result<(), String> = error;
            assert_eq!(error.unwrap_err(), "it is damaged and cannot be read: page 3");
        }
    }
}
