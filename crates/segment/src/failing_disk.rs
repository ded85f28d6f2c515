//! Test support for any component: a disk that fails while a file is written.

use crate::directory::{Directory, Effect, FaultDirectory, InjectedFault, MemoryDirectory};
use crate::error::{Problem, Result, SegmentError};

/// Runs the work with a fault at every operation, until none is left to fail. The folder after a
/// crash is opened and verified with `check`.
pub(crate) fn fails_cleanly(
    work: impl Fn(&dyn Directory) -> Result<u64>,
    check: impl Fn(&dyn Directory) -> Result<Vec<Problem>>,
) {
    for effect in [Effect::Refused, Effect::DoneYetReported, Effect::ShortWrite, Effect::OutOfSpace]
    {
        for number in 0.. {
            let fault = InjectedFault::at(number, effect);
            let directory = FaultDirectory::with_fault(MemoryDirectory::new(), fault);
            let outcome = work(&directory);
            if !directory.has_fired() {
                outcome.unwrap();
                assert!(number >= 4, "create, write, write, sync at least");
                break;
            }
            let error = outcome.unwrap_err();
            assert!(matches!(error, SegmentError::Io { .. }), "{error}");
            directory.inner().sync().unwrap();
            for seed in 0..3 {
                let after = directory.inner().crash_with_seed(seed);
                match check(&after) {
                    Ok(problems) => assert_eq!(problems, []),
                    Err(error) => assert!(error.is_damaged() || error.is_not_found()),
                }
            }
        }
    }
}
