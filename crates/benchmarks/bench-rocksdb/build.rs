//! Compiles the shim, because RocksDB's filters are accessible only from C++.

fn main() {
    println!("cargo::rerun-if-changed=src/ffi");
    let mut compiler = cxx_build::bridge("src/ffi.rs");
    compiler.std("c++17").warnings_into_errors(true);
    let compiled = compiler.try_compile("rocksdb_shim");
    compiled.expect("RocksDB 7.8 and a C++ compiler are needed; `cargo xtask test --install` installs them");
    println!("cargo::rustc-link-lib=rocksdb");
}
