package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/mcp/demo"
	"github.com/codebot-ls/codebot-ls/server"
	"github.com/codebot-ls/codebot-ls/server/chat"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// chatFlags are the flags of `codebot-ls chat`.
type chatFlags struct {
	demo, trust, yes, noWait bool
	model, mode              string
}

// flagSet returns the flags that set f.
func (f *chatFlags) flagSet() *flag.FlagSet {
	flags := flag.NewFlagSet("chat", flag.ContinueOnError)
	flags.BoolVar(&f.demo, "demo", false, say(textFlagDemo))
	flags.BoolVar(&f.trust, "trust-workspace", false, say(textFlagTrust))
	flags.StringVar(&f.model, "model", "", say(textFlagModel))
	flags.StringVar(&f.mode, "mode", "", say(textFlagMode))
	flags.BoolVar(&f.yes, "yes", false, say(textFlagYes))
	flags.BoolVar(&f.noWait, "no-wait", false, say(textFlagNoWait))
	return flags
}

// parseAnywhere parses flags that may stand before, between and after the other
// arguments, which it returns; after "--" everything is one of those.
func parseAnywhere(flags *flag.FlagSet, args []string) ([]string, error) {
	var others []string
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		rest := flags.Args()
		parsed := args[:len(args)-len(rest)]
		if len(rest) == 0 || len(parsed) > 0 && parsed[len(parsed)-1] == "--" {
			return append(others, rest...), nil
		}
		others, args = append(others, rest[0]), rest[1:]
	}
}

// runChat runs `codebot-ls chat` on the standard streams and returns the exit code.
func runChat(ctx context.Context, args []string) int {
	// Ctrl-C is for the running turn, so it must not be what ends ctx.
	ctx, stop := signal.NotifyContext(context.WithoutCancel(ctx), syscall.SIGTERM)
	defer stop()
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	return chatCommand(ctx, args, os.Stdin, os.Stdout, os.Stderr, interrupts)
}

func chatCommand(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer, interrupts <-chan os.Signal) int {
	var f chatFlags
	flags := f.flagSet()
	flags.SetOutput(errOut)
	flags.Usage = func() {
		fmt.Fprint(errOut, say(textChatUsage))
		flags.PrintDefaults()
	}
	prompt, err := parseAnywhere(flags, args)
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	o, err := chatOptions(f)
	if err != nil {
		fmt.Fprintf(errOut, "codebot-ls chat: %s\n", language().Error(err))
		return 1
	}
	o.Prompt = strings.TrimSpace(strings.Join(prompt, " "))
	o.Model, o.Mode, o.Yes, o.NoWait = f.model, f.mode, f.yes, f.noWait
	o.In, o.Out = in, out
	// A question needs a person who can both read and answer it.
	o.Interactive = isTerminal(in) && isTerminal(out)
	o.Color = isTerminal(out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	o.Interrupts = interrupts
	return chat.Run(ctx, o)
}

// chatOptions makes the options of a chat with a server of our own in this process.
func chatOptions(f chatFlags) (chat.Options, error) {
	dir, err := os.Getwd()
	if err != nil {
		return chat.Options{}, err
	}
	so := server.Options{Version: buildVersion(), Environ: os.Environ(), TrustWorkspace: f.trust}
	if f.demo {
		if so.ExtraServers, err = demoServers(); err != nil {
			return chat.Options{}, err
		}
	}
	return chat.Options{
		Dir:     dir,
		Version: buildVersion(),
		Locale:  string(language()),
		Serve: func(ctx context.Context, in io.Reader, out io.Writer) error {
			o := so
			o.In, o.Out = in, out
			if code := server.Serve(ctx, o); code != 0 {
				return lang.Errorf(zh, textEndedEarly)
			}
			return nil
		},
	}, nil
}

// demoServers are the entries of the demo MCP servers: this program on stdio.
func demoServers() (map[string]mcp.ServerConfig, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, lang.Errorf(zh, textFindingSelf, err)
	}
	entries := map[string]mcp.ServerConfig{}
	for _, name := range demo.Names() {
		entries[name] = mcp.ServerConfig{
			Command: self, Args: []string{"mcp", "demo", name}, TrustAnnotations: true,
			Origin: mcp.Origin{Scope: mcp.ScopeUser, Approved: true},
		}
	}
	return entries, nil
}

// isTerminal reports whether f is a terminal; a stream that is no file is none.
func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
