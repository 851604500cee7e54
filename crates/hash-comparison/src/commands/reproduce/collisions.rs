//! The published table of collisions compared with ours.

use super::{Section, columns, yes};
use crate::advice::published::{KeySet, ROWS, Spread};
use crate::questions::CollisionRow;
use crate::record::about;
use records::number::grouped;
use records::terminal::table;

/// Returns true if the counts agree: equal counts for keys that are known exactly; otherwise ours within the range over
/// the recipe's seeds, and the published count within three standard deviations of their mean.
fn agree(published: u64, ours: Option<u64>, spread: Option<Spread>) -> bool {
    ours.is_some_and(|ours| match spread {
        None => ours == published,
        Some(spread) => (spread.min..=spread.max).contains(&ours) && spread.z(published).abs() <= 3.0,
    })
}

/// Compares every cell of the published table about one set with the count at the function's own width.
pub(super) fn section(rows: &[CollisionRow], set: KeySet) -> Section {
    let mut disagreements = Vec::new();
    let cells = ROWS.iter().map(|row| {
        let widest = about(rows, set.dataset(), row.function).max_by_key(|row| row.bits);
        let (published, ours, spread) = (
            row.collisions(set),
            widest.map(|row| row.collisions),
            row.spread(set),
        );
        let agrees = agree(published, ours, spread);
        if !agrees {
            let ours = ours.map_or_else(|| "none".to_owned(), |count| count.to_string());
            let (set, function) = (set.dataset(), row.function);
            disagreements.push(format!(
                "{set}, {function}: {ours} collisions, published {published}"
            ));
        }
        let ours = ours.map_or_else(|| "none".to_owned(), grouped);
        let mut cells = vec![row.function.to_owned(), grouped(published), ours];
        match spread {
            None => cells.push(yes(agrees)),
            Some(spread) => cells.extend([
                format!("{:.1} \u{b1} {:.1}", spread.mean, spread.sd),
                format!("{}\u{2013}{}", spread.min, spread.max),
                format!("{:+.2}", spread.z(published)),
            ]),
        }
        cells
    });
    let cells: Vec<Vec<String>> = cells.collect();
    let (keys, all) = (grouped(set.keys()), cells.len());
    let (agreeing, name) = (all - disagreements.len(), set.dataset());
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
            grouped(u64::from(set.seeds())),
        )
    };
    Section { text, disagreements }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_set_must_be_equal_and_a_drawn_one_lie_in_the_spread() {
        let spread = Some(Spread {
            mean: 38.7,
            sd: 6.1,
            min: 23,
            max: 60,
        });
        for (published, ours, spread, expected) in [
            (170, Some(170), None, true),
            (170, Some(171), None, false),
            (170, None, None, false),
            (38, Some(31), spread, true),
            (38, Some(61), spread, false),
            (60, Some(31), spread, false),
        ] {
            assert_eq!(agree(published, ours, spread), expected, "{published} {ours:?}");
        }
        // Without rows nothing agrees.
        let told = section(&[], KeySet::AppAccounts).disagreements;
        assert_eq!(
            (told.len(), told[3].as_str()),
            (17, "app-accounts, PJW: none collisions, published 170")
        );
    }
}
