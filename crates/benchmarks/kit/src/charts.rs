//! Helpers for the charts of the suites.

use plots::bars::{Bar, Group};

pub(crate) fn bar(value: f64, interval: Option<(f64, f64)>, text: String, full: bool) -> Bar {
    Bar {
        value,
        interval,
        text,
        filled: full,
    }
}

/// The group, contestant and bars of a row.
pub(crate) struct Drawn {
    /// Name of the group, and a note behind it.
    pub(crate) group: (String, String),
    pub(crate) contestant: String,
    /// The bars, each with the index of its panel.
    pub(crate) bars: Vec<(usize, Bar)>,
}

/// Groups rows for a bar chart; groups and their contestants keep the order of their first rows.
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

/// Finds an entry, or appends a default one.
fn entry<T: Default>(all: &mut Vec<T>, is_wanted: impl Fn(&T) -> bool) -> &mut T {
    let index = all.iter().position(is_wanted).unwrap_or_else(|| {
        all.push(T::default());
        all.len() - 1
    });
    &mut all[index]
}

/// Returns the distinct values, sorted.
pub(crate) fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}
