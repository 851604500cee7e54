//! `completions` and `manual`: what shells and `man` know of the program.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::Command;
use clap_complete::Shell;
use terminal::failure::Failure;

/// Print the script that completes the arguments of `samebits` in a shell.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  samebits completions bash > ~/.local/share/bash-completion/completions/samebits\n  \
        samebits completions zsh > ~/.zfunc/_samebits\n  \
        samebits completions fish > ~/.config/fish/completions/samebits.fish"
)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

/// Write the manual pages of `samebits` and of each command.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  samebits manual ~/.local/share/man/man1")]
pub struct Manual {
    /// The folder for the pages, which is created if it is missing; older pages are replaced
    folder: PathBuf,
}

/// Prints the script for the arguments of a program.
///
/// # Errors
///
/// If the output cannot be written.
pub fn complete(arguments: &Completions, program: &mut Command) -> Result<(), Failure> {
    // In memory first: the generator panics where the output is closed.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, program, "samebits", &mut script);
    Ok(io::stdout().write_all(&script)?)
}

/// Writes the pages of a program.
///
/// # Errors
///
/// If a page cannot be written.
pub fn write(arguments: &Manual, program: Command) -> Result<(), Failure> {
    // The pages of `help` would only name the other pages.
    let program = program.disable_help_subcommand(true);
    let program = program.mut_subcommands(|command| command.disable_help_subcommand(true));
    fs::create_dir_all(&arguments.folder)?;
    Ok(clap_mangen::generate_to(program, &arguments.folder)?)
}
