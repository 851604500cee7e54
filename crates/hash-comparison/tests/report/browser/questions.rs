//! Questions to the calculator, drawn from a seed, with the answers of the library.

use filter_tools::sizing::{Filter, Question, answer};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;
use serde_json::{Value, json};

/// How many.
const QUESTIONS: usize = 4400;

/// Them and their answers, as JSON.
pub(super) fn drawn() -> String {
    let mut random = SplitMix64::seed_from_u64(11);
    let rows = (0..QUESTIONS).map(|number| {
        let filter = Filter::ALL[number % Filter::ALL.len()];
        let question = question(&mut random, number / Filter::ALL.len() % 11);
        json!({
            "filter": filter.name(),
            "question": {
                "keys": question.keys,
                "rate": question.rate,
                "bits": question.bits_per_key,
                "memory": question.memory,
                "probes": question.probes,
            },
            "answer": answered(filter, question),
        })
    });
    Value::from_iter(rows).to_string()
}

/// `null` where there is no answer.
fn answered(filter: Filter, question: Question) -> Value {
    let answer = question
        .checked()
        .ok()
        .and_then(|question| answer(filter, &question).ok());
    answer.map_or(Value::Null, |answer| {
        json!({
            // Texts, since numbers of JSON are doubles to a browser.
            "keys": answer.keys.to_string(),
            "bytes": answer.bytes.to_string(),
            "configured": answer.configured,
            "bits_per_key": answer.bits_per_key,
            "probes": answer.probes,
            "rate": answer.rate,
        })
    })
}

/// A question of one of eleven kinds, with numbers spread over many magnitudes.
fn question(random: &mut SplitMix64, kind: usize) -> Question {
    let keys = Some(magnitude(random, 33));
    let memory = Some(magnitude(random, 36));
    let rate = Some(libm::exp2(-random.random_range(0.01..28.0)));
    let bits_per_key = Some(match random.random_range(0..3_u8) {
        0 => f64::from(random.random_range(1..50_u8)),
        1 => random.random_range(0.1..60.0),
        _ => f64::from(random.random_range(1..300_u16)) / 10.0,
    });
    let probes = Some(random.random_range(1..32));
    let none = Question::default();
    match kind {
        0 => Question { keys, rate, ..none },
        1 => Question {
            keys,
            bits_per_key,
            ..none
        },
        2 => Question { keys, memory, ..none },
        3 => Question { keys, probes, ..none },
        4 => Question { memory, rate, ..none },
        5 => Question {
            memory,
            bits_per_key,
            ..none
        },
        6 => Question {
            memory,
            probes,
            ..none
        },
        7 => Question { rate, ..none },
        8 => Question {
            keys,
            rate,
            probes,
            ..none
        },
        9 => Question { memory, ..none },
        _ => Question {
            rate,
            bits_per_key,
            ..none
        },
    }
}

/// A number of up to so many bits, each number of bits as likely.
fn magnitude(random: &mut SplitMix64, most_bits: u32) -> u64 {
    let bits = random.random_range(1..=most_bits);
    random.random_range(1..=(1_u64 << bits) - 1)
}
