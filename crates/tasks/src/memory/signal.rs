//! Wakes threads that wait for work. A raise between looking and waiting is not missed, because the
//! generation counter is compared.

use std::time::Instant;

use parking_lot::{Condvar, Mutex};

#[derive(Debug, Default)]
pub(crate) struct Signal {
    generation: Mutex<u64>,
    waiters: Condvar,
}

impl Signal {
    /// Returns the generation; read it before looking for work.
    pub fn generation(&self) -> u64 {
        *self.generation.lock()
    }

    pub fn raise(&self) {
        *self.generation.lock() += 1;
        self.waiters.notify_all();
    }

    /// Waits until the signal is raised after generation `seen`, or until the deadline.
    pub fn wait(&self, seen: u64, deadline: Option<Instant>) {
        let mut generation = self.generation.lock();
        while *generation == seen {
            match deadline {
                None => self.waiters.wait(&mut generation),
                Some(deadline) => {
                    if self.waiters.wait_until(&mut generation, deadline).timed_out() {
                        return;
                    }
                }
            }
        }
    }
}
