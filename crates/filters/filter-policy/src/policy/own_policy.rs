#![doc = include_str!("../../OWN_POLICY.md")]
