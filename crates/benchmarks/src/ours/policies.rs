//! Policies of this project.

use core::hint::black_box;
use std::rc::Rc;

use filter_policy::kernels::Kernel;
use filter_policy::policies::{self, AnyPolicy};
use filter_policy::{Answers, Error, FilterPolicy, Format, KeyBatch, Policy};

use crate::keys::Batched;
use crate::suites::policy::{Contender, Forms, Maker, count};
use crate::turns::Loop;

/// Appends the filter of packed keys.
type Packed = Box<dyn Fn(&[[u8; 16]], &mut Vec<u8>) -> Result<(), Error>>;

/// Counts the keys that may match a filter.
type Typed = Box<dyn Fn(&[&[u8]], &[u8]) -> u64>;

/// A policy of this project, called through the trait as engines do, except for packed keys and by `Typed`.
pub struct Ours {
    policy: AnyPolicy,
    /// Queries one key a call of a policy whose type is known; `None` for policies that are pinned to a kernel.
    typed: Option<Typed>,
    /// `None` for policies that build each filter in newly allocated memory.
    packed: Option<Packed>,
}

impl Ours {
    /// Returns a contender for each kernel that this processor has. It builds filters one after another in the same
    /// memory, as engines do.
    pub fn on_all_kernels<F>(policy: Policy<F>) -> impl Iterator<Item = Contender>
    where
        F: Format + Copy + Send + Sync + 'static,
    {
        Kernel::available().map(move |kernel| -> Contender {
            let policy = policy.on_kernel(kernel);
            let packed = move |keys: &[[u8; 16]], filter: &mut Vec<u8>| {
                filter.resize(policy.max_filter_len(keys.len())?, 0);
                let len = policy.build_in(keys, filter)?.len();
                filter.truncate(len);
                Ok(())
            };
            let (policy, typed, packed) = (Box::new(policy), None, Some(Box::new(packed) as _));
            (
                kernel.name(),
                Box::new(Self {
                    policy,
                    typed,
                    packed,
                }),
            )
        })
    }

    /// Returns a contender that uses the policy as programs do: it chooses its kernel in each call, and builds each filter
    /// in newly allocated memory.
    pub fn by_default<F>(policy: Policy<F>) -> Contender
    where
        F: Format + Copy + Send + Sync + 'static,
    {
        let typed = move |keys: &[&[u8]], filter: &[u8]| {
            let policy = black_box(&policy);
            count(keys, |key| policy.key_may_match(key, filter))
        };
        let (policy, typed, packed) = (Box::new(policy), Some(Box::new(typed) as _), None);
        (
            "default",
            Box::new(Self {
                policy,
                typed,
                packed,
            }),
        )
    }

    /// Returns what builds filters of a policy, by its name, with at most this rate; `None` if it cannot. Each is in newly
    /// allocated memory, as those of other crates, and gets its keys as slices only.
    pub fn at_rate(name: &str, keys: usize, rate: f64) -> Option<Box<dyn Maker>> {
        let bits_per_key = policies::listed(name)?.bits_per_key_for_rate(keys as u64, rate);
        let policy = policies::by_name(name, bits_per_key.ok()?).ok()?;
        let (typed, packed) = (None, None);
        Some(Box::new(Self {
            policy,
            typed,
            packed,
        }))
    }

    /// Builds filters with `build`, and returns their bytes.
    fn each<'k, K: ?Sized + 'k>(
        &self,
        filters: impl Iterator<Item = &'k K>,
        build: impl Fn(&K, &mut Vec<u8>) -> Result<(), Error>,
    ) -> u64 {
        let mut filter = Vec::new();
        let bytes = |keys| {
            if self.packed.is_none() {
                filter = Vec::new();
            }
            filter.clear();
            build(keys, &mut filter).expect("memory for the filter");
            black_box(&filter).len() as u64
        };
        filters.map(bytes).sum()
    }
}

impl Maker for Ours {
    fn version(&self) -> String {
        crate::version("filter-policy")
    }

    fn builds<'a>(&'a self, size: usize, keys: Batched<'a>) -> Forms<'a> {
        let slices = move || {
            self.each(keys.slices.chunks_exact(size), |keys, filter| {
                let policy: &dyn FilterPolicy = black_box(&*self.policy);
                policy.append_filter(keys, filter)
            })
        };
        let mut forms: Forms<'a> = vec![("slices", Box::new(slices))];
        forms.extend(keys.arrays.zip(self.packed.as_ref()).map(|(arrays, packed)| {
            let run = move || self.each(arrays.chunks_exact(size), black_box(packed));
            ("packed", Box::new(run) as _)
        }));
        forms
    }

    fn queries<'a>(&'a self, stored: &[&[u8]], keys: Batched<'a>) -> Forms<'a> {
        let mut filter = Vec::new();
        let built = self.policy.append_filter(stored, &mut filter);
        built.expect("memory for the filter");
        let filter: Rc<[u8]> = filter.into();
        let one = |filter: &[u8]| {
            let policy = black_box(&*self.policy);
            count(keys.slices, |key| policy.key_may_match(key, filter))
        };
        let prepared = |filter: &[u8]| {
            let prepared = self.policy.prepare(black_box(filter));
            count(keys.slices, |key| prepared.may_match(key))
        };
        let many = |keys: KeyBatch<'a>| {
            let mut words = vec![0; Answers::words_for(keys.len())];
            move |filter: &[u8]| {
                let mut answers = Answers::new(&mut words);
                let prepared = self.policy.prepare(black_box(filter));
                let answered = prepared.may_match_many(keys, &mut answers);
                answered.expect("there are answers enough");
                answers.matches()
            }
        };
        let mut forms = vec![
            ("one-by-one", with(&filter, one)),
            ("prepared", with(&filter, prepared)),
            ("slices", with(&filter, many(keys.slices.into()))),
        ];
        let typed = |typed: &'a Typed| {
            let run = move |filter: &[u8]| typed(keys.slices, black_box(filter));
            ("typed", with(&filter, run))
        };
        forms.extend(self.typed.as_ref().map(typed));
        let packed = |arrays: &'a [[u8; 16]]| ("packed", with(&filter, many(arrays.into())));
        forms.extend(keys.arrays.map(packed));
        forms
    }
}

/// Returns the loop that queries a filter.
fn with<'a>(filter: &Rc<[u8]>, mut query: impl FnMut(&[u8]) -> u64 + 'a) -> Loop<'a> {
    let filter = filter.clone();
    Box::new(move || query(&filter))
}
