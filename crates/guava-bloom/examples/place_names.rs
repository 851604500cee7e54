//! Place names found inside free text: names of several words, too, such as "New York City".
//!
//! ```text
//! cargo run --release -p guava-bloom --example place_names -- letters.txt
//! ```
//!
//! A window of 1, 2, ... L words, L being those of the longest name, starts at every word of the text. Nearly all
//! windows are no names. The filter says so of most without a look at the names themselves, which may be millions and
//! lie elsewhere; what it lets through, an exact look-up confirms or refutes. Here that is a `HashSet`.
//!
//! Prints a line for each name found, with the line and column (in characters, both from 1) where it begins, and at the
//! end, on standard error, what there was to look up and how little of it was left:
//!
//! ```text
//! 1:9    New York City
//! 12 words, 52 windows: the filter denied 51, 1 were looked up, 1 of them are names
//! ```
//!
//! Of names that overlap the one that begins first counts, and of those the longest: "New York City", and not
//! "New York". Words are what stands between white space; a window is its words with one blank between them, without
//! the punctuation before the first and behind the last. So a name may run over the end of a line, but not over an
//! empty line or a comma. Upper and lower case matter: "Nice" is a town.
//!
//! Without `--names` a short list inside the program serves. Exit codes: 0 done; 2 the arguments or the input are
//! wrong; 1 the system failed.

mod input;

use std::collections::HashSet;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use guava_bloom::{BloomFilter, Parameters, Utf8};

use self::input::{Failure, Lines};

/// Windows that are no names and reach the exact look-up: one in a hundred.
const FPP: f64 = 0.01;

/// Names for those who bring none.
const NAMES: &str = include_str!("place_names.txt");

/// Find place names inside a text.
#[derive(Parser)]
struct Arguments {
    /// The text, UTF-8 [default: standard input]
    file: Option<PathBuf>,

    /// File with a name on each line, UTF-8 [default: a short list inside the program]
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
}

fn main() -> ExitCode {
    input::exit(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut names = Names::read(match &arguments.names {
        Some(path) => input::open(Some(path))?,
        None => Lines::new("place_names.txt", NAMES.as_bytes()),
    })?;
    let mut text = input::open(arguments.file.as_deref())?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut paragraph = Vec::new();
    let mut number = 0;
    while let Some(line) = read(&mut text)? {
        number += 1;
        if line.trim().is_empty() {
            names.find(&paragraph, &mut out)?;
            paragraph.clear();
        }
        let mut column = 1;
        for word in line.split(char::is_whitespace) {
            if !word.is_empty() {
                paragraph.push((word.to_owned(), number, column));
            }
            // The white space behind it is one character.
            column += word.chars().count() + 1;
        }
    }
    names.find(&paragraph, &mut out)?;
    out.flush()?;
    let Names {
        words,
        windows,
        looked_up,
        found,
        ..
    } = names;
    let denied = windows - looked_up;
    eprintln!(
        "{words} words, {windows} windows: the filter denied {denied}, {looked_up} were looked up, {found} of them are names"
    );
    Ok(())
}

fn read(lines: &mut Lines) -> Result<Option<String>, Failure> {
    let line = lines.read()?.map(|line| String::from_utf8(line.to_vec()));
    line.transpose()
        .map_err(|_| Failure::input(lines.place(), "the line is not UTF-8"))
}

/// The names, a filter before them, and what happened to the windows.
struct Names {
    filter: BloomFilter<Utf8>,
    exact: HashSet<String>,
    /// Words of the longest. Each word of the text costs as many look-ups in the filter.
    most_words: usize,
    words: usize,
    windows: u64,
    looked_up: u64,
    found: u64,
}

impl Names {
    fn read(mut lines: Lines) -> Result<Self, Failure> {
        let mut exact = HashSet::new();
        let mut most_words = 1;
        while let Some(line) = read(&mut lines)? {
            // As windows are: one blank between words, no punctuation around them.
            let words: Vec<&str> = line.split_whitespace().collect();
            most_words = most_words.max(words.len());
            exact.insert(trim(&words.join(" ")).to_owned());
        }
        exact.remove("");
        let mut filter = BloomFilter::new(Utf8, &Parameters::new(exact.len() as u64, FPP)?)?;
        for name in &exact {
            filter.put(name);
        }
        let (words, windows, looked_up, found) = (0, 0, 0, 0);
        Ok(Self {
            filter,
            exact,
            most_words,
            words,
            windows,
            looked_up,
            found,
        })
    }

    /// Prints the names in these words, of which each stands in a line and at a column.
    fn find(&mut self, words: &[(String, u64, usize)], out: &mut impl Write) -> io::Result<()> {
        self.words += words.len();
        let mut rest = words;
        while let [(first, line, column), ..] = rest {
            let mut taken = 1;
            for count in (1..=rest.len().min(self.most_words)).rev() {
                // With a word of punctuation at an end it is a shorter window.
                if trim(first).is_empty() || trim(&rest[count - 1].0).is_empty() {
                    continue;
                }
                let window: Vec<&str> = rest[..count].iter().map(|(word, ..)| word.as_str()).collect();
                let window = window.join(" ");
                if self.is_name(trim(&window)) {
                    let before = first.chars().take_while(|c| !c.is_alphanumeric()).count();
                    writeln!(out, "{line}:{}\t{}", column + before, trim(&window))?;
                    taken = count;
                    break;
                }
            }
            rest = &rest[taken..];
        }
        Ok(())
    }

    fn is_name(&mut self, window: &str) -> bool {
        self.windows += 1;
        if !self.filter.might_contain(window) {
            return false;
        }
        self.looked_up += 1;
        let is_name = self.exact.contains(window);
        self.found += u64::from(is_name);
        is_name
    }
}

/// Without what is neither a letter nor a digit at either end.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_alphanumeric())
}
