//! Kinds of events, and the macros that make them of tables. A table has a row for each figure: its
//! path, what it means, how it is folded, and how it is read of a request. Tables stand where the
//! requests are known; they yield the readings, the reports and the documentation.

use crate::fold::Fold;
use crate::reading::{Reading, RequestOutcome};

/// A figure of a kind of events. Dots in its path lead into objects.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    pub path: &'static str,
    pub meaning: &'static str,
    pub fold: Fold,
}

#[derive(Debug)]
pub struct Kind {
    /// The name that is sent.
    pub name: &'static str,
    /// The requests that it counts, for the documentation.
    pub when: &'static str,
    /// Position in reports.
    pub order: usize,
    /// Adds the figures to a list, in the order of the readings.
    pub add_figures: fn(&mut Vec<Figure>),
}

/// The first launch, which is no request and comes before all kinds of `events!`.
pub(crate) static LAUNCHED: Kind = Kind {
    name: "Launched",
    when: "The first start with this database.",
    order: 0,
    add_figures: plain::figures,
};

impl Kind {
    /// Returns the figures that this kind has beside those of all kinds.
    pub fn figures(&self) -> Vec<Figure> {
        let mut figures = Vec::new();
        (self.add_figures)(&mut figures);
        figures
    }
}

/// The table of events that are only counted.
pub mod plain {
    use super::{Figure, Reading};

    pub const ROWS: usize = 0;

    pub fn figures(_list: &mut Vec<Figure>) {}

    pub fn read(_readings: &mut Vec<Reading>) {}
}

/// A request, reduced to what is counted.
#[derive(Debug)]
pub struct Event {
    pub(crate) kind: &'static Kind,
    pub(crate) readings: Vec<Reading>,
    pub(crate) outcome: Option<RequestOutcome>,
}

impl Event {
    pub fn new(kind: &'static Kind) -> Self {
        Self { kind, readings: Vec::new(), outcome: None }
    }

    /// Reads the request. `rows` is the number of its figures.
    #[must_use]
    pub fn with(mut self, rows: usize, read: impl FnOnce(&mut Vec<Reading>)) -> Self {
        self.readings.reserve_exact(rows);
        read(&mut self.readings);
        self
    }
}

/// Defines tables of figures. A row is `path, meaning, fold, value;`, or `..table(values);` for the
/// rows of another table.
#[macro_export]
macro_rules! figures {
    ($(
        $(#[$attribute:meta])*
        $table:ident($($subject:ident: $type:ty),*) {
            $(
                $(.. $($part:ident)::+($($argument:expr),*))?
                $($path:literal, $meaning:literal, $fold:expr, $value:expr)?
            ;)*
        }
    )*) => {$(
        $(#[$attribute])*
        pub mod $table {
            #[allow(unused_imports)]
            use super::*;

            pub const ROWS: usize = 0 $($(+ $($part)::+::ROWS)? $(+ [$path].len())?)*;

            pub fn figures(list: &mut Vec<$crate::Figure>) {
                #[allow(unused_imports)]
                use $crate::Fold::*;
                $(
                    $($($part)::+::figures(list);)?
                    $(list.push($crate::Figure { path: $path, meaning: $meaning, fold: $fold });)?
                )*
            }

            pub fn read(readings: &mut Vec<$crate::Reading> $(, $subject: $type)*) {
                $(
                    $($($part)::+::read(readings $(, $argument)*);)?
                    $(readings.push($crate::Reading::from($value));)?
                )*
            }
        }
    )*};
}

/// Defines a function for each kind of events, which reads a request by a table, and `KINDS`, in the
/// order of reports.
#[macro_export]
macro_rules! events {
    ($(
        $event:ident($($subject:ident: $type:ty),*) = $($table:ident)::+, $name:literal, $when:literal;
    )*) => {
        #[allow(non_camel_case_types)]
        enum Order { $($event),* }

        pub static KINDS: &[$crate::Kind] = &[$($crate::Kind {
            name: $name,
            when: $when,
            order: 1 + Order::$event as usize,
            add_figures: $($table)::+::figures,
        }),*];

        $(pub fn $event($($subject: $type),*) -> $crate::Event {
            $crate::Event::new(&KINDS[Order::$event as usize])
                .with($($table)::+::ROWS, |list| $($table)::+::read(list $(, $subject)*))
        })*
    };
}
