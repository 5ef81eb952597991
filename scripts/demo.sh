#!/bin/sh
# The demo: an agent in this terminal, driven over the editor protocol, that finds
# and calls the tools of two MCP servers. It needs Go alone, asks nothing of the
# terminal, and keeps its files in a folder of its own that it removes.
set -eu
cd "$(dirname "$0")/.."
root=$PWD

if ! command -v go >/dev/null 2>&1; then
	echo "go is not on PATH: codebot-ls needs Go 1.26 or newer (https://go.dev/dl)" >&2
	exit 2
fi

bin=$root/bin/codebot-ls$(go env GOEXE)
if [ ! -x "$bin" ]; then
	echo "building codebot-ls (the first time takes a minute or two, later ones a second)"
fi
mkdir -p bin
go build -o "$bin" ./cmd/codebot-ls

tmp=$(mktemp -d "${TMPDIR:-/tmp}/codebot-demo.XXXXXX")
trap 'rm -rf "$tmp"' EXIT INT TERM
mkdir "$tmp/home" "$tmp/shop-backend"
cd "$tmp/shop-backend"
unset CODEBOT_HOME
export HOME="$tmp/home" USERPROFILE="$tmp/home"

# --yes answers the one question, and says so; without a terminal it would be no.
"$bin" chat --demo --model offline --yes <<'PROMPTS'
Search the docs for the worktree cleanup policy.
Deploy the current project and report the result.
What documentation and deployment actions can you perform?
查一下文档里的 worktree 清理策略。
PROMPTS
