//! Passes requests from connections to the handlers of their routes, and answers back.

mod front;
mod router;

pub use front::Front;
