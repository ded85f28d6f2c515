//! Storage besides the indexes: the layout of the data folder, and the tables of `meta.redb` that
//! belong to the instance as a whole.

pub mod feature_store;
pub mod folder;
pub mod import;
pub mod meta_door;
pub mod new_folder;
