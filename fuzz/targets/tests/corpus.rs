//! Every input that a fuzzer or a person found worth keeping runs once more: what it found stays fixed.

mod replay;

use replay::replay;

macro_rules! targets {
    ($($target:ident)*) => {$(
        #[test]
        fn $target() {
            replay(stringify!($target), fuzz_targets::$target::run);
        }
    )*};
}

targets! { dump filter frame index_files payload query settings template tenant_token }
