//! Holds what the charts of the suites share.

use plots::bars::{Bar, Contestant, Group};

/// A bar with a text behind it.
pub(crate) fn bar(value: f64, interval: Option<(f64, f64)>, text: String, full: bool) -> Bar {
    Bar {
        value,
        interval,
        text,
        full,
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
        let contestants = match groups.iter_mut().position(|group| group.name == name) {
            Some(index) => &mut groups[index].contestants,
            None => {
                groups.push(Group {
                    name,
                    note,
                    contestants: Vec::new(),
                });
                let last = groups.len() - 1;
                &mut groups[last].contestants
            }
        };
        match contestants
            .iter_mut()
            .find(|contestant| contestant.name == drawn.contestant)
        {
            Some(contestant) => contestant.bars.extend(drawn.bars),
            None => contestants.push(Contestant {
                name: drawn.contestant,
                bars: drawn.bars,
            }),
        }
    }
    groups
}

/// Each value once, sorted.
pub(crate) fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}
