//! Place names found inside free text: names of several words, too, such as "New York City".
//!
//! ```text
//! cargo run --release -p guava-bloom --example place_names -- letters.txt
//! ```
//!
//! A window of 1, 2, ... L words, L being those of the longest name, starts at every word of the text. Nearly all
//! windows are no names. The filter says so of most without a look at the names themselves, which may be millions and
//! lie on a disk or in another process; what it lets through, an exact look-up confirms or refutes. Here that is a
//! `HashSet`.
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

use std::cell::Cell;
use std::collections::{HashSet, VecDeque};
use std::io::{self, BufWriter, ErrorKind, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use guava_bloom::{BloomFilter, Parameters, Utf8};

use self::input::{Failure, Lines};

/// Windows that are no names and reach the exact look-up: one in a hundred.
const FPP: f64 = 0.01;

/// Most words of a name. Each word of the text costs as many look-ups in the filter as the longest name has.
const MOST_WORDS: usize = 16;

/// Names for those who bring none.
const NAMES: &str = include_str!("place_names.txt");

/// Find place names inside a text.
#[derive(Debug, Parser)]
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
    let names = match &arguments.names {
        Some(path) => Names::read(input::open(Some(path))?)?,
        None => Names::read(Lines::new("place_names.txt", NAMES.as_bytes()))?,
    };
    let mut search = Search {
        names,
        window: VecDeque::new(),
        counts: Counts::default(),
    };
    let mut text = input::open(arguments.file.as_deref())?;
    let mut out = BufWriter::new(io::stdout().lock());
    let nobody_reads_on = Cell::new(false);
    let mut print = |found: &Found| match writeln!(out, "{}:{}\t{}", found.line, found.column, found.name) {
        // As behind `head`: the text may have no end.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            nobody_reads_on.set(true);
            Ok(())
        }
        written => written.map_err(|error| Failure::system("standard output", error)),
    };
    let mut line = 0;
    while !nobody_reads_on.get()
        && let Some(bytes) = text.read()?
    {
        line += 1;
        let Ok(content) = str::from_utf8(bytes) else {
            return Err(Failure::input(text.place(), "the line is not UTF-8"));
        };
        search.line(line, content, &mut print)?;
    }
    search.finish(&mut print)?;
    match out.flush() {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            return Err(Failure::system("standard output", error));
        }
        _ => {}
    }
    eprintln!("{}", search.counts);
    Ok(())
}

/// The names, and a filter before them.
struct Names {
    filter: BloomFilter<Utf8>,
    exact: HashSet<String>,
    /// Words of the longest.
    most_words: usize,
}

impl Names {
    fn read(mut lines: Lines) -> Result<Self, Failure> {
        let mut exact = HashSet::new();
        let mut most_words = 0;
        while let Some(line) = lines.read()? {
            let Ok(line) = str::from_utf8(line) else {
                return Err(Failure::input(lines.place(), "the name is not UTF-8"));
            };
            // As windows are: one blank between words, no punctuation around them.
            let words: Vec<&str> = line.split_whitespace().collect();
            let joined = words.join(" ");
            let name = trim(&joined);
            if words.len() > MOST_WORDS {
                let what = format!(
                    "the name has {} words, allowed are at most {MOST_WORDS}",
                    words.len()
                );
                return Err(Failure::input(lines.place(), what));
            }
            if name.is_empty() {
                if words.is_empty() {
                    continue;
                }
                return Err(Failure::input(
                    lines.place(),
                    "the name is nothing but punctuation",
                ));
            }
            most_words = most_words.max(name.split(' ').count());
            exact.insert(name.to_owned());
        }
        let failed = |error| Failure::System(format!("the filter of the names: {error}"));
        let parameters = Parameters::new(exact.len() as u64, FPP).map_err(failed)?;
        let mut filter = BloomFilter::new(Utf8, &parameters).map_err(failed)?;
        for name in &exact {
            filter.put(name);
        }
        Ok(Self {
            filter,
            exact,
            most_words,
        })
    }
}

/// Without what is neither a letter nor a digit at either end.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_alphanumeric())
}

/// A word of the text.
struct Word {
    text: String,
    line: u64,
    /// Of its first character.
    column: usize,
}

/// A name in the text.
struct Found {
    name: String,
    line: u64,
    column: usize,
}

/// What happened to the windows.
#[derive(Debug, Default)]
struct Counts {
    words: u64,
    windows: u64,
    denied: u64,
    names: u64,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let looked_up = self.windows - self.denied;
        write!(
            f,
            "{} words, {} windows: the filter denied {}, {looked_up} were looked up, {} of them are names",
            self.words, self.windows, self.denied, self.names
        )
    }
}

/// Rolls the window over the text, which may be of any length.
struct Search {
    names: Names,
    /// The words from which windows may still begin, at most as many as the longest name has.
    window: VecDeque<Word>,
    counts: Counts,
}

impl Search {
    fn line(
        &mut self,
        number: u64,
        content: &str,
        found: &mut impl FnMut(&Found) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut any = false;
        for (column, text) in words(content) {
            any = true;
            self.counts.words += 1;
            self.window.push_back(Word {
                text: text.to_owned(),
                line: number,
                column,
            });
            if self.window.len() >= self.names.most_words.max(1) {
                self.step(found)?;
            }
        }
        if any { Ok(()) } else { self.finish(found) }
    }

    /// The windows that begin at the words which are left.
    fn finish(&mut self, found: &mut impl FnMut(&Found) -> Result<(), Failure>) -> Result<(), Failure> {
        while !self.window.is_empty() {
            self.step(found)?;
        }
        Ok(())
    }

    /// The windows that begin at the first word, longest first; then on to the next word, or behind a name.
    fn step(&mut self, found: &mut impl FnMut(&Found) -> Result<(), Failure>) -> Result<(), Failure> {
        let Some(first) = self.window.front() else {
            return Ok(());
        };
        let mut taken = 1;
        let mut text = String::new();
        let mut ends = Vec::with_capacity(self.window.len());
        for (index, word) in self.window.iter().enumerate() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&word.text);
            // Ends with a word that is all punctuation are those of the shorter window.
            if !trim(&word.text).is_empty() {
                ends.push((text.len(), index + 1));
            } else if index == 0 {
                break;
            }
        }
        for (end, count) in ends.into_iter().rev() {
            let window = trim(&text[..end]);
            self.counts.windows += 1;
            if !self.names.filter.might_contain(window) {
                self.counts.denied += 1;
            } else if self.names.exact.contains(window) {
                self.counts.names += 1;
                taken = count;
                let before = first.text.chars().take_while(|c| !c.is_alphanumeric()).count();
                found(&Found {
                    name: window.to_owned(),
                    line: first.line,
                    column: first.column + before,
                })?;
                break;
            }
        }
        self.window.drain(..taken);
        Ok(())
    }
}

/// The words of a line, each with the column at which it begins.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut column = 1;
    line.split(char::is_whitespace).filter_map(move |word| {
        let start = column;
        // The white space behind it is one character.
        column += word.chars().count() + 1;
        (!word.is_empty()).then_some((start, word))
    })
}
