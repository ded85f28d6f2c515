//! What searches make of a text file and need again. It is attached to the segment, so that it goes
//! when the file does.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;

type Thing = Arc<dyn Any + Send + Sync>;

#[derive(Default)]
pub(crate) struct Attached(ArcSwap<Vec<Thing>>);

impl Attached {
    /// The first attached thing of its type that is wanted, or a new one. Threads that ask for the
    /// same at the same time may each make one; none waits for another.
    pub fn get_or_make<T: Any + Send + Sync>(
        &self,
        is_wanted: impl Fn(&T) -> bool,
        make: impl FnOnce() -> T,
    ) -> Arc<T> {
        let find = |things: &[Thing]| {
            let mut of_type =
                things.iter().filter_map(|thing| Arc::clone(thing).downcast::<T>().ok());
            of_type.find(|thing| is_wanted(thing))
        };
        if let Some(known) = find(&self.0.load()) {
            return known;
        }
        let made: Arc<T> = Arc::new(make());
        self.0.rcu(|things| match find(things) {
            Some(_) => Arc::clone(things),
            None => {
                // What was made for other settings is not wanted any more.
                let others = things.iter().filter(|thing| !(**thing).is::<T>()).cloned();
                Arc::new(others.chain([Arc::clone(&made) as Thing]).collect())
            }
        });
        made
    }
}

impl fmt::Debug for Attached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Attached({})", self.0.load().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_is_made_once_until_another_is_wanted() {
        let attached = Attached::default();
        let number = |wanted: u32| *attached.get_or_make(|known: &u32| *known == wanted, || wanted);
        let text = || attached.get_or_make(|_: &String| true, || "text".to_owned());
        let first = text();
        assert_eq!(number(1), 1);
        let known = attached.get_or_make(|known: &u32| *known == 1, || unreachable!("it is known"));
        assert_eq!(*known, 1);
        assert_eq!(number(2), 2);
        assert_eq!(attached.0.load().len(), 2);
        assert!(Arc::ptr_eq(&first, &text()));
    }
}
