//! Compiles the shim, since RocksDB's filters are reached from C++ only.

fn main() {
    println!("cargo::rerun-if-changed=src/ffi/shim.cc");
    let compiled = cc::Build::new()
        .cpp(true)
        .std("c++17")
        .file("src/ffi/shim.cc")
        .warnings_into_errors(true)
        .try_compile("rocksdb_shim");
    match compiled {
        Ok(()) => println!("cargo::rustc-link-lib=rocksdb"),
        Err(error) => println!(
            "cargo::error=RocksDB 7.8's headers and a C++ compiler are needed (Debian 12: librocksdb-dev, g++): {error}"
        ),
    }
}
