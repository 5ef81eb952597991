// Command codebot-ls is a coding agent that an editor runs the way it runs a
// language server: JSON-RPC over stdio.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/codebot-ls/codebot-ls/server"
	"github.com/codebot-ls/codebot-ls/server/rpc"
)

// version is set by the build (-ldflags "-X main.version=...").
var version = ""

func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

const usage = `codebot-ls is a coding agent that an editor runs like a language server.

Usage:
  codebot-ls [serve] [--stdio] [--log-file FILE] [--trace]
        speak JSON-RPC over stdio with an editor (the default)
  codebot-ls chat [--demo] [--model M] [--yes] [--no-wait] [--trust-workspace] [PROMPT]
        prompt the agent in a terminal
  codebot-ls mcp list | test NAME | call SERVER TOOL JSON | demo docs|deploy
        look at the configured MCP servers
  codebot-ls version
`

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	command := "serve"
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		command, args = args[0], args[1:]
	}
	switch command {
	case "serve":
		return serve(ctx, args)
	case "chat":
		return runChat(ctx, args)
	case "mcp":
		return runMCP(ctx, args)
	case "version":
		fmt.Println("codebot-ls", buildVersion())
		return 0
	case "help":
		fmt.Print(usage)
		return 0
	}
	fmt.Fprintf(os.Stderr, "codebot-ls: no command %q\n\n%s", command, usage)
	return 2
}

func serve(ctx context.Context, args []string) int {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(flags.Output(), usage); flags.PrintDefaults() }
	flags.Bool("stdio", true, "speak over stdin and stdout; there is no other way")
	logFile := flags.String("log-file", "", "write the log to `FILE` instead of stderr")
	trace := flags.Bool("trace", false, "log every message, secrets hidden")
	showVersion := flags.Bool("version", false, "print the version")
	if err := flags.Parse(args); err != nil {
		if err == flag.ErrHelp {
			return 0
		}
		return 2
	}
	if *showVersion {
		fmt.Println("codebot-ls", buildVersion())
		return 0
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "codebot-ls: serve takes no argument %q\n", flags.Arg(0))
		return 2
	}

	var logTo io.Writer = os.Stderr
	if *logFile != "" {
		f, err := os.OpenFile(*logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			fmt.Fprintf(os.Stderr, "codebot-ls: opening the log file: %v\n", err)
			return 2
		}
		defer func() { _ = f.Close() }()
		logTo = f
	}
	// An editor that does not drain our stderr must not stop us.
	lossy := rpc.NewLossy(logTo)
	defer lossy.Close(200 * time.Millisecond)
	level := slog.LevelInfo
	var tap rpc.Tap
	if *trace {
		level = slog.LevelDebug
		tap = rpc.Trace(lossy, rpc.NewRedactor(os.Environ()))
	}
	logger := slog.New(slog.NewTextHandler(lossy, &slog.HandlerOptions{Level: level}))
	logger.Info("codebot-ls starts", "version", buildVersion(), "pid", os.Getpid())

	// Nothing else may write to stdout: it is the protocol's.
	out := os.Stdout
	os.Stdout = os.Stderr
	return server.Serve(ctx, server.Options{
		In: os.Stdin, Out: out, Version: buildVersion(), Environ: os.Environ(), Logger: logger, Tap: tap,
	})
}
