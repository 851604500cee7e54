//! Batches of keys: the guarantees of their types, and the choice of a kernel.

use filter_policy::kernels::Kernel;
use filter_policy::{KeyBatch, PackedKeys};

#[test]
fn batches_know_their_keys() {
    let packed = PackedKeys::new(b"aabbcc", 2).unwrap();
    assert_eq!((packed.len(), packed.key_len(), packed.is_empty()), (3, 2, false));
    assert_eq!(packed.get(2), Some(&b"cc"[..]));
    assert_eq!((packed.get(3), packed.get(usize::MAX)), (None, None));
    assert!(packed.iter().eq([b"aa", b"bb", b"cc"]));
    assert!(PackedKeys::new(b"", 0).is_none());
    assert!(PackedKeys::new(b"", 3).unwrap().is_empty());
    let none: &[&[u8]] = &[];
    assert!(KeyBatch::from(none).is_empty());
    let arrays = [*b"aa", *b"bb", *b"cc"];
    let slices: [&[u8]; 3] = [b"aa", b"bb", b"cc"];
    let vectors = slices.map(<[u8]>::to_vec).to_vec();
    check(packed.into());
    check((&arrays).into());
    check((&arrays[..]).into());
    check((&slices).into());
    check((&slices[..]).into());
    check((&arrays.to_vec()).into());
    check((&slices.to_vec()).into());
    check((&vectors).into());
    check(vectors.as_slice().into());
}

fn check(batch: KeyBatch<'_>) {
    assert_eq!(
        (batch.len(), batch.get(2), batch.get(3)),
        (3, Some(&b"cc"[..]), None)
    );
    assert!(batch.iter().eq([b"aa", b"bb", b"cc"]));
}

/// The best kernel is the fastest that the processor has and the environment allows.
#[test]
fn kernels_are_chosen() {
    let available: Vec<Kernel> = Kernel::available().collect();
    assert_eq!(available.first(), Some(&Kernel::Scalar));
    assert_eq!(available.last(), Some(&Kernel::best()));
    if let Ok(allowed) = std::env::var("FILTER_POLICY_KERNEL") {
        let most = Kernel::ALL.iter().position(|kernel| kernel.name() == allowed);
        let most = most.unwrap_or_else(|| panic!("FILTER_POLICY_KERNEL is {allowed:?}, which is no kernel"));
        if cfg!(feature = "std") {
            assert!(
                available
                    .iter()
                    .all(|kernel| Kernel::ALL[..=most].contains(kernel))
            );
        }
    }
    assert_eq!(
        Kernel::ALL
            .iter()
            .map(|kernel| format!("{kernel:>7}"))
            .collect::<Vec<_>>(),
        [" scalar", "   avx2", " avx512", "   neon"]
    );
}
