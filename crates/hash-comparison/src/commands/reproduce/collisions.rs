//! The published table of collisions compared with ours.

use super::{Section, columns, yes};
use crate::advice::published::{CountRow, KeySet};
use crate::questions::CollisionRow;
use crate::record::about;
use records::number::grouped;
use records::terminal::table;

/// Returns true if the counts agree: equal counts for keys that are known exactly; otherwise ours within the range over
/// the recipe's seeds, and the published count within three standard deviations of their mean.
fn agree(published: &CountRow, ours: Option<u64>) -> bool {
    let of_mean = published.z(published.collisions);
    ours.is_some_and(|ours| match of_mean {
        None => ours == published.collisions,
        Some(z) => published.spans(ours) && z.abs() <= 3.0,
    })
}

/// Compares every cell of the published table about one set with the count at the function's own width.
pub(super) fn section(rows: &[CollisionRow], set: KeySet) -> Section {
    let (name, mut disagreements) = (set.to_string(), Vec::new());
    let cells = CountRow::of(set).map(|row| {
        let widest = about(rows, &name, &row.function).max_by_key(|row| row.bits);
        let (function, published) = (&row.function, row.collisions);
        let ours = widest.map(|row| row.collisions);
        let agrees = agree(row, ours);
        let ours = ours.map_or_else(|| "none".to_owned(), grouped);
        if !agrees {
            disagreements.push(format!(
                "{name}, {function}: {ours} collisions, published {published}"
            ));
        }
        let mut cells = vec![function.clone(), grouped(published), ours];
        match (row.mean, row.sd, row.min, row.max, row.z(published)) {
            (Some(mean), Some(sd), Some(min), Some(max), Some(z)) => cells.extend([
                format!("{mean:.1} \u{b1} {sd:.1}"),
                format!("{min}\u{2013}{max}"),
                format!("{z:+.2}"),
            ]),
            _ => cells.push(yes(agrees)),
        }
        cells
    });
    let cells: Vec<Vec<String>> = cells.collect();
    let (keys, all) = (grouped(set.keys()), cells.len());
    let agreeing = all - disagreements.len();
    let head = format!("\n{name}, {keys} keys: collisions (keys minus distinct values)\n");
    let text = if set.is_exact() {
        let table = table(columns("function | published | ours | equal"), &[1, 2], cells);
        format!("{head}{table}\n{agreeing} of {all} equal\n")
    } else {
        let header = columns("function | published | ours | mean \u{b1} sd | range | published z");
        format!(
            "{head}{}\n{agreeing} of {all} agree: the published keys are not known, so both counts are held against {} seeds of \
             our\nrecipe (ours is seed 1, fixed beforehand; z is how many deviations the published count is off)\n",
            table(header, &[1, 2, 3, 4, 5], cells),
            grouped(set.seeds()),
        )
    };
    Section { text, disagreements }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_set_must_be_equal_and_a_drawn_one_lie_in_the_spread() {
        let row = |set, function: &str| CountRow::of(set).find(|row| row.function == function).unwrap();
        let (exact, drawn) = (row(KeySet::AppAccounts, "PJW"), row(KeySet::VideoIds, "PJW"));
        assert_eq!(
            [169, 170, 171].map(|ours| agree(exact, Some(ours))),
            [false, true, false]
        );
        assert_eq!(
            [22, 23, 60, 61].map(|ours| agree(drawn, Some(ours))),
            [false, true, true, false]
        );
        let far = CountRow {
            collisions: 60,
            ..drawn.clone()
        };
        assert!(!agree(&far, Some(31)) && !agree(exact, None));
        // Without rows nothing agrees.
        let told = section(&[], KeySet::AppAccounts).disagreements;
        assert_eq!(
            (told.len(), told[3].as_str()),
            (17, "app-accounts, PJW: none collisions, published 170")
        );
    }
}
