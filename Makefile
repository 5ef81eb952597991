# codebot-ls. `make demo` shows it at work, `make test` proves it.
.PHONY: help build demo test check fuzz lint generate vsix screenshots clean

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
EXE := $(shell go env GOEXE 2>/dev/null)
BIN := bin/codebot-ls$(EXE)

help:
	@echo "make demo      run an agent against two demo MCP servers, in this terminal"
	@echo "make test      everything this machine can test, setting up what is lacking"
	@echo "make check     the quick part of it: Go only, no network"
	@echo "make fuzz      fuzz each target for FUZZTIME, 1m unless told"
	@echo "make build     build $(BIN)"
	@echo "make lint      static checks"
	@echo "make vsix      pack the VS Code extension, with the server inside, for PLATFORMS and this machine"
	@echo "make screenshots  take the pictures of the README in a real VS Code"
	@echo "make generate  write the files that are generated from Go types"

build:
	@mkdir -p bin
	go build -trimpath -ldflags "-X main.version=$(VERSION)" -o $(BIN) ./cmd/codebot-ls

demo:
	@sh scripts/demo.sh

test:
	@sh scripts/test.sh

check:
	@sh scripts/test.sh -quick

FUZZTIME ?= 1m

fuzz:
	@sh scripts/test.sh -quick -suite fuzz -fuzztime $(FUZZTIME)

lint:
	@sh scripts/lint.sh

generate:
	go run ./server/wire/gen
	go run ./workspace/assist/gen
	go -C scripts/tools run ./vimdoc ../../editors/nvim

# With PLATFORMS= only the package for this machine is made, which comes last: its
# server stays in editors/vscode.
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

vsix:
	@for p in $(PLATFORMS); do \
		GOOS=$${p%/*} GOARCH=$${p#*/} sh scripts/vsix.sh bin/codebot-$${p%/*}-$${p#*/}.vsix || exit 1; \
	done
	@sh scripts/vsix.sh bin/codebot.vsix

screenshots:
	@sh scripts/test.sh -suite "vscode workbench"
	@mkdir -p docs/images
	cp .cache/workbench/pictures/*.png docs/images/

clean:
	rm -rf bin .cache
