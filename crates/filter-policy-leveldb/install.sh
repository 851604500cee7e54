#!/bin/sh
# Installs the libraries, the header and a file for pkg-config below PREFIX: install.sh PREFIX
#
# The same files as those of `cargo cinstall --prefix PREFIX` (crate cargo-c), where there is nothing but cargo. For Linux and
# its relatives.
set -eu
prefix=${1:?usage: install.sh PREFIX}
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd)
cd "$(dirname "$0")"

version=$(cargo pkgid | sed 's/.*[#@]//')
# Versions below 1 break with their second number.
case $version in
  0.*) major=${version%.*} ;;
  *) major=${version%%.*} ;;
esac
name=filter_policy_leveldb
shared=lib$name.so

build=${CARGO_TARGET_DIR:-$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')}
cargo rustc --quiet --release --lib --crate-type cdylib -- -C "link-arg=-Wl,-soname,$shared.$major"
cargo rustc --quiet --release --lib --crate-type staticlib

install -D -m 644 -t "$prefix/include" "include/$name.h"
install -D -m 644 -t "$prefix/lib" "$build/release/lib$name.a"
install -D -m 755 "$build/release/$shared" "$prefix/lib/$shared.$version"
ln -sf "$shared.$version" "$prefix/lib/$shared.$major"
ln -sf "$shared.$version" "$prefix/lib/$shared"
mkdir -p "$prefix/lib/pkgconfig"
cat > "$prefix/lib/pkgconfig/$name.pc" <<END
prefix=$prefix
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: $name
Description: Bloom filter policies for leveldb_filterpolicy_create
Version: $version
Libs: -L\${libdir} -l$name
Libs.private: -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
Cflags: -I\${includedir}
END
