//! Holds what the charts of the suites share.

use plots::bars::{Bar, Group};

/// A bar with a text behind it.
pub(crate) fn bar(value: f64, interval: Option<(f64, f64)>, text: String, full: bool) -> Bar {
    Bar {
        value,
        interval,
        text,
        filled: full,
    }
}

/// Describes what a bar chart shows of a row.
pub(crate) struct Drawn {
    /// Name of the group, and a note behind it.
    pub(crate) group: (String, String),
    pub(crate) contestant: String,
    /// By the index of their panel.
    pub(crate) bars: Vec<(usize, Bar)>,
}

/// The rows of a bar chart: groups, and contestants in them, in the order of their first rows.
pub(crate) fn groups<R>(rows: &[R], draw: impl Fn(&R) -> Option<Drawn>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for drawn in rows.iter().filter_map(draw) {
        let (name, note) = drawn.group;
        let group = entry(&mut groups, |group| group.name == name);
        if group.contestants.is_empty() {
            (group.name, group.note) = (name, note);
        }
        let contestant = entry(&mut group.contestants, |one| one.name == drawn.contestant);
        contestant.name = drawn.contestant;
        contestant.bars.extend(drawn.bars);
    }
    groups
}

/// The one that there is, or a new one at the end.
fn entry<T: Default>(all: &mut Vec<T>, is_wanted: impl Fn(&T) -> bool) -> &mut T {
    let index = all.iter().position(is_wanted).unwrap_or_else(|| {
        all.push(T::default());
        all.len() - 1
    });
    &mut all[index]
}

/// Each value once, sorted.
pub(crate) fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}
