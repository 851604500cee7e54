//! The page that tells which policy to take says what the policies do.
#![cfg(feature = "alloc")]

#[path = "support/which_policy.rs"]
mod which_policy;

#[test]
fn the_table_is_what_is_measured() {
    let page = include_str!("../WHICH.md");
    let table = which_policy::table();
    assert!(
        page.contains(&table),
        "WHICH.md has another table than `cargo run --release --example which_policy` prints:\n{table}"
    );
}
