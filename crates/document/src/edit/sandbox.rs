//! A Rhai engine that an untrusted script can neither leave nor exhaust: no files, no modules, no
//! clock, no waiting, no output, and a limit on everything it can grow.

use std::cell::Cell;
use std::time::{Duration, Instant};

use rhai::module_resolvers::DummyModuleResolver;
use rhai::{Dynamic, Engine, EvalAltResult, FLOAT, INT, OptimizationLevel, Position};

const MAX_OPERATIONS: u64 = 1_000_000;
const MAX_CALL_LEVELS: usize = 1000;
const MAX_VARIABLES: usize = 1000;
const MAX_FUNCTIONS: usize = 30;
const MAX_EXPRESSION_DEPTH: usize = 100;
/// The contract allows 1000, but no stack holds that at each of 1000 call levels.
const MAX_FUNCTION_EXPRESSION_DEPTH: usize = 200;
const MAX_ARRAY_OR_MAP: usize = 10_000;
/// The contract allows a gibibyte, but a few strings of that size would end the process.
const MAX_STRING_BYTES: usize = 32 << 20;
/// One operation may copy a long string, so counting operations does not bound the time.
const MAX_TIME: Duration = Duration::from_secs(5);
/// Reading the clock costs about as much as an operation.
const OPERATIONS_BETWEEN_LOOKS: u64 = 16;

thread_local! {
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}

pub(super) fn engine() -> Engine {
    let mut engine = Engine::new();
    engine
        // The optimizer takes time that doubles with every level of nested switches.
        .set_optimization_level(OptimizationLevel::None)
        .set_max_operations(MAX_OPERATIONS)
        .set_max_call_levels(MAX_CALL_LEVELS)
        .set_max_variables(MAX_VARIABLES)
        .set_max_functions(MAX_FUNCTIONS)
        .set_max_expr_depths(MAX_EXPRESSION_DEPTH, MAX_FUNCTION_EXPRESSION_DEPTH)
        .set_max_string_size(MAX_STRING_BYTES)
        .set_max_array_size(MAX_ARRAY_OR_MAP)
        .set_max_map_size(MAX_ARRAY_OR_MAP)
        .set_max_modules(0)
        .set_module_resolver(DummyModuleResolver::new())
        .on_print(|_| {})
        .on_debug(|_, _, _| {})
        .on_progress(|operations| {
            let look = operations % OPERATIONS_BETWEEN_LOOKS == 0;
            let late = look && DEADLINE.get().is_some_and(|deadline| Instant::now() > deadline);
            late.then(|| Dynamic::from("the function takes too long"))
        });
    // Compiling generated text is not covered by any of the limits.
    engine.disable_symbol("eval");
    engine.register_fn("sleep", |_: INT| not_found("sleep (i64)"));
    engine.register_fn("sleep", |_: FLOAT| not_found("sleep (f64)"));
    engine
}

/// Runs a script of this engine within its time limit.
pub(super) fn run<T>(script: impl FnOnce() -> T) -> T {
    DEADLINE.set(Instant::now().checked_add(MAX_TIME));
    let result = script();
    DEADLINE.set(None);
    result
}

fn not_found(signature: &str) -> Result<(), Box<EvalAltResult>> {
    Err(EvalAltResult::ErrorFunctionNotFound(signature.to_owned(), Position::NONE).into())
}
