//! Callers that give up.

use bloom_redis::Answer;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

use crate::support::{Design, LEASE, Server, names};

/// Draws a batch of elements, and for each whether it was inserted.
fn batch(random: &mut SplitMix64, inserted: &[String], strangers: &[String]) -> (Vec<String>, Vec<bool>) {
    (0..60)
        .map(|_| {
            let number = random.next_u64() as usize;
            let there = !random.next_u64().is_multiple_of(4);
            let from = if there { inserted } else { strangers };
            (from[number % from.len()].clone(), there)
        })
        .unzip()
}

/// Checks the answers to a batch. Replies mixed up with those of another batch would deny inserted elements, or find
/// most of the strangers. A filter of few bits does find some strangers, since an element may hit the same bits over
/// and over. All are found if a rebuild interrupted every attempt at the query.
#[track_caller]
fn check(answers: &[Answer], there: &[bool]) {
    assert_eq!(answers.len(), there.len());
    let both = || answers.iter().zip(there);
    let denied = both().filter(|&(&answer, &there)| there && answer == Answer::Absent);
    assert_eq!(denied.count(), 0, "{answers:?}");
    let found = both().filter(|&(&answer, &there)| !there && answer == Answer::MightContain);
    let unread = answers.iter().all(|&answer| answer == Answer::MightContain);
    assert!(found.count() <= 4 || unread, "{answers:?}, {there:?}");
}

/// Polls a future `polls` times, then drops it.
async fn give_up<T>(future: impl Future<Output = T>, polls: u64) -> Option<T> {
    let mut future = Box::pin(future);
    for _ in 0..polls {
        let done = std::future::poll_fn(|context| {
            let polled = future.as_mut().poll(context);
            std::task::Poll::Ready(match polled {
                std::task::Poll::Ready(done) => Some(done),
                std::task::Poll::Pending => None,
            })
        });
        if let Some(done) = done.await {
            return Some(done);
        }
        tokio::task::yield_now().await;
    }
    None
}

#[tokio::test]
async fn a_connection_stays_in_step_when_callers_give_up() {
    let server = Server::start(&[]);
    let client = redis::Client::open(server.url()).unwrap();
    let config = redis::AsyncConnectionConfig::new().set_response_timeout(Some(LEASE));
    let mut connection = client
        .get_multiplexed_async_connection_with_config(&config)
        .await
        .unwrap();
    let filters = [Design::fixed(1_000, 1e-9), Design::growing(40, 1e-9)];
    let (inserted, strangers) = (names("in", 150), names("out", 150));
    for filter in &filters {
        filter.create().query_async(&mut connection).await.unwrap();
        let insert = filter.insert_many(&inserted);
        insert.query_async(&mut connection).await.unwrap();
    }
    let mut random = SplitMix64::seed_from_u64(4);
    let (mut dropped, mut done) = (0, 0);
    for round in 0..60 {
        // Some callers give up while they insert elements that are never queried, some while they query.
        // On a busy machine few would finish within twelve polls, so every third runs to its end.
        let patience = 1 + random.next_u64() % 12;
        let polls = if round % 3 == 0 { u64::MAX } else { patience };
        let more = names(&format!("more {round}"), 1 + (random.next_u64() % 10) as u32);
        let insert = filters[round % 2].insert_many(&more);
        let mut clone = connection.clone();
        match give_up(insert.query_async(&mut clone), polls).await {
            Some(outcome) => {
                assert_eq!(outcome.unwrap().len(), more.len());
                done += 1;
            }
            None => dropped += 1,
        }
        let (elements, there) = batch(&mut random, &inserted, &strangers);
        let question = filters[0].ask(&elements);
        if let Some(answers) = give_up(question.query_async(&mut clone), polls).await {
            check(&answers.unwrap(), &there);
        }
        for filter in &filters {
            let answers = filter.ask(&elements).query_async(&mut connection).await;
            check(&answers.unwrap(), &there);
        }
    }
    assert!(dropped > 8 && done > 8, "{dropped}, {done}");
}
