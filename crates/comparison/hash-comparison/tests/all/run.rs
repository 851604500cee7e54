//! Comparisons before and after they are measured: names that are taken once, words on the terminal.

use hash_comparison::advice::recommend;
use hash_comparison::files::{MAX_DATASETS, MAX_FUNCTIONS};
use hash_comparison::questions::Records;
use hash_comparison::record::{FunctionGroup, Purpose, Request, Standing, on};
use hash_comparison::report::summary;
use hash_comparison::{Comparison, Function, functions, program};
use terminal::failure::Failure;
use terminal::layout::width;
use terminal::number::grouped;

use super::fixtures::committed;

fn options(datasets: &[&str], functions: &[&str], keys: &[&str]) -> Comparison {
    let with = datasets
        .iter()
        .fold(Comparison::new(), |with, &name| with.dataset(name));
    let with = functions.iter().fold(with, |with, &name| with.built_in(name));
    keys.iter().fold(with, |with, &file| with.keys(file))
}

#[test]
fn names_are_taken_once_and_in_any_case_and_own_keys_stand_instead_of_embedded_ones() {
    let further = |one: &&Function| one.facts.group == FunctionGroup::Further;
    let anchors_and_variants = functions::all().len() - 17 - functions::all().iter().filter(further).count();
    for (options, counts) in [
        (
            options(&["VIDEO-ids", "video-ids"], &["xxh3", "XXH3-64", "crc-32"], &[]),
            [1, 2],
        ),
        (options(&[], &["xxh3"], &["my keys.txt"]), [0, 1]),
        (options(&["video-ids"], &[], &["a"]), [1, 25]),
        (options(&[], &["PUBLISHED"], &[]), [3, 17]),
        (
            options(&[], &["XXH3", "Anchors", "variants"], &["a"]),
            [0, anchors_and_variants],
        ),
    ] {
        let chosen = options.plan().unwrap();
        assert_eq!([chosen.datasets.len(), chosen.functions.len()], counts);
        assert!(chosen.run.functions.iter().all(|one| !one.folded));
    }
}

#[test]
fn all_functions_are_taken_and_those_that_nobody_named_are_folded() {
    let request = Request {
        mine: Some("pjw".to_owned()),
        ..Request::default()
    };
    let shown = |options: Comparison| -> Vec<String> {
        let chosen = options.all().plan().unwrap();
        assert_eq!(chosen.functions.len(), functions::all().len());
        let shown = chosen.run.functions.into_iter().filter(|one| !one.folded);
        shown.map(|one| one.name).collect()
    };
    let named = options(&[], &["crc-32"], &[]);
    assert_eq!(shown(named.request(request)), ["PJW", "CRC-32"]);
    assert_eq!(shown(Comparison::new()).len(), functions::default_set().count());
}

#[test]
fn custom_functions_have_names_of_their_own_and_no_list_is_too_long() {
    let with = |own: &[&'static str]| {
        let function = |&name: &&'static str| Function::custom(name, 32, |_| 0, &[]);
        let own = own.iter().map(function);
        own.fold(options(&[], &["XXH3"], &[]), Comparison::function)
            .plan()
    };
    assert_eq!(with(&["Mine", "Yours"]).unwrap().functions.len(), 3);
    let names = (0..=MAX_DATASETS).map(|index| &*Box::leak(format!("F{index}").into_boxed_str()));
    let names: Vec<&'static str> = names.collect();
    assert!(with(&names[1..MAX_FUNCTIONS]).is_ok());
    assert!(options(&[], &[], &names[..MAX_DATASETS]).plan().is_ok());
    for (refused, expected) in [
        (with(&["Mine", "MINE"]), "taken by"),
        (with(&names[..MAX_FUNCTIONS]), "at most 64 functions, got 65"),
        (
            options(&[], &[], &names).plan(),
            "64 datasets and key files, got 65",
        ),
    ] {
        let error = refused.unwrap_err();
        let has_reason = error.to_string().contains(expected);
        assert!(matches!(error, Failure::Input(_)) && has_reason, "{error}");
    }
}

/// Returns what the terminal shows of a run, whose lines must fit.
fn printed(records: &Records) -> String {
    let text = summary::of(records);
    let fits = |line: &str| line.chars().count() <= usize::from(width());
    assert!(text.lines().all(fits), "{text}");
    text
}

#[test]
fn a_default_run_is_shown_on_one_screen() {
    let records = committed();
    let text = printed(&records);
    // The last line is the path of the report.
    assert!(text.lines().count() < 40, "{text}");
    let mut rest = text.as_str();
    for set in &records.run.datasets {
        let mut advice = on(&records.advice, &set.name);
        let pick = &advice.next().unwrap().function;
        let start = format!("{} ({} keys): take {pick}", set.name, grouped(set.keys));
        let (_, answer) = rest
            .split_once(&start)
            .unwrap_or_else(|| panic!("{start}: {text}"));
        let (_, avoid) = answer.split_once("\n avoid ").unwrap();
        assert!(
            avoid.lines().next().unwrap().contains(" times as many "),
            "{text}"
        );
        rest = avoid;
    }
    assert!(
        rest.contains("Over all key sets, times over the fastest: "),
        "{text}"
    );
}

#[test]
fn own_keys_take_sixteen_lines_with_the_function_in_use_and_every_verdict_has_a_figure() {
    let mut records = committed();
    records.run.datasets.retain(|set| set.name == "app-accounts");
    for mine in ["DJB2Hash", "BPHash", "MurMurHash2"] {
        for purpose in [
            Purpose::FilterOrTable,
            Purpose::Filter,
            Purpose::Table,
            Purpose::Shard,
            Purpose::Checksum,
        ] {
            for untrusted in [false, true] {
                let request = Request {
                    purpose,
                    untrusted,
                    mine: Some(mine.to_owned()),
                    ..Request::default()
                };
                recommend(&mut records, &request);
                let text = printed(&records);
                assert!(text.lines().count() < 16, "{text}");
                assert!(text.contains("yours"), "{text}");
                for verdict in text.split("no (").skip(1) {
                    assert!(
                        verdict.starts_with(|first: char| first.is_ascii_digit()),
                        "{text}"
                    );
                }
            }
        }
    }
}

#[test]
fn lines_fit_whatever_a_file_is_called() {
    let mut records = committed();
    records.run.datasets.truncate(1);
    let dataset = &mut records.run.datasets[0];
    let named = dataset.name.clone();
    dataset.name = "x".repeat(200);
    for one in records.advice.iter_mut().filter(|one| one.dataset == named) {
        one.dataset = "x".repeat(200);
        one.standing = Standing::Avoid;
    }
    let text = printed(&records);
    let words = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(words.contains("nothing is recommended"), "{text}");
    assert!(words.contains(" avoid "), "{text}");
}

#[test]
fn words_of_a_shell_are_quoted() {
    let words = ["", "a-b.txt", "my keys", "it's"].map(program::quoted);
    assert_eq!(words, ["''", "a-b.txt", "'my keys'", r"'it'\''s'"]);
}
