//! Tables on the terminal: their widths and words.

use super::*;
use terminal::layout::width;

#[test]
fn a_default_run_is_told_on_one_screen() {
    let records = crate::property::committed();
    let answers: Vec<String> = records
        .run
        .datasets
        .iter()
        .map(|set| answer(&records, set))
        .collect();
    // Each answer is followed by an empty line; two more lines name the times used and the report.
    let lines: usize = answers.iter().map(|text| text.lines().count() + 1).sum();
    assert!(lines + 2 <= 50, "{lines} lines: {}", answers.concat());
    let fits = |line: &str| line.chars().count() <= usize::from(width());
    assert!(answers.concat().lines().all(fits), "{}", answers.concat());
    for (set, text) in records.run.datasets.iter().zip(&answers) {
        let mut advice = on(&records.advice, &set.name);
        let pick = &advice.next().unwrap().function;
        let start = format!(
            "{} ({} keys): take {pick}, for ",
            set.name,
            terminal::number::grouped(set.keys)
        );
        assert!(text.starts_with(&start), "{text}");
        assert!(
            text.lines().any(|line| line.trim_start().starts_with("avoid ")),
            "{text}"
        );
    }
}

#[test]
fn lines_fit_whatever_a_file_is_called() {
    let mut records = crate::property::committed();
    let dataset = &mut records.run.datasets[0];
    let named = dataset.name.clone();
    dataset.name = "x".repeat(200);
    for one in records.advice.iter_mut().filter(|one| one.dataset == named) {
        one.dataset = "x".repeat(200);
        one.standing = Standing::Avoid;
    }
    let text = answer(&records, &records.run.datasets[0]);
    let fits = |line: &str| line.chars().count() <= usize::from(width());
    assert!(text.lines().all(fits), "{text}");
    let words = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    for expected in ["nothing is recommended", " more (in the report)"] {
        assert!(words.contains(expected), "{text}");
    }
}
