//! Scopes of template variables. Unlike those of the library, they return values instead of copies,
//! so that objects keep the order of their members.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use liquid_core::model::{
    KString, KStringCow, KStringRef, ObjectView, ScalarCow, Value, ValueCow, ValueView, find,
    try_find,
};
use liquid_core::runtime::{PartialStore, Registers};
use liquid_core::{Error, Result, Runtime};

use super::ordered::OrderedValue;

/// Variables on top of an outer scope.
pub(crate) struct Scope<'r> {
    outer: &'r dyn Runtime,
    names: &'r dyn ObjectView,
}

impl<'r> Scope<'r> {
    pub(crate) fn new(outer: &'r dyn Runtime, names: &'r dyn ObjectView) -> Self {
        Self { outer, names }
    }

    fn has(&self, path: &[ScalarCow<'_>]) -> bool {
        path.first().is_some_and(|name| self.names.contains_key(name.to_kstr().as_str()))
    }
}

impl Runtime for Scope<'_> {
    fn partials(&self) -> &dyn PartialStore {
        self.outer.partials()
    }

    fn name(&self) -> Option<KStringRef<'_>> {
        self.outer.name()
    }

    fn roots(&self) -> BTreeSet<KStringCow<'_>> {
        let mut roots = self.outer.roots();
        roots.extend(self.names.keys());
        roots
    }

    fn try_get(&self, path: &[ScalarCow<'_>]) -> Option<ValueCow<'_>> {
        if self.has(path) {
            return try_find(self.names.as_value(), path);
        }
        self.outer.try_get(path)
    }

    fn get(&self, path: &[ScalarCow<'_>]) -> Result<ValueCow<'_>> {
        if self.has(path) {
            return find(self.names.as_value(), path);
        }
        self.outer.get(path)
    }

    fn set_global(&self, name: KString, value: Value) -> Option<Value> {
        self.outer.set_global(name, value)
    }

    fn set_index(&self, name: KString, value: Value) -> Option<Value> {
        self.outer.set_index(name, value)
    }

    fn get_index<'a>(&'a self, name: &str) -> Option<ValueCow<'a>> {
        self.outer.get_index(name)
    }

    fn registers(&self) -> &Registers {
        self.outer.registers()
    }
}

/// Variables that a template assigns, on top of those it was given.
pub(crate) struct AssignScope<'r> {
    outer: &'r dyn Runtime,
    values: RefCell<HashMap<KString, OrderedValue>>,
}

impl<'r> AssignScope<'r> {
    pub(crate) fn new(outer: &'r dyn Runtime) -> Self {
        Self { outer, values: RefCell::default() }
    }

    /// Looks up an assigned variable; `None` if it was not assigned. Returns a copy, since it may
    /// change.
    fn find(&self, path: &[ScalarCow<'_>]) -> Option<Result<Value>> {
        let (name, rest) = path.split_first()?;
        let values = self.values.borrow();
        let value = values.get(name.to_kstr().as_str())?;
        if let Some(found) = try_find(value, rest) {
            return Some(Ok(found.into_owned()));
        }
        // Produces the error message of the library.
        let all: HashMap<KStringCow<'_>, &dyn ValueView> =
            HashMap::from([(name.to_kstr(), value.as_view())]);
        Some(find(&all, path).map(ValueCow::into_owned))
    }
}

impl Runtime for AssignScope<'_> {
    fn partials(&self) -> &dyn PartialStore {
        self.outer.partials()
    }

    fn name(&self) -> Option<KStringRef<'_>> {
        self.outer.name()
    }

    fn roots(&self) -> BTreeSet<KStringCow<'_>> {
        let mut roots = self.outer.roots();
        roots.extend(self.values.borrow().keys().map(|name| name.clone().into()));
        roots
    }

    fn try_get(&self, path: &[ScalarCow<'_>]) -> Option<ValueCow<'_>> {
        match self.find(path) {
            Some(found) => found.ok().map(ValueCow::Owned),
            None => self.outer.try_get(path),
        }
    }

    fn get(&self, path: &[ScalarCow<'_>]) -> Result<ValueCow<'_>> {
        if path.is_empty() {
            return Err(Error::with_msg("Unknown variable").context("requested variable", "nil"));
        }
        match self.find(path) {
            Some(found) => found.map(ValueCow::Owned),
            None => self.outer.get(path),
        }
    }

    fn set_global(&self, name: KString, value: Value) -> Option<Value> {
        let before = self.values.borrow_mut().insert(name, OrderedValue::of(&value));
        before.map(|before| before.to_value())
    }

    fn set_index(&self, name: KString, value: Value) -> Option<Value> {
        self.outer.set_index(name, value)
    }

    fn get_index<'a>(&'a self, name: &str) -> Option<ValueCow<'a>> {
        self.outer.get_index(name)
    }

    fn registers(&self) -> &Registers {
        self.outer.registers()
    }
}
