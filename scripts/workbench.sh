#!/bin/sh
# workbench.sh DIR: puts a VS Code that runs in a browser (code-server) and the Node
# it needs into DIR, for the tests of the extension. The versions, and what they are
# made of, are those of the lock files in editors/vscode/test/workbench/host and in
# code-server's own package. Nothing is compiled and no package's script runs, so the
# parts that need that, the terminal and passwords, are missing. DIR can be moved
# afterwards. Needs npm, ripgrep, and Linux on x64 or arm64; takes under two minutes
# and 800 MB.
set -eu
from=$(cd "$(dirname "$0")/../editors/vscode/test/workbench/host" && pwd)
mkdir -p "$1"
dir=$(cd "$1" && pwd)
command -v npm >/dev/null 2>&1 || { echo "workbench.sh needs npm" >&2; exit 3; }
rg=$(command -v rg) || { echo "workbench.sh needs ripgrep" >&2; exit 3; }

cp "$from/package.json" "$from/package-lock.json" "$dir/"
cd "$dir"
npm_config_audit=false npm_config_fund=false npm_config_ignore_scripts=true npm_config_loglevel=error
export npm_config_audit npm_config_fund npm_config_ignore_scripts npm_config_loglevel
npm ci >/dev/null

node=$(echo node_modules/node-linux-*/bin/node)
[ -x "$node" ] || { echo "workbench.sh found no Node for this machine among the packages" >&2; exit 3; }
ln -sfn "$node" node
PATH=$dir/$(dirname "$node"):$PATH
export PATH
# Like the postinstall of code-server, less its compiler: the parts of VS Code are
# packages of their own with lock files of their own. Not "npm ci", which finds one of
# those files a peer dependency short.
vscode=$dir/node_modules/code-server/lib/vscode
(cd "$vscode" && npm install --omit=dev >/dev/null && ln -sfn node_modules node_modules.asar)
(cd "$vscode/extensions" && npm install --omit=dev >/dev/null)
mkdir -p "$vscode/node_modules/@vscode/ripgrep/bin"
ln -sfn "$rg" "$vscode/node_modules/@vscode/ripgrep/bin/rg"
HOME=$dir ./node node_modules/code-server/out/node/entry.js --version | tail -n 1
