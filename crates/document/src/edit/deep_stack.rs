//! Runs scripts on a thread with a stack deep enough for their limits.
//!
//! The allowed thousand levels of calls, each with its own nested expressions, do not fit into the
//! stack of an ordinary thread, and an overflow would end the whole process. The memory is only
//! reserved, not committed.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use model::ServiceError;

const STACK_BYTES: usize = 512 << 20;

thread_local! {
    static IS_DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` on a thread with a deep stack, or in place if this already is one. A panic of `work`
/// is returned as an error.
pub fn with_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, ServiceError> {
    if IS_DEEP.get() {
        return catch_unwind(AssertUnwindSafe(work)).map_err(|_| crashed());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .name("edit".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || {
                IS_DEEP.set(true);
                work()
            })
            .map_err(|error| ServiceError::from_io(&error))?;
        thread.join().map_err(|_| crashed())
    })
}

fn crashed() -> ServiceError {
    ServiceError::internal("the edit function crashed")
}
