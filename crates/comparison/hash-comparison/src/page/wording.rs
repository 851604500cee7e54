//! The words of the advice: one template of macros, for the page and for the terminal.

use minijinja::Environment;
use minijinja::value::{Serde, Value};
use serde::Serialize;

/// The macros.
pub(super) const MACROS: &str = include_str!("wording.html");

/// Puts rows into words, as plain text.
pub(crate) struct Wording(Environment<'static>);

impl Wording {
    /// Reads the macros.
    ///
    /// # Panics
    ///
    /// If the template, which is part of the program, is not well-formed.
    pub(crate) fn new() -> Self {
        let mut environment = super::cells::environment().expect("a syntax");
        // The extension of the name turns off escaping.
        environment
            .add_template("wording.txt", MACROS)
            .expect("a template");
        Self(environment)
    }

    /// Returns what a macro says of these arguments, a tuple.
    ///
    /// # Panics
    ///
    /// If there is no such macro, or if it does not fit its arguments.
    pub(crate) fn say(&self, name: &str, arguments: impl Serialize) -> String {
        let arguments: Vec<Value> = Value::from(Serde(arguments))
            .try_iter()
            .expect("a tuple")
            .collect();
        let template = self.0.get_template("wording.txt").expect("the template");
        let mut macros = template.render_captured(()).expect("macros");
        let said = macros.with_state_mut(|state| state.call_macro(name, &arguments));
        let said = said.expect("a macro for these");
        said.trim().to_owned()
    }
}
