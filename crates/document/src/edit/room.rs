//! A stack deep enough for what a script may do.
//!
//! The allowed thousand levels of calls, each with its own nested expressions, do not fit into
//! the stack of an ordinary thread, and an overflow would end the whole process. The memory is
//! only reserved; what a script does not reach is never used.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use model::ServiceError;

const STACK_BYTES: usize = 512 << 20;

thread_local! {
    static HAS_ROOM: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` on a thread with a stack for scripts; right here if this already is one.
/// A panic of `work` is an error.
pub fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, ServiceError> {
    if HAS_ROOM.get() {
        return catch_unwind(AssertUnwindSafe(work)).map_err(|_| crashed());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .name("edit".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || {
                HAS_ROOM.set(true);
                work()
            })
            .map_err(|error| ServiceError::from_io(&error))?;
        thread.join().map_err(|_| crashed())
    })
}

fn crashed() -> ServiceError {
    ServiceError::internal("the edit function crashed")
}
