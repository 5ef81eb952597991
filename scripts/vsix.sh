#!/bin/sh
# vsix.sh FILE: packs the VS Code extension with the server for this machine into
# FILE. It needs Go, and the npm packages of editors/vscode (npm ci).
# GOOS and GOARCH choose another machine.
set -eu
out=$1
case $out in /*) ;; *) out=$PWD/$out ;; esac
cd "$(dirname "$0")/.."
goos=$(go env GOOS) goarch=$(go env GOARCH)
case $goarch in amd64) arch=x64 ;; arm) arch=armhf ;; *) arch=$goarch ;; esac
case $goos in windows) target=win32-$arch ;; *) target=$goos-$arch ;; esac

version=$(git describe --tags --always --dirty 2>/dev/null || echo dev)
rm -rf editors/vscode/server
mkdir -p editors/vscode/server
# Without cgo the program runs on any Linux, whatever its C library.
CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$version" \
	-o "editors/vscode/server/codebot-ls$(go env GOEXE)" ./cmd/codebot-ls
cp LICENSE editors/vscode/LICENSE
rm -rf editors/vscode/docs
mkdir -p editors/vscode/docs
cp docs/*.md editors/vscode/docs/
mkdir -p "$(dirname "$out")"
cd editors/vscode
[ -d node_modules ] || npm ci --ignore-scripts --no-audit --no-fund
node build.mjs
node node_modules/@vscode/vsce/vsce package --no-dependencies --allow-missing-repository --skip-license --target "$target" --out "$out"
