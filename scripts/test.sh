#!/bin/sh
# Runs the project's tests: everything this machine can run, and a table of what
# it could not. `scripts/test.sh -quick` keeps to what needs Go and no network.
# Only the version of Go is checked here; the program it starts does the rest.
set -eu
cd "$(dirname "$0")/.."

if ! command -v go >/dev/null 2>&1; then
	echo "go is not on PATH: codebot-ls needs Go 1.26 or newer (https://go.dev/dl)" >&2
	exit 2
fi
version=$(GOTOOLCHAIN=local go env GOVERSION)
minor=$(printf '%s\n' "$version" | sed -n 's/^go1\.\([0-9][0-9]*\).*/\1/p')
if [ -n "$minor" ] && [ "$minor" -lt 26 ]; then
	echo "this is $version: codebot-ls needs Go 1.26 or newer (https://go.dev/dl)" >&2
	exit 2
fi

mkdir -p .cache/bin
go build -C scripts -o "$PWD/.cache/bin/suites" ./suites
exec .cache/bin/suites "$@"
