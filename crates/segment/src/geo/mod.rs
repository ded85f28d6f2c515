//! The `geo` component of a segment: the locations of its documents. Points (`_geo`) and shapes
//! (`_geojson`) are two lists sorted along a curve over the map, each with a packed tree of boxes,
//! and both are read in place.
//!
//! `buffer` and `finish` write a file, `merge` merges several, `points`, `nearest` and `shapes`
//! search it; FORMAT.md has the byte diagrams. Points are on a sphere (`sphere`), the lines between
//! the points of a shape are straight on the map (`plane`).

mod buffer;
mod circle;
mod finish;
mod format;
mod hilbert;
mod merge;
mod nearest;
mod plane;
mod points;
mod reader;
mod region;
mod shape;
mod shapes;
mod sphere;
mod tree;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

pub use buffer::GeoBuffer;
pub use finish::finish;
pub use merge::{GeoMergeInput, merge};
pub use nearest::{Nearest, Neighbour};
pub use reader::GeoReader;
pub use shape::Shape;
pub use sphere::{Point, distance};

pub(crate) use format::KIND;
