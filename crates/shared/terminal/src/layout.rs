//! Tables for the terminal, as wide as it is.

use std::io::IsTerminal as _;

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Row, Table, TableStyle, Width,
};

/// The width without a terminal, which fits any.
const WIDTH: u16 = 80;

/// Returns the width of the terminal on standard output in columns, or the value of the variable `COLUMNS`; otherwise
/// 80. Clamped to 60 to 160.
pub fn width() -> u16 {
    let terminal = terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0);
    let columns = terminal.or_else(|| std::env::var("COLUMNS").ok()?.parse().ok());
    columns.unwrap_or(WIDTH).clamp(60, 160)
}

/// One line under the header, and no other.
const RULED: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));

/// The longest name that is never broken in a terminal, and the shortest piece of a longer one, such as a path.
const LONGEST_NAME: u16 = 32;

/// A table with `header`; the columns in `numbers` are aligned to the right.
///
/// Names and numbers are never broken, except long names in a terminal: where there is no room, columns move together,
/// then the last one wraps, if it is text. Numbers larger than people have use for make a row longer than the terminal.
pub fn table(header: impl Into<Row>, numbers: &[usize], rows: impl IntoIterator<Item: Into<Row>>) -> String {
    let mut table = laid_out();
    table.load_style(RULED).set_header(header).add_rows(rows);
    let widths = table.column_max_content_widths();
    let loose: usize = widths.iter().map(|&width| usize::from(width) + 2).sum();
    for (index, &content) in widths.iter().enumerate() {
        let Some(column) = table.column_mut(index) else {
            continue;
        };
        let is_number = numbers.contains(&index);
        if loose > usize::from(width()) {
            column.set_padding((u16::from(index > 0), 0));
        }
        if is_number {
            column.set_cell_alignment(CellAlignment::Right);
        }
        if std::io::stdout().is_terminal() && !is_number && content > LONGEST_NAME {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(LONGEST_NAME)));
        } else if is_number || index + 1 < widths.len() {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table.trim_fmt()
}

/// A table without rules or rows, as wide as the terminal at most.
fn laid_out() -> Table {
    let mut table = Table::new();
    table
        .load_style(TableStyle::new())
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width())
        .force_no_tty();
    table
}

/// A text in lines that fit.
pub fn wrapped(text: String) -> String {
    let mut table = laid_out();
    table.add_row([text]);
    if let Some(column) = table.column_mut(0) {
        column.set_padding((0, 0));
    }
    table.trim_fmt()
}

/// Formats labels and their meanings, each meaning wrapped in a column next to its label.
pub fn labelled(rows: Vec<[String; 2]>) -> String {
    let mut table = laid_out();
    table.add_rows(rows);
    table.trim_fmt()
}

/// Rewrites the help texts of a command and its subcommands, which contain a placeholder for the program's name.
pub fn with_words(command: clap::Command, words: &dyn Fn(String) -> String) -> clap::Command {
    let command = match command.get_after_help() {
        Some(text) => {
            let text = words(text.to_string());
            command.after_help(text)
        }
        None => command,
    };
    command
        .mut_args(|argument| match argument.get_help() {
            Some(text) => {
                let text = words(text.to_string());
                argument.help(text)
            }
            None => argument,
        })
        .mut_subcommands(|subcommand| with_words(subcommand, words))
}
