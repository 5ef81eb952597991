package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/mcp/demo"
	"github.com/codebot-ls/codebot-ls/server/chat"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// exitInterrupted is the exit code of a command that a signal ended, as shells have
// it for Ctrl-C.
const exitInterrupted = 130

// closeTimeout bounds how long the servers of a one-shot command get to stop.
const closeTimeout = 5 * time.Second

// runMCP runs `codebot-ls mcp` on the standard streams.
func runMCP(ctx context.Context, args []string) int {
	return mcpCommand(ctx, args, os.Stdin, os.Stdout, os.Stderr)
}

// mcpCommand runs `codebot-ls mcp`. It returns the exit code: 0, 1 when what was
// asked for failed or a settings file is bad as a whole, 2 when it was asked for
// wrongly, 130 when it was interrupted.
func mcpCommand(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	var err error
	switch {
	case len(args) == 1 && args[0] == "list":
		err = mcpList(ctx, out, errOut)
	case len(args) == 2 && args[0] == "test":
		err = mcpTest(ctx, args[1], out, errOut)
	case (len(args) == 3 || len(args) == 4) && args[0] == "call":
		if code := mcpCall(ctx, args[1:], out, errOut); ctx.Err() == nil {
			return code
		}
	case len(args) == 2 && args[0] == "demo":
		err = demo.Serve(ctx, args[1], in, out)
	case len(args) == 1 && (args[0] == "-h" || args[0] == "--help" || args[0] == "help"):
		fmt.Fprint(out, say(textMCPUsage))
		return 0
	default:
		fmt.Fprint(errOut, say(textMCPUsage))
		return 2
	}
	if ctx.Err() != nil && args[0] != "demo" { // to end is what a server is told
		return exitInterrupted
	}
	if err != nil && ctx.Err() == nil {
		if errors.Is(err, errBadSettings) {
			return 1 // said where it was found
		}
		fmt.Fprintf(errOut, "codebot-ls mcp: %s\n", mcp.Clean(language().Error(err)))
		return 1
	}
	return 0
}

// mcpList connects to every server, prints one line for each and their sum. That
// a server is not well is what it is there to show, so it is no failure; that a file
// was not read is one, for the list may lack what stands there.
func mcpList(ctx context.Context, out, errOut io.Writer) error {
	run, err := startServers(ctx, errOut, "")
	if err != nil {
		return err
	}
	defer run.close()
	rows := run.rows()
	for _, line := range mcp.Listing(language(), rows) {
		fmt.Fprintln(out, line)
	}
	return run.settings
}

// mcpTest connects to one server and prints everything a person needs to see why
// it is well or not.
func mcpTest(ctx context.Context, name string, out, errOut io.Writer) error {
	run, err := startServers(ctx, errOut, name)
	if err != nil {
		return err
	}
	defer run.close()
	row := run.rows()[0]
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintln(out, pad(name, fieldWidth)+mcp.Clean(value))
		}
	}
	field(say(textServer), row.Name)
	field(say(textState), row.State.In(language()))
	field(say(textTransport), row.Transport)
	field(say(textProtocol), row.ProtocolVersion)
	field(say(textSource), row.Source)
	if c := row.Consent; c != nil {
		field(say(textCommand), strings.Join(mcp.VisibleAll(c.Argv), " "))
		field("url", mcp.Visible(c.URL))
		field(say(textVariables), strings.Join(c.Variables, " "))
	}
	for _, t := range run.tools(ctx) {
		field(say(textTool), t.Original()+"  "+mcp.CleanLine(t.Description()))
	}
	if e := row.Error; e != nil {
		field(say(textError), e.Message)
		field(say(textHint), e.Hint)
		if e.ExitCode != nil {
			field(say(textExitCode), fmt.Sprint(*e.ExitCode))
		}
		field("stderr", e.StderrTail)
	}
	if !row.State.Usable() {
		return lang.Errorf(zh, textNotUsable, row.Name, row.State)
	}
	return run.settings
}

// fieldWidth is the column at which the values of mcpTest begin.
const fieldWidth = 10

// pad fills s with blanks up to a column. A character of Chinese takes two.
func pad(s string, to int) string {
	width := 0
	for _, r := range s {
		width++
		if unicode.Is(unicode.Han, r) {
			width++
		}
	}
	return s + strings.Repeat(" ", max(to-width, 1))
}

// mcpCall is a person's own call. It goes through a server, for the deny rules of
// the settings hold here too.
func mcpCall(ctx context.Context, args []string, out, errOut io.Writer) int {
	arguments := json.RawMessage("{}")
	if len(args) == 3 {
		arguments = json.RawMessage(args[2])
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &object); err != nil || object == nil {
		fmt.Fprintf(errOut, "codebot-ls mcp call: %s\n", say(textBadArguments, `'{"query": "x"}'`))
		return 2
	}
	o, err := chatOptions(chatFlags{})
	if err != nil {
		fmt.Fprintf(errOut, "codebot-ls mcp call: %s\n", language().Error(err))
		return 1
	}
	o.Out = out
	if err := chat.CallTool(ctx, o, args[0], args[1], arguments); err != nil {
		fmt.Fprintf(errOut, "codebot-ls mcp call: %s\n", mcp.Clean(language().Error(err)))
		return 1
	}
	return 0
}

// serverRun is the MCP servers of one command: the user's and the folder's.
type serverRun struct {
	managers []*mcp.Manager
	settings error // errBadSettings, or nil
}

// startServers connects to the servers that are in effect in the working
// directory, or to the one called only, and returns when each has settled, or with the
// error of ctx. What is wrong with the settings goes to errOut.
func startServers(ctx context.Context, errOut io.Writer, only string) (*serverRun, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	home, err := workspace.Home(os.Getenv)
	if err != nil {
		return nil, err
	}
	userHome, err := workspace.UserHome(os.Getenv)
	if err != nil {
		return nil, err
	}
	all, diagnostics := workspace.LoadAllMCPServers(cwd, workspace.Options{Home: home, UserHome: userHome, Lang: language()})
	run := &serverRun{settings: report(errOut, diagnostics)}
	if only != "" {
		cfg, ok := all[only]
		if !ok {
			return nil, unknownServer(only, all, run.settings)
		}
		cfg.Autostart = mcp.AutostartAlways // whoever names it wants it to run
		all = map[string]mcp.ServerConfig{only: cfg}
	}
	scopes := map[mcp.Scope]map[string]mcp.ServerConfig{mcp.ScopeUser: {}, mcp.ScopeProject: {}}
	for name, cfg := range all {
		scopes[cfg.Origin.Scope][name] = cfg
	}
	done := make(chan struct{})
	for scope, servers := range scopes {
		o := mcp.Options{
			Scope: scope, Cwd: cwd, Home: userHome, ClientVersion: buildVersion(), Lang: language(),
			Roots:     func() []string { return []string{cwd} },
			LookupEnv: os.LookupEnv, Environ: os.Environ,
		}
		if scope == mcp.ScopeProject {
			o.Folder = cwd
		}
		m := mcp.NewManager(o)
		run.managers = append(run.managers, m)
		go func() {
			m.StartAll(ctx, servers) // its errors are in the rows
			done <- struct{}{}
		}()
	}
	for range run.managers {
		<-done
	}
	if err := ctx.Err(); err != nil {
		_ = run.close() // the interruption is what counts
		return nil, err
	}
	return run, nil
}

func unknownServer(name string, all map[string]mcp.ServerConfig, settings error) error {
	switch {
	case settings != nil:
		return lang.Errorf(zh, textBadSettings, name)
	case len(all) == 0:
		return lang.Errorf(zh, textNoneConfigured, name)
	}
	names := make([]string, 0, len(all))
	for n := range all {
		names = append(names, n)
	}
	slices.Sort(names)
	return lang.Errorf(zh, textNoServer, name, strings.Join(names, ", "))
}

// rows returns the status of every server by name.
func (r *serverRun) rows() []mcp.ServerStatus {
	var rows []mcp.ServerStatus
	for _, m := range r.managers {
		status, _ := m.Status()
		rows = append(rows, status...)
	}
	slices.SortFunc(rows, func(a, b mcp.ServerStatus) int { return cmp.Compare(a.Name, b.Name) })
	return rows
}

func (r *serverRun) tools(ctx context.Context) []*mcp.MCPTool {
	var tools []*mcp.MCPTool
	for _, m := range r.managers {
		for _, t := range m.Tools(ctx) {
			if t, ok := t.(*mcp.MCPTool); ok {
				tools = append(tools, t)
			}
		}
	}
	return tools
}

func (r *serverRun) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var errs []error
	for _, m := range r.managers {
		errs = append(errs, m.Close(ctx))
	}
	return errors.Join(errs...)
}
