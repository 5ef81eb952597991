#!/bin/sh
# debs.sh SUITE DIR PACKAGE: unpacks a package of a Debian suite, with all that it
# needs, the C library included, into DIR; and tells the programs named after it
# (PROGRAM ...) which loader and libraries are their own. Nothing of the system
# changes: apt gets lists, a cache and a status of its own, takes packages from the
# mirror that this machine uses anyhow, and checks them with Debian's keys.
#
# Usage: debs.sh SUITE DIR PACKAGE PROGRAM ...   (programs relative to DIR)
# Needs apt-get, dpkg and patchelf.
set -eu
suite=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)
package=$3
shift 3

need() { command -v "$1" >/dev/null 2>&1 || { echo "debs.sh needs $1" >&2; exit 3; }; }
need apt-get
need dpkg
need patchelf
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keys" ] || { echo "debs.sh needs $keys, of the package debian-archive-keyring" >&2; exit 3; }
mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v -i security | head -n 1)
if [ -z "$mirror" ]; then
	echo "debs.sh found no mirror in apt's sources" >&2
	exit 3
fi

rm -rf "$dir/usr" "$dir/bin" "$dir/apt"
mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/apt/debs" "$dir/bin"
# With an empty status apt names all that the package needs, the C library included:
# the suite's own is newer than the system's.
: >"$dir/apt/status"
echo "deb [signed-by=$keys] $mirror $suite main" >"$dir/apt/sources.list"
cat >"$dir/apt/apt.conf" <<CONF
Dir::State::lists "$dir/apt/lists";
Dir::State::status "$dir/apt/status";
Dir::Cache "$dir/apt/cache";
Dir::Etc::sourcelist "$dir/apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
CONF
export APT_CONFIG="$dir/apt/apt.conf"
apt-get update -qq
packages=$(apt-get install -y --print-uris "$package" | sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p" | sort -u)
# shellcheck disable=SC2086 # one word a package
(cd "$dir/apt/debs" && apt-get download -qq $packages >/dev/null)
for deb in "$dir"/apt/debs/*.deb; do dpkg -x "$deb" "$dir"; done

# A wrapper around the loader would not do: programs start themselves again by
# their own path.
loader=$(find "$dir/usr/lib" "$dir/lib" -name 'ld-linux*.so*' 2>/dev/null | head -n 1)
[ -n "$loader" ] || { echo "debs.sh found no loader among the packages of $suite" >&2; exit 1; }
libraries=$(dirname "$loader")
for program; do
	patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$dir/$program"
done
rm -rf "$dir/apt" "$dir/usr/share/doc" "$dir/usr/share/man"
