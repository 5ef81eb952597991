#!/bin/sh
# nvim.sh SUITE DIR: puts the Neovim of a Debian suite into DIR, for the tests of
# the plug-in; see debs.sh. The program is DIR/bin/nvim; a second call does nothing.
# Takes some 10 s and 60 MB.
set -eu
[ ! -e "$2/installed" ] || exit 0
sh "$(dirname "$0")/debs.sh" "$1" "$2" neovim usr/bin/nvim
dir=$(cd "$2" && pwd)
cat >"$dir/bin/nvim" <<WRAP
#!/bin/sh
export VIM="$dir/usr/share/nvim" VIMRUNTIME="$dir/usr/share/nvim/runtime"
exec "$dir/usr/bin/nvim" "\$@"
WRAP
chmod +x "$dir/bin/nvim"
"$dir/bin/nvim" --version | head -n 1 | tee "$dir/installed"
