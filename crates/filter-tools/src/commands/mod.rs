//! The commands of `filters`, one per file: arguments and messages only.

pub mod inspect;
pub mod size;

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
