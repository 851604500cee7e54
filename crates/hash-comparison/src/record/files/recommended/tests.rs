//! Lists, ranks and figures that the run does not bear out.

use super::*;
use crate::progress::Silent;
use crate::record::Request;
use crate::run::compare::{self, Options};

#[test]
fn what_the_run_does_not_bear_out_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let keys = dir.join("keys.txt");
    let lines: String = (0..2_000).map(|number| format!("key {number}\n")).collect();
    std::fs::write(&keys, lines).unwrap();
    let functions = ["BPHash", "XXH3", "xxHash64", "SipHash-2-4"].map(str::to_owned);
    let request = Request {
        purpose: Purpose::Table,
        mine: Some("BPHash".to_owned()),
        ..Request::default()
    };
    let options = Options::new(&[], &functions, vec![keys], 1, true)
        .and_then(|options| options.with_request(request))
        .unwrap();
    let good = compare::run(&options, &Silent).unwrap();
    let told = &good.run.recommendations[0];
    assert_eq!((told.short_list.len(), told.excluded.len()), (3, 1));
    good.write(dir).unwrap();
    Records::read(dir).unwrap();

    type Change = fn(&mut Recommendation);
    let cases: &[(Change, &str)] = &[
        (
            |r| r.dataset = "other".to_owned(),
            r#"dataset: "other" is not allowed, only "keys""#,
        ),
        (
            |r| r.form = CallForm::Independent,
            r#"form: "independent" is not allowed, only "chained""#,
        ),
        (
            |r| r.purpose = Purpose::Shard,
            "stable: false is not allowed, only true",
        ),
        (
            |r| r.purpose = Purpose::Filter,
            r#"form: "chained" is not allowed, only "independent""#,
        ),
        (
            |r| r.short_list[0].rank = 2,
            "short_list[0].rank: 2 is not allowed, only 1",
        ),
        (
            |r| r.short_list[0].rank = 0,
            "short_list[0].rank: 0 is not allowed, only 1",
        ),
        (
            |r| r.short_list[2].rank = u64::MAX,
            "short_list[2].rank: 18446744073709551615 is not allowed",
        ),
        (
            |r| r.short_list[1].function = "XXH9".to_owned(),
            r#"short_list[1].function: no function is called "XXH9""#,
        ),
        (
            |r| r.short_list[1].function = r.short_list[0].function.clone(),
            "is there twice; one place is allowed",
        ),
        (
            |r| drop(r.short_list.pop()),
            "is missing; each of functions must be there",
        ),
        (
            |r| {
                let last = r.short_list.pop().unwrap();
                r.more.push(crate::record::Other {
                    function: last.function,
                    rank: last.rank,
                });
            },
            "short_list: 2 functions, and 1 in more, are not allowed, only 5",
        ),
        (
            |r| r.short_list[0].stable ^= true,
            "short_list[0].stable: false is not allowed, only true",
        ),
        (
            |r| r.short_list[0].time = None,
            "short_list[0].time: null is not allowed, only what latency.csv has",
        ),
        (
            |r| r.short_list[0].time.as_mut().unwrap().ns *= 0.99,
            "short_list[0].time.ns: ",
        ),
        (
            |r| r.short_list[1].time.as_mut().unwrap().low_ns = -1.0,
            "short_list[1].time.low_ns: -1.0 is not allowed, only ",
        ),
        (
            |r| r.short_list[1].time.as_mut().unwrap().high_ns = 1e300,
            "short_list[1].time.high_ns: 1e300 is not allowed, only ",
        ),
        (
            |r| r.too_few_keys = true,
            "too_few_keys: true is not allowed where functions are listed",
        ),
        (
            |r| r.excluded[0].ground = Ground::Attackers,
            r#"excluded[0].ground: "attackers" is not allowed, it was not asked for"#,
        ),
        (
            |r| r.excluded[0].functions[0].function.push('9'),
            r#"excluded[0].functions[0].function: no function is called "BPHash9""#,
        ),
        (
            |r| {
                let mut empty = r.excluded[0].clone();
                empty.functions.clear();
                r.excluded.push(empty);
            },
            "excluded[1].functions: none is not allowed, only one or more",
        ),
        (|r| r.untrusted = true, "was not made to withstand attackers"),
        (
            |r| r.mine.as_mut().unwrap().standing = Standing::Level,
            r#"mine.standing: "level" is not allowed, only "unsuited""#,
        ),
        (
            |r| r.mine.as_mut().unwrap().function = "mine".to_owned(),
            r#"mine.function: no function is called "mine""#,
        ),
    ];
    for (change, message) in cases {
        let mut changed = good.clone();
        change(&mut changed.run.recommendations[0]);
        changed.write(dir).unwrap();
        let error = Records::read(dir).unwrap_err().to_string();
        assert!(error.contains("run.json: field recommendations[0]."), "{error}");
        assert!(error.contains(message), "{message:?} is not in: {error}");
    }
    let mut changed = good.clone();
    changed.run.recommendations.extend_from_within(..);
    changed.write(dir).unwrap();
    let error = Records::read(dir).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "field recommendations: 2 of them is not allowed, only none or 1, one for each of datasets"
        ),
        "{error}"
    );
}
