//! Compiles the shim for LevelDB's C++ interface.

fn main() {
    println!("cargo::rerun-if-changed=src/ffi");
    let mut compiler = cxx_build::bridge("src/ffi.rs");
    compiler.std("c++17").warnings_into_errors(true);
    compiler.include("../../engines/filter-policy-leveldb/include");
    let compiled = compiler.try_compile("leveldb_shim");
    compiled.expect("LevelDB and a C++ compiler are needed; `cargo xtask test --install` installs them");
}
