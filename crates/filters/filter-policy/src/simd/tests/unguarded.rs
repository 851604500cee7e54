//! Memory in place of that between guard pages, where the system has none.

use core::ops::{Deref, DerefMut};

use super::alloc::vec::Vec;

/// A copy of some values.
pub(crate) struct Guarded<T>(Vec<T>);

impl<T: Copy> Guarded<T> {
    pub(crate) fn new(values: &[T], _at_end: bool) -> Self {
        Self(values.to_vec())
    }
}

impl<T> Deref for Guarded<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for Guarded<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}
