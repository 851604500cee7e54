//! Summaries for the terminal: a table for each group, a line for each contestant.

use records::terminal::table;

/// A column: its title, and the function that formats a row's cell.
pub(crate) type Column<'a, R> = (&'a str, fn(&R) -> String);

/// Formats a table for each run of rows with the same heading; the first column is text, the others are numbers. The
/// text of `after` follows each table.
pub(crate) fn tables<R>(
    rows: &[R],
    heading: impl Fn(&R) -> String,
    columns: &[Column<'_, R>],
    after: impl Fn(&[R]) -> String,
) -> String {
    let numbers: Vec<usize> = (1..columns.len()).collect();
    let header: Vec<&str> = columns.iter().map(|(title, _)| *title).collect();
    let mut text = String::new();
    for rows in rows.chunk_by(|a, b| heading(a) == heading(b)) {
        let heading = rows.first().map_or_else(String::new, &heading);
        let lines = rows
            .iter()
            .map(|row| columns.iter().map(|(_, cell)| cell(row)).collect::<Vec<_>>());
        let table = table(header.clone(), &numbers, lines);
        text.push_str(&format!("\n{heading}\n{table}\n{}", after(rows)));
    }
    text
}

/// Formats a table with a line for each value of `name` and a column for each value of `column`, both in the order of
/// their first rows.
pub(crate) fn across<R>(
    rows: &[R],
    title: &str,
    name: impl Fn(&R) -> String,
    column: impl Fn(&R) -> String,
    cell: impl Fn(&R) -> String,
) -> String {
    let (mut names, mut columns) = (Vec::new(), Vec::new());
    for row in rows {
        for (all, text) in [(&mut names, name(row)), (&mut columns, column(row))] {
            if !all.contains(&text) {
                all.push(text);
            }
        }
    }
    let lines = names.iter().map(|of_line| {
        let cells = columns.iter().map(|of_column| {
            let here = |row: &&R| name(row) == *of_line && column(row) == *of_column;
            rows.iter().find(here).map_or_else(String::new, &cell)
        });
        std::iter::once(of_line.clone()).chain(cells).collect::<Vec<_>>()
    });
    let header: Vec<String> = std::iter::once(title.to_owned())
        .chain(columns.iter().cloned())
        .collect();
    let numbers: Vec<usize> = (1..header.len()).collect();
    table(header, &numbers, lines.collect::<Vec<_>>())
}

/// Formats a median with its deviation.
pub(crate) fn with_spread(median: f64, mad: f64, decimals: usize) -> String {
    format!("{median:.decimals$} \u{b1} {mad:.decimals$}")
}

pub(crate) fn interval(low: f64, high: f64) -> String {
    format!("{low:.3}\u{2013}{high:.3}")
}
