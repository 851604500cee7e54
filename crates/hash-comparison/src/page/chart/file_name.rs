//! File names derived from dataset names, which can be arbitrary file names.

/// Length limit of a slug in bytes; with chart and extension, far below the 255 that file systems allow.
const LONGEST: usize = 80;

/// Returns a different text of ASCII lower-case letters, digits and inner hyphens for each name.
///
/// The result depends only on the names and their order.
pub(crate) fn slugs<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in names {
        let base = slug(name);
        let mut candidate = base.clone();
        let mut number = 2;
        while out.contains(&candidate) {
            candidate = format!("{base}-{number}");
            number += 1;
        }
        out.push(candidate);
    }
    out
}

fn slug(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if out.len() >= LONGEST {
            break;
        }
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    let out = out.trim_end_matches('-');
    if out.is_empty() {
        "keys".to_owned()
    } else {
        out.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::page::chart::file_name::slugs;

    #[test]
    fn names_become_safe_and_stay_apart() {
        let names = [
            "app-accounts",
            "App Accounts",
            "app-accounts-2",
            "../../etc/passwd",
            "キー",
            "",
            "a\"<b>",
        ];
        let expected = "app-accounts app-accounts-2 app-accounts-2-2 etc-passwd keys keys-2 a-b";
        assert_eq!(slugs(names).join(" "), expected);
        assert!(slugs(["x".repeat(5_000).as_str()])[0].len() <= 80);
    }
}
