//! Describes a file for people.

use segment::{FileBytes, Frame};

use crate::error::Result;
use crate::file::{self, VectorFile};
use crate::graph::{self, GraphFile};

/// Describes a vector or graph file; returns `None` for a file of another kind.
pub fn inspect(bytes: &FileBytes, name: &str) -> Option<String> {
    let kind = Frame::read(name, bytes.clone()).ok()?.kind();
    let described = if kind == file::format::KIND {
        describe_vectors(name, bytes)
    } else if kind == graph::format::KIND {
        describe_graph(name, bytes)
    } else {
        return None;
    };
    Some(described.unwrap_or_else(|error| format!("problem: {error}\n")))
}

fn describe_vectors(name: &str, bytes: &FileBytes) -> Result<String> {
    let file = VectorFile::from_bytes(name, bytes.clone())?;
    let meta = file.meta();
    Ok(format!(
        "vectors: {} of {} dimensions, {:?}, {} bytes each\n\
         documents: {}, DocIds {} to {}, at most {} vectors each, {} lose those before\n\
         zero vectors: {}\n",
        meta.rows,
        meta.options.dimensions,
        meta.options.metric,
        file.space().stride(),
        meta.documents,
        file.documents().min().unwrap_or_default(),
        file.documents().max().unwrap_or_default(),
        meta.most,
        file.gone().len(),
        file.zeros().len(),
    ))
}

fn describe_graph(name: &str, bytes: &FileBytes) -> Result<String> {
    let file = GraphFile::from_bytes(name, bytes.clone())?;
    let nodes = file.rows(0);
    let mut links = 0;
    for index in 0..nodes {
        links += file.row(0, index)?.iter().filter(|word| **word != [0; 4]).count();
    }
    let mut out = format!(
        "nodes: {nodes}, {} of them alive, {:.1} bytes each\n\
         links of a node in the lowest layer: {:.1}\n",
        file.living(),
        file.length() as f64 / f64::from(nodes.max(1)),
        links as f64 / f64::from(file.living().max(1)),
    );
    for layer in (1..graph::format::LAYERS).filter(|&layer| file.rows(layer) > 0) {
        out += &format!("layer {layer}: {} nodes\n", file.rows(layer));
    }
    Ok(out)
}
