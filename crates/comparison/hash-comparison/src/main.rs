//! The installed program: `hash-comparison --help`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use hash_comparison::commands::{compare, join, list, render, reproduce};
use hash_comparison::functions::library::Symbol;
use hash_comparison::program::Program;

/// Compares hash functions on your own keys, and draws the report.
#[derive(Debug, Parser)]
#[command(
    name = "hash-comparison",
    max_term_width = 100,
    version,
    after_help = "Examples:\n  \
        {program} compare --keys my-keys.txt      on your own keys, one per line\n  \
        {program} compare --dataset app-accounts  on embedded keys\n  \
        {program} list                            functions and key sets\n\n\
        Exit codes: 0 done; 1 a check or the program failed; 2 the input or the arguments are wrong; \
        130 stopped by Ctrl-C."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Compare(Box<compare::Arguments>),
    Join(join::Arguments),
    Render(render::Arguments),
    Reproduce(reproduce::Arguments),
    List(list::Arguments),
    /// Calls a function of a library, and writes its values to the file that is standard input
    #[command(hide = true)]
    TryOut {
        symbol: Symbol,
    },
}

fn main() -> ExitCode {
    let program = Program::started();
    let mut command = program.named(Cli::command());
    let parsed = Cli::from_arg_matches(&command.get_matches_mut());
    let cli = parsed.unwrap_or_else(|error| error.format(&mut command).exit());
    let result = match cli.command {
        Command::Compare(arguments) => compare::run(*arguments, &program),
        Command::Join(arguments) => join::run(&arguments),
        Command::Render(arguments) => render::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments, &program),
        Command::List(arguments) => list::run(&arguments),
        Command::TryOut { symbol } => compare::try_out(&symbol),
    };
    result.map_or_else(|failure| failure.report().into(), |()| ExitCode::SUCCESS)
}
