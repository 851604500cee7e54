//! Compiles the shim, which is what LevelDB has in C++ only.

fn main() {
    println!("cargo::rerun-if-changed=src/ffi/shim.cc");
    let compiled = cc::Build::new()
        .cpp(true)
        .std("c++17")
        .file("src/ffi/shim.cc")
        .warnings_into_errors(true)
        .try_compile("leveldb_shim");
    if let Err(error) = compiled {
        println!(
            "cargo::error=LevelDB's headers and a C++ compiler are needed (Debian: libleveldb-dev, g++): {error}"
        );
    }
}
