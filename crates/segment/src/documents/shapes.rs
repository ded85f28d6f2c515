//! Top-level fields of a document in four bytes: documents of an index repeat a few lists of names,
//! so each list is stored once, as a path in a tree of names.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

/// A list of field names, as the last node of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape(u32);

#[derive(Debug)]
pub struct Shapes {
    names: Vec<String>,
    by_name: HashTable<u32>,
    nodes: Vec<Node>,
    by_step: HashTable<u32>,
    names_length: usize,
}

#[derive(Debug, Default)]
struct Node {
    parent: u32,
    name: u32,
    /// The first few children, which are nearly always the only ones.
    next: Vec<u32>,
}

/// Children beyond this number are looked up by hash.
const NEXT_LIMIT: usize = 4;

impl Default for Shapes {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            by_name: HashTable::new(),
            nodes: vec![Node::default()],
            by_step: HashTable::new(),
            names_length: 0,
        }
    }
}

impl Shapes {
    pub fn shape_of<'n>(&mut self, fields: impl IntoIterator<Item = &'n str>) -> Shape {
        let mut node = 0;
        for field in fields {
            node = self.step(node, field);
        }
        Shape(node)
    }

    /// Returns the numbers of the names of a shape, last one first.
    pub fn fields(&self, shape: Shape) -> impl Iterator<Item = usize> {
        let mut node = shape.0;
        std::iter::from_fn(move || {
            if node == 0 {
                return None;
            }
            let Node { parent, name, .. } = self.nodes[node as usize];
            node = parent;
            Some(name as usize)
        })
    }

    pub fn into_names(self) -> Vec<String> {
        self.names
    }

    pub fn name_count(&self) -> usize {
        self.names.len()
    }

    pub fn memory_used(&self) -> usize {
        self.names_length
            + self.names.capacity() * size_of::<String>()
            + self.nodes.capacity() * (size_of::<Node>() + NEXT_LIMIT * size_of::<u32>())
            + self.by_name.allocation_size()
            + self.by_step.allocation_size()
    }

    fn step(&mut self, from: u32, field: &str) -> u32 {
        for &next in &self.nodes[from as usize].next {
            let name = self.nodes[next as usize].name;
            if self.names[name as usize] == field {
                return next;
            }
        }
        let name = self.intern(field);
        let nodes = &self.nodes;
        let is_step = |&node: &u32| {
            let node = &nodes[node as usize];
            node.parent == from && node.name == name
        };
        if let Some(&node) = self.by_step.find(step_hash(from, name), is_step) {
            return node;
        }
        self.add_node(from, name)
    }

    fn add_node(&mut self, parent: u32, name: u32) -> u32 {
        let node = self.nodes.len() as u32;
        self.nodes.push(Node { parent, name, next: Vec::new() });
        let siblings = &mut self.nodes[parent as usize].next;
        if siblings.len() < NEXT_LIMIT {
            siblings.push(node);
            return node;
        }
        let nodes = &self.nodes;
        self.by_step.insert_unique(step_hash(parent, name), node, |&other| {
            let other = &nodes[other as usize];
            step_hash(other.parent, other.name)
        });
        node
    }

    fn intern(&mut self, field: &str) -> u32 {
        let hash = xxh3_64(field.as_bytes());
        let names = &self.names;
        let known = self.by_name.find(hash, |&name| names[name as usize] == field);
        if let Some(&name) = known {
            return name;
        }
        let name = self.names.len() as u32;
        self.names_length += field.len();
        self.names.push(field.to_owned());
        let names = &self.names;
        self.by_name.insert_unique(hash, name, |&other| xxh3_64(names[other as usize].as_bytes()));
        name
    }
}

fn step_hash(from: u32, name: u32) -> u64 {
    let step = u64::from(from) << 32 | u64::from(name);
    xxh3_64(&step.to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(shapes: &Shapes, shape: Shape) -> Vec<&str> {
        let mut names: Vec<&str> =
            shapes.fields(shape).map(|name| shapes.names[name].as_str()).collect();
        names.reverse();
        names
    }

    #[test]
    fn equal_lists_share_a_shape() {
        let mut shapes = Shapes::default();
        let first = shapes.shape_of(["id", "title"]);
        let second = shapes.shape_of(["id", "title", "year"]);
        assert_ne!(first, second);
        assert_eq!(shapes.shape_of(["id", "title"]), first);
        assert_eq!(shapes.shape_of([]), Shape(0));
        assert_eq!(names(&shapes, second), ["id", "title", "year"]);
        assert_eq!(names(&shapes, Shape(0)), [""; 0]);
    }

    #[test]
    fn many_ways_on_are_told_apart() {
        let mut shapes = Shapes::default();
        let all: Vec<String> = (0..1000).map(|number| format!("field{number}")).collect();
        let made: Vec<Shape> = all.iter().map(|name| shapes.shape_of(["id", name])).collect();
        for (name, shape) in all.iter().zip(&made) {
            assert_eq!(shapes.shape_of(["id", name]), *shape);
            assert_eq!(names(&shapes, *shape), ["id", name.as_str()]);
        }
        assert_eq!(shapes.name_count(), 1001);
    }
}
