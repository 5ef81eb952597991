# codebot-ls. `make demo` shows it at work, `make test` proves it.
.PHONY: help build demo test check fuzz lint generate vsix clean

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
	@echo "make vsix      pack the VS Code extension, with the server inside, for this machine"
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

vsix:
	@sh scripts/vsix.sh bin/codebot.vsix

clean:
	rm -rf bin .cache
