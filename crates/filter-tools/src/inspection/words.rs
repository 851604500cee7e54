//! Damage in words, so many of them.

use std::fmt::Display;

/// How much damage of one kind is put into words; the rest is counted.
pub(super) const IN_WORDS: usize = 10;

/// Collects damage of one kind.
#[derive(Default)]
pub(super) struct Words {
    said: Vec<String>,
    more: u64,
}

impl Words {
    pub(super) fn add(&mut self, damage: &dyn Display) {
        if self.said.len() < IN_WORDS {
            self.said.push(damage.to_string());
        } else {
            self.more += 1;
        }
    }

    /// Counts so many more of what has been put into words before.
    pub(super) fn add_uncounted(&mut self, more: u64) {
        self.more += more;
    }

    /// What was collected, and how much more there is.
    pub(super) fn finish(mut self) -> Vec<String> {
        if self.more > 0 {
            self.said.push(format!("{} more of the kind", self.more));
        }
        self.said
    }
}
