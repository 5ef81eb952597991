#!/bin/sh
# nvim.sh SUITE DIR: puts the Neovim of a Debian suite into DIR, for the tests of
# the plug-in. Nothing of the system changes: apt gets lists, a cache and a status
# of its own, takes packages from the mirror that this machine uses anyhow, and
# checks them with Debian's keys. The program is DIR/bin/nvim; a second call does
# nothing. Needs apt-get, dpkg and patchelf; takes some 10 s and 60 MB.
set -eu
suite=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)
[ ! -e "$dir/installed" ] || exit 0

need() { command -v "$1" >/dev/null 2>&1 || { echo "nvim.sh needs $1" >&2; exit 3; }; }
need apt-get
need dpkg
need patchelf
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keys" ] || { echo "nvim.sh needs $keys, of the package debian-archive-keyring" >&2; exit 3; }
mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v -i security | head -n 1)
[ -n "$mirror" ] || { echo "nvim.sh found no mirror in apt's sources" >&2; exit 3; }

rm -rf "$dir/usr" "$dir/bin" "$dir/apt"
mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/apt/debs" "$dir/bin"
# With an empty status apt names all that Neovim needs, the C library included: the
# suite's own is newer than the system's.
: >"$dir/apt/status"
echo "deb [signed-by=$keys] $mirror $suite main" >"$dir/apt/sources.list"
cat >"$dir/apt/apt.conf" <<CONF
Dir::State::lists "$dir/apt/lists";
Dir::State::status "$dir/apt/status";
Dir::Cache "$dir/apt/cache";
Dir::Etc::sourcelist "$dir/apt/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferencesparts "-";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
CONF
export APT_CONFIG="$dir/apt/apt.conf"
apt-get update -qq
packages=$(apt-get install -y --print-uris neovim | sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p" | sort -u)
# shellcheck disable=SC2086 # one word a package
(cd "$dir/apt/debs" && apt-get download -qq $packages >/dev/null)
for deb in "$dir"/apt/debs/*.deb; do dpkg -x "$deb" "$dir"; done

# Neovim starts itself again by its own path, so a wrapper around the loader would
# not do: the program itself is told which loader and libraries are its own.
loader=$(find "$dir/usr/lib" "$dir/lib" -name 'ld-linux*.so*' 2>/dev/null | head -n 1)
[ -n "$loader" ] || { echo "nvim.sh found no loader among the packages of $suite" >&2; exit 1; }
libraries=$(dirname "$loader")
patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$dir/usr/bin/nvim"
cat >"$dir/bin/nvim" <<WRAP
#!/bin/sh
export VIM="$dir/usr/share/nvim" VIMRUNTIME="$dir/usr/share/nvim/runtime"
exec "$dir/usr/bin/nvim" "\$@"
WRAP
chmod +x "$dir/bin/nvim"
rm -rf "$dir/apt" "$dir/usr/share/doc" "$dir/usr/share/man"
"$dir/bin/nvim" --version | head -n 1 | tee "$dir/installed"
