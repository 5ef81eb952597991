#!/bin/sh
# userdebs.sh DIR PACKAGES PROGRAM ...: unpacks packages of this machine's own Debian
# suite, named in one word, with all that they need but the C library, into DIR, for
# whom may not install them. DIR/bin gets a wrapper for each PROGRAM, a path below DIR.
# Nothing of the system changes, and DIR can be moved afterwards.
# Needs apt-get and dpkg.
set -eu
mkdir -p "$1"
dir=$(cd "$1" && pwd)
wanted=$2
shift 2

for program in apt-get dpkg; do
	command -v "$program" >/dev/null 2>&1 || { echo "userdebs.sh needs $program" >&2; exit 3; }
done
mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/apt/debs" "$dir/bin"
# With an empty status apt names all that the package needs, whatever is installed.
: >"$dir/apt/status"
cat >"$dir/apt/apt.conf" <<CONF
Dir::State::lists "$dir/apt/lists";
Dir::State::status "$dir/apt/status";
Dir::Cache "$dir/apt/cache";
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
CONF
export APT_CONFIG="$dir/apt/apt.conf"
apt-get update -qq
# The C library is the system's: its loader is the one that starts the programs.
# shellcheck disable=SC2086 # one word a package
packages=$(apt-get install -y --print-uris $wanted | sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p" | sort -u | grep -v -x -e libc6 -e libc-bin)
# shellcheck disable=SC2086 # one word a package
(cd "$dir/apt/debs" && apt-get download -qq $packages >/dev/null)
for deb in "$dir"/apt/debs/*.deb; do dpkg -x "$deb" "$dir"; done
rm -rf "$dir/apt" "$dir"/bin/* "$dir/usr/share/doc" "$dir/usr/share/man" "$dir/usr/share/locale"

cat >"$dir/fonts.conf" <<'CONF'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">usr/share/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
CONF
for program; do
	cat >"$dir/bin/$(basename "$program")" <<WRAPPER
#!/bin/sh
dir=\$(dirname "\$(dirname "\$(readlink -f "\$0")")")
for libraries in "\$dir"/usr/lib/*-linux-gnu* "\$dir"/lib/*-linux-gnu*; do
	LD_LIBRARY_PATH=\$libraries\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
done
export LD_LIBRARY_PATH
export FONTCONFIG_FILE="\$dir/fonts.conf"
exec "\$dir/$program" "\$@"
WRAPPER
	chmod +x "$dir/bin/$(basename "$program")"
done
