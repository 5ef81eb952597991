#!/bin/sh
# llama.sh DIR: puts llama.cpp's server of Debian's coming suite into DIR, for the
# test that streams from a real one; see debs.sh. The program is DIR/bin/llama-server;
# a second call does nothing. Takes some 10 s and 70 MB.
set -eu
mkdir -p "$1"
dir=$(cd "$1" && pwd)
[ ! -e "$dir/installed" ] || exit 0
sh "$(dirname "$0")/debs.sh" forky "$dir" llama.cpp-tools usr/bin/llama-server
# Its processor backends are looked for in the system's folders: it is told the
# oldest of its own, which every 64-bit machine has.
backend=$(find "$dir/usr/lib" -path '*ggml/backends*' -name 'libggml-cpu-x64.so' | head -n 1)
[ -n "$backend" ] || backend=$(find "$dir/usr/lib" -path '*ggml/backends*' -name 'libggml-cpu*.so' | sort | head -n 1)
# Its libraries look for each other in the system's folders, too.
libraries=$(dirname "$(dirname "$(dirname "$backend")")")
cat >"$dir/bin/llama-server" <<WRAP
#!/bin/sh
export GGML_BACKEND_PATH="$backend"
export LD_LIBRARY_PATH="$libraries:$libraries/llama"
exec "$dir/usr/bin/llama-server" "\$@"
WRAP
chmod +x "$dir/bin/llama-server"
"$dir/bin/llama-server" --version 2>&1 | grep -i version | head -n 1 | tee "$dir/installed"
[ -s "$dir/installed" ] || { rm -f "$dir/installed"; echo "llama.sh: the server does not run" >&2; exit 1; }
