//! Tables on the terminal: their widths and words.

use crate::record::{Advice, CallForm, Purpose, Run};

use super::*;
use records::terminal::width;

fn made(standings: &[Standing]) -> Recommendation {
    let of = |(index, &standing): (usize, &Standing)| Advice {
        function: format!("F{index}"),
        standing,
        rank: u64::from(standing <= Standing::Suited) * (index as u64 + 1),
        stable: true,
        time: None,
        saves: 0.0,
        cost: None,
        reason: format!("reason {index}"),
    };
    Recommendation {
        dataset: "set".to_owned(),
        purpose: Purpose::Table,
        untrusted: false,
        stable: false,
        too_few_keys: false,
        negligible: 0.05,
        form: CallForm::Chained,
        form_reason: "chained".to_owned(),
        attackers: Some("strangers".to_owned()),
        functions: standings.iter().enumerate().map(of).collect(),
        mine: None,
        at_sizes: Vec::new(),
        notes: Vec::new(),
    }
}

/// Returns the answer for a dataset that is not in the run.
fn told(recommendation: &Recommendation) -> String {
    answer(&Records::of(Run::default()), recommendation)
}

#[test]
fn an_answer_names_the_pick_in_its_first_line() {
    use Standing::{Avoid, Lacking, Pick, RunnerUp, Suited};
    let text = told(&made(&[
        Pick, RunnerUp, Suited, Suited, Suited, Suited, Avoid, Avoid, Lacking,
    ]));
    assert!(
        text.starts_with("set: take F0, for a hash table of these keys\n"),
        "{text}"
    );
    for expected in [
        "runner-up  F1: reason 1",
        "avoid      F7 (reason 7), F6 (reason 6)",
        "note       strangers",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    assert!(told(&made(&[Avoid])).starts_with("set: nothing is recommended, for "));
}

#[test]
fn a_default_run_is_told_on_one_screen() {
    let records = crate::property::committed();
    let lines = records
        .run
        .recommendations
        .iter()
        .map(|one| answer(&records, one));
    // Each answer is followed by an empty line; two more lines name the times used and the report.
    let lines: usize = lines.map(|text| text.lines().count() + 1).sum();
    assert!(lines + 2 <= 40, "{lines} lines");
}

#[test]
fn lines_fit_whatever_a_file_is_called() {
    let mut long = made(&[Standing::Avoid; 60]);
    long.dataset = "x".repeat(200);
    let text = told(&long);
    assert!(
        text.lines()
            .all(|line| line.chars().count() <= usize::from(width())),
        "{text}"
    );
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains(", 57 more (in the report)"), "{text}");
}
