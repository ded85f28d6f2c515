//! Reads a whole file and lists its inconsistencies.

use segment::Problem;

use super::reader::VectorFile;
use crate::error::Result;

impl VectorFile {
    pub fn verify(&self) -> Vec<Problem> {
        let mut problems = self.frame.verify();
        if problems.is_empty()
            && let Err(error) = self.compare(&mut problems)
        {
            problems.push(Problem::new(self.name(), error.to_string()));
        }
        problems
    }

    fn compare(&self, problems: &mut Vec<Problem>) -> Result<()> {
        let mut note = |what: String| problems.push(Problem::new(self.name(), what));
        let mut owned = 0;
        for doc_id in self.documents() {
            owned += self.rows_of(doc_id)?.map_or(0, |rows| rows.len() as u64);
        }
        let mut with_owner = 0;
        let mut zeros = self.zeros().iter().copied().peekable();
        for row in 0..self.rows() {
            let Some(owner) = self.owner(row)? else {
                continue;
            };
            with_owner += 1;
            if !self.documents().contains(owner) {
                note(format!("row {row} belongs to document {owner}, which is not here"));
            }
            let bytes = self.row(row)?;
            if self.space().is_zero(bytes) != zeros.next_if_eq(&row).is_some() {
                note(format!("row {row} and the list of zeros contradict each other"));
            }
            let values = self.space().decode(bytes);
            let mut again = Vec::with_capacity(bytes.len());
            self.space().encode(&values, &mut again);
            if values.iter().any(|value| !value.is_finite()) || again != bytes {
                note(format!("row {row} is malformed"));
            }
        }
        if owned != with_owner || owned != u64::from(self.meta().owned) {
            note(format!("documents have {owned} rows, {with_owner} rows have a document"));
        }
        Ok(())
    }
}
