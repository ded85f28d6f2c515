//! The way of a request from its connection to the handler of its route, and of the answer back.

mod front;
mod router;

pub use front::Front;
