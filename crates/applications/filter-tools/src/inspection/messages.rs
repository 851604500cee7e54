//! Collects descriptions of damage, up to a limit.

use std::fmt::Display;

/// The largest number of descriptions of one kind of damage; the rest is only counted.
pub(super) const MAX_MESSAGES: usize = 10;

/// A collection of damage of one kind.
#[derive(Default)]
pub(super) struct Messages {
    texts: Vec<String>,
    more: u64,
}

impl Messages {
    pub(super) fn add(&mut self, damage: &dyn Display) {
        if self.texts.len() < MAX_MESSAGES {
            self.texts.push(damage.to_string());
        } else {
            self.more += 1;
        }
    }

    /// Counts further damage without describing it.
    pub(super) fn add_uncounted(&mut self, more: u64) {
        self.more += more;
    }

    /// Returns the descriptions, and a line that counts the rest.
    pub(super) fn finish(mut self) -> Vec<String> {
        if self.more > 0 {
            self.texts.push(format!("{} more like these", self.more));
        }
        self.texts
    }
}
