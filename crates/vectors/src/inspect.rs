//! Describes a file for people.

use std::fmt::Write;

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
    let mut out = String::new();
    line(
        &mut out,
        format_args!(
            "vectors: {} of {} dimensions, {:?}, {} bytes each",
            meta.rows,
            meta.options.dimensions,
            meta.options.metric,
            file.space().stride()
        ),
    );
    line(
        &mut out,
        format_args!(
            "documents: {}, DocIds {} to {}, at most {} vectors each, {} lose those before",
            meta.documents,
            file.documents().min().unwrap_or_default(),
            file.documents().max().unwrap_or_default(),
            meta.most,
            file.gone().len()
        ),
    );
    line(&mut out, format_args!("zero vectors: {}", file.zeros().len()));
    Ok(out)
}

fn describe_graph(name: &str, bytes: &FileBytes) -> Result<String> {
    let file = GraphFile::from_bytes(name, bytes.clone())?;
    let nodes = u64::from(file.rows(0));
    let mut out = String::new();
    line(
        &mut out,
        format_args!(
            "nodes: {nodes}, {} of them alive, {:.1} bytes each",
            file.living(),
            file.length() as f64 / nodes.max(1) as f64
        ),
    );
    let mut links = 0;
    for index in 0..file.rows(0) {
        links += file.row(0, index)?.iter().filter(|word| **word != [0; 4]).count();
    }
    let each = links as f64 / f64::from(file.living().max(1));
    line(&mut out, format_args!("links of a node in the lowest layer: {each:.1}"));
    for layer in (1..graph::format::LAYERS).filter(|&layer| file.rows(layer) > 0) {
        line(&mut out, format_args!("layer {layer}: {} nodes", file.rows(layer)));
    }
    Ok(out)
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{text}");
}
