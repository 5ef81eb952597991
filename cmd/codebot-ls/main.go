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
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/secret"
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

// language is that of the terminal.
func language() lang.Lang { return lang.OfEnvironment(os.Getenv) }

// say gives a text for people in the language of the terminal.
func say(format string, args ...any) string { return language().Sprintf(zh, format, args...) }

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
		fmt.Print(say(textUsage))
		return 0
	}
	fmt.Fprintf(os.Stderr, "codebot-ls: %s\n\n%s", say(textNoCommand, command), say(textUsage))
	return 2
}

func serve(ctx context.Context, args []string) int {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(flags.Output(), say(textUsage)); flags.PrintDefaults() }
	flags.Bool("stdio", true, say(textFlagStdio))
	logFile := flags.String("log-file", "", say(textFlagLogFile))
	trace := flags.Bool("trace", false, say(textFlagTrace))
	showVersion := flags.Bool("version", false, say(textFlagVersion))
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
		fmt.Fprintf(os.Stderr, "codebot-ls: %s\n", say(textServeArgument, flags.Arg(0)))
		return 2
	}

	var logTo io.Writer = os.Stderr
	if *logFile != "" {
		f, err := os.OpenFile(*logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			fmt.Fprintf(os.Stderr, "codebot-ls: %s\n", say(textOpeningLog, err))
			return 2
		}
		defer func() { _ = f.Close() }()
		logTo = f
	}
	// An editor that does not drain our stderr must not stop us.
	lossy := rpc.NewLossy(logTo)
	defer lossy.Close(200 * time.Millisecond)
	secrets := &secret.Live{}
	secrets.LearnEnviron(os.Environ())
	level := slog.LevelInfo
	var tap rpc.Tap
	if *trace {
		level = slog.LevelDebug
		tap = rpc.Trace(lossy, secrets)
	}
	logger := slog.New(slog.NewTextHandler(secrets.Writer(lossy), &slog.HandlerOptions{Level: level}))
	logger.Info("codebot-ls starts", "version", buildVersion(), "pid", os.Getpid())

	// Nothing else may write to stdout: it is the protocol's.
	out := os.Stdout
	os.Stdout = os.Stderr
	return server.Serve(ctx, server.Options{
		In: os.Stdin, Out: out, Version: buildVersion(), Environ: os.Environ(), Logger: logger, Tap: tap, Secrets: secrets,
	})
}
