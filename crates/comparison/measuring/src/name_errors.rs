//! Lists of names; errors for unknown and ambiguous names, with the nearest names as a hint.

use terminal::failure::Failure;

/// The most near names in a message.
const OFFERED: usize = 3;
/// The least similarity of a hint: `md5` is as near to `djb2` as to `DEKHash`, which does not help.
const LEAST_LIKE: f64 = 0.8;

/// Returns the error for a `name` that no `kind` of thing (`dataset` or `function`) has. The message lists the most
/// similar of `all` names, if any is similar enough; of equally similar names the earlier comes first.
pub fn unknown<'a>(kind: &str, name: &str, all: impl IntoIterator<Item = &'a str>) -> Failure {
    let wanted = name.to_ascii_lowercase();
    let likeness = |other: &str| strsim::jaro_winkler(&wanted, &other.to_ascii_lowercase());
    let mut near: Vec<(f64, &str)> = all.into_iter().map(|other| (likeness(other), other)).collect();
    near.retain(|(likeness, _)| *likeness >= LEAST_LIKE);
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<&str> = near.into_iter().take(OFFERED).map(|(_, other)| other).collect();
    let hint = match near.len() {
        0 => String::new(),
        1 => format!("; the nearest is {}", near[0]),
        _ => format!("; the nearest are {}", listed(&near, "and")),
    };
    without(format!("no {kind} is called {name:?}{hint}"))
}

/// Returns the error for a `name` that may mean several things of a `kind`.
pub fn ambiguous(kind: &str, name: &str, meant: &[&str]) -> Failure {
    let meant = listed(meant, "or");
    without(format!("{name:?} may mean more than one {kind}: name {meant}"))
}

/// Returns the error for a name that stands for nothing, with the command that lists all names.
pub fn without(reason: String) -> Failure {
    Failure::input(reason + "; the command `list` shows all")
}

/// Lists names as in `a, b and c`, where `and` may be another word.
pub fn listed<T: ToString>(names: &[T], and: &str) -> String {
    let mut names: Vec<String> = names.iter().map(T::to_string).collect();
    let last = names.pop().unwrap_or_default();
    match names.as_slice() {
        [] => last,
        others => format!("{} {and} {last}", others.join(", ")),
    }
}
