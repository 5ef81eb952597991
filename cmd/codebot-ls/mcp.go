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

// closeTimeout bounds how long the servers of a one-shot command get to stop.
const closeTimeout = 5 * time.Second

// runMCP runs `codebot-ls mcp` on the standard streams.
func runMCP(ctx context.Context, args []string) int {
	return mcpCommand(ctx, args, os.Stdin, os.Stdout, os.Stderr)
}

// mcpCommand runs `codebot-ls mcp`. It returns the exit code: 0, 1 when what was
// asked for failed, 2 when it was asked for wrongly.
func mcpCommand(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	var err error
	switch {
	case len(args) == 1 && args[0] == "list":
		err = mcpList(ctx, out, errOut)
	case len(args) == 2 && args[0] == "test":
		err = mcpTest(ctx, args[1], out, errOut)
	case (len(args) == 3 || len(args) == 4) && args[0] == "call":
		return mcpCall(ctx, args[1:], out, errOut)
	case len(args) == 2 && args[0] == "demo":
		err = demo.Serve(ctx, args[1], in, out)
	case len(args) == 1 && (args[0] == "-h" || args[0] == "--help" || args[0] == "help"):
		fmt.Fprint(out, say(textMCPUsage))
		return 0
	default:
		fmt.Fprint(errOut, say(textMCPUsage))
		return 2
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(errOut, "codebot-ls mcp: %s\n", mcp.Clean(language().Error(err)))
		return 1
	}
	return 0
}

// mcpList connects to every server, prints one line for each and their sum. That
// a server is not well is what it is there to show, so it is no failure.
func mcpList(ctx context.Context, out, errOut io.Writer) error {
	run, err := startServers(ctx, errOut, "")
	if err != nil {
		return err
	}
	defer run.close()
	var connected, failed, tools int
	for _, row := range run.rows() {
		fmt.Fprintf(out, "%s  %s\n", mcp.CleanLine(row.Name), listed(row))
		switch {
		case row.State.Usable():
			connected++
			tools += row.ToolCount
		case row.State == mcp.StateFailed:
			failed++
		}
	}
	fmt.Fprintln(out, say(textTotal, connected, failed, tools))
	return nil
}

// listed says on one line how a server is.
func listed(row mcp.ServerStatus) string {
	why := row.State.In(language())
	if row.Error != nil && row.Error.Message != "" {
		why = mcp.CleanLine(row.Error.Message)
	}
	switch row.State {
	case mcp.StateConnected:
		return say(textTools, row.ToolCount)
	case mcp.StateUntrusted:
		return say(textUntrusted)
	default:
		return why
	}
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
	return nil
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
type serverRun struct{ managers []*mcp.Manager }

// startServers connects to the servers that are in effect in the working
// directory, or to the one called only, and returns when each has settled. What is
// wrong with the settings goes to errOut.
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
	for _, d := range diagnostics {
		fmt.Fprintln(errOut, mcp.Clean(d.String()))
	}
	if only != "" {
		cfg, ok := all[only]
		if !ok {
			return nil, unknownServer(only, all)
		}
		all = map[string]mcp.ServerConfig{only: cfg}
	}
	scopes := map[mcp.Scope]map[string]mcp.ServerConfig{mcp.ScopeUser: {}, mcp.ScopeProject: {}}
	for name, cfg := range all {
		scopes[cfg.Origin.Scope][name] = cfg
	}
	run := &serverRun{}
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
	return run, nil
}

func unknownServer(name string, all map[string]mcp.ServerConfig) error {
	if len(all) == 0 {
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
