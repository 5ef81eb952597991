#!/bin/sh
# Static checks alone. golangci-lint is used where it is installed; staticcheck
# is built from the pinned version in scripts/tools.
set -eu
cd "$(dirname "$0")/.."

unformatted=$(gofmt -l cmd mcp server session workspace scripts)
if [ -n "$unformatted" ]; then
	echo "not formatted (gofmt -w would):" >&2
	echo "$unformatted" >&2
	exit 1
fi
go vet ./...
mkdir -p .cache/bin
go build -C scripts/tools -o "$PWD/.cache/bin/staticcheck" honnef.co/go/tools/cmd/staticcheck
.cache/bin/staticcheck ./...
if command -v golangci-lint >/dev/null 2>&1; then
	golangci-lint run ./...
else
	echo "golangci-lint is not on PATH; gofmt, go vet and staticcheck are clean"
fi
