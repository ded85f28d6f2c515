//! The commands for people, as people use them: the real program against a real server.

mod bench;
mod dump;
mod evaluate;
mod import;
mod instance;
mod manual;
mod migrate;
mod mistakes;
mod resume;
mod search;
