#!/bin/sh
# Installs the libraries, the headers and a file for pkg-config below PREFIX: install.sh PREFIX
#
# The same files as those of `cargo cinstall --prefix PREFIX` (crate cargo-c), where there is nothing but cargo. For Linux and
# its relatives. Builds for CARGO_BUILD_TARGET, if it is set.
set -eu
prefix=${1:?usage: install.sh PREFIX}
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd)
cd "$(dirname "$0")"

name=filter_policy_leveldb
shared=lib$name.so

# Builds a crate type; prints the path of its file, which cargo alone knows: a target or a profile changes the folder.
built() {
  type=$1
  file=$2
  shift 2
  cargo rustc --quiet --release --lib --crate-type "$type" --message-format json-render-diagnostics -- "$@" |
    sed -n 's|.*"\(/[^"]*/'"$file"'\)".*|\1|p' | tail -n 1
}
static=$(built staticlib "lib$name.a")
version=$(cargo pkgid | sed 's/.*[#@]//')
: "${version:?cargo pkgid failed}"
# Versions below 1 break with their second number.
case $version in
  0.*) major=${version%.*} ;;
  *) major=${version%%.*} ;;
esac
dynamic=$(built cdylib "$shared" -C "link-arg=-Wl,-soname,$shared.$major")

install -D -m 644 -t "$prefix/include" include/*.h
install -D -m 644 "$static" "$prefix/lib/lib$name.a"
install -D -m 755 "$dynamic" "$prefix/lib/$shared.$version"
ln -sf "$shared.$version" "$prefix/lib/$shared.$major"
ln -sf "$shared.$version" "$prefix/lib/$shared"
mkdir -p "$prefix/lib/pkgconfig"
# pkg-config quotes what is escaped here, so that a prefix may contain spaces.
escaped=$(printf '%s\n' "$prefix" | sed 's/[^A-Za-z0-9_./:+-]/\\&/g')
cat > "$prefix/lib/pkgconfig/$name.pc" <<END
prefix=$escaped
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: $name
Description: Bloom filter policies for leveldb_filterpolicy_create
Version: $version
Libs: -L\${libdir} -l$name
Libs.private: -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
Cflags: -I\${includedir}
END
