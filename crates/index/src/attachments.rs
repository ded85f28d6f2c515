//! Values that searches derive from a text file and reuse. They are attached to the segment, so
//! they are dropped with the file.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;

type Attachment = Arc<dyn Any + Send + Sync>;

#[derive(Default)]
pub(crate) struct Attachments(ArcSwap<Vec<Attachment>>);

impl Attachments {
    /// Returns the first attached value of its type that is wanted, or a new one. Concurrent
    /// callers may each create one; none waits for another.
    pub fn get_or_create<T: Any + Send + Sync>(
        &self,
        is_wanted: impl Fn(&T) -> bool,
        create: impl FnOnce() -> T,
    ) -> Arc<T> {
        let find = |attachments: &[Attachment]| {
            let mut of_type = attachments
                .iter()
                .filter_map(|attachment| Arc::clone(attachment).downcast::<T>().ok());
            of_type.find(|attachment| is_wanted(attachment))
        };
        if let Some(known) = find(&self.0.load()) {
            return known;
        }
        let created: Arc<T> = Arc::new(create());
        self.0.rcu(|attachments| match find(attachments) {
            Some(_) => Arc::clone(attachments),
            None => {
                // Values created for other settings are no longer wanted.
                let others =
                    attachments.iter().filter(|attachment| !(**attachment).is::<T>()).cloned();
                Arc::new(others.chain([Arc::clone(&created) as Attachment]).collect())
            }
        });
        created
    }
}

impl fmt::Debug for Attachments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Attachments({})", self.0.load().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_is_made_once_until_another_is_wanted() {
        let attached = Attachments::default();
        let number =
            |wanted: u32| *attached.get_or_create(|known: &u32| *known == wanted, || wanted);
        let text = || attached.get_or_create(|_: &String| true, || "text".to_owned());
        let first = text();
        assert_eq!(number(1), 1);
        let known =
            attached.get_or_create(|known: &u32| *known == 1, || unreachable!("it is known"));
        assert_eq!(*known, 1);
        assert_eq!(number(2), 2);
        assert_eq!(attached.0.load().len(), 2);
        assert!(Arc::ptr_eq(&first, &text()));
    }
}
