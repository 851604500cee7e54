//! Refuses kernels that do not exist: for the compiler, any value of a `--cfg` is as good as another.

/// The values that `filter_policy_kernel` may have.
const KERNELS: [&str; 3] = ["scalar", "avx2", "avx512"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Ok(kernel) = std::env::var("CARGO_CFG_FILTER_POLICY_KERNEL")
        && !KERNELS.contains(&kernel.as_str())
    {
        println!(
            "cargo::error=--cfg filter_policy_kernel=\"{kernel}\": it is one of {}",
            KERNELS.join(", ")
        );
    }
}
