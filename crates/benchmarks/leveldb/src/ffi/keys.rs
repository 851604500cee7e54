//! Keys in the form in which LevelDB passes them to policies.

use core::ffi::c_char;
use core::marker::PhantomData;

#[repr(C)]
pub(super) struct RawKeys {
    opaque: [u8; 0],
}

// From shim.cc.
unsafe extern "C" {
    fn shim_keys_new(keys: *const *const c_char, lengths: *const usize, n: usize) -> *mut RawKeys;
    fn shim_keys_destroy(keys: *mut RawKeys);
}

/// Keys as LevelDB's code has them before it calls a policy, so that a loop over them can be timed.
pub struct EngineKeys<'a> {
    pub(super) raw: *mut RawKeys,
    _keys: PhantomData<&'a [u8]>,
}

impl<'a> EngineKeys<'a> {
    /// Keeps where the keys are.
    pub fn new(keys: &[&'a [u8]]) -> Self {
        let pointers: Vec<*const c_char> = keys.iter().map(|key| key.as_ptr().cast()).collect();
        let lengths: Vec<usize> = keys.iter().map(|key| key.len()).collect();
        Self {
            // SAFETY: the arrays have so many elements; the bytes outlive this, and C++ only reads them.
            raw: unsafe { shim_keys_new(pointers.as_ptr(), lengths.as_ptr(), keys.len()) },
            _keys: PhantomData,
        }
    }
}

impl Drop for EngineKeys<'_> {
    fn drop(&mut self) {
        // SAFETY: `new` made it, and nobody uses it any more.
        unsafe { shim_keys_destroy(self.raw) };
    }
}
