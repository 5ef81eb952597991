package server

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/command"
	"github.com/codebot-ls/codebot-ls/session/model"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// builtin is a slash command of our own.
type builtin struct {
	name, description, hint string // description and hint are texts
	// run does it and returns what to say. A rest is a prompt that the turn goes on with.
	run func(c *called) (say, rest string, err error)
}

// called is one use of a command.
type called struct {
	ctx   context.Context
	s     *Server
	o     *openSession
	input string
}

// builtins in the order in which they are shown.
var builtins = []builtin{
	{"plan", textCommandPlan, textHintPrompt, (*called).plan},
	{"compact", textCommandCompact, "", (*called).compact},
	{"model", textCommandModel, textHintModel, (*called).model},
	{"mcp", textCommandMCP, "", (*called).mcp},
	{"context", textCommandContext, "", (*called).context},
	{"clear", textCommandClear, "", (*called).clear},
}

// userCommand is a command that somebody keeps as a file.
type userCommand struct {
	command.File
	source wire.CommandSource
	root   string // the folder's, of a project's
}

// commandFiles are the commands of files that a session has, by name: a project's before
// the user's, none in place of one of our own. What cannot be read is in the log.
func (o *openSession) commandFiles() []userCommand {
	var all []userCommand
	add := func(dir, root string, source wire.CommandSource) {
		files, problems := command.Load(filepath.Join(dir, "commands"))
		for _, problem := range problems {
			o.s.log.Warn("a command was not read", "error", problem)
		}
		for _, f := range files {
			taken := func(c userCommand) bool { return c.Name == f.Name }
			ours := func(b builtin) bool { return b.name == f.Name }
			if !slices.ContainsFunc(all, taken) && !slices.ContainsFunc(builtins, ours) {
				all = append(all, userCommand{f, source, root})
			}
		}
	}
	if root := o.root(); root != "" {
		add(filepath.Join(root, ".codebot"), root, wire.CommandProject)
	}
	add(o.s.home, "", wire.CommandUser)
	return all
}

// prompts are the prompts of the session's servers, with their managers.
func (o *openSession) prompts(each func(*mcp.Manager, mcp.Prompt) (stop bool)) {
	seen := map[string]bool{}
	managers := o.places()
	slices.Reverse(managers) // the project's first
	for _, m := range managers {
		for _, p := range m.Prompts() {
			if !seen[p.Command] && each(m, p) {
				return
			}
			seen[p.Command] = true
		}
	}
}

func (s *Server) sessionCommands(_ context.Context, p wire.SessionCommandsParams) (wire.SessionCommandsResult, error) {
	o, err := s.lookup(p.SessionID)
	if err != nil {
		return wire.SessionCommandsResult{Commands: []wire.SlashCommand{}}, err
	}
	return s.commandsOf(o), nil
}

// commandsOf are the slash commands of a session as they are now.
func (s *Server) commandsOf(o *openSession) wire.SessionCommandsResult {
	result := wire.SessionCommandsResult{Commands: []wire.SlashCommand{}}
	for _, b := range builtins {
		c := wire.SlashCommand{Name: b.name, Description: s.lang.Text(zh, b.description), Source: wire.CommandBuiltin}
		if b.hint != "" {
			c.Hint = s.lang.Text(zh, b.hint)
		}
		result.Commands = append(result.Commands, c)
	}
	for _, f := range o.commandFiles() {
		result.Commands = append(result.Commands, wire.SlashCommand{
			Name: f.Name, Description: mcp.CleanLine(f.Description), Source: f.source, Hint: mcp.CleanLine(f.Hint),
		})
	}
	userPrompts := s.servers.user
	o.prompts(func(m *mcp.Manager, p mcp.Prompt) bool {
		c := wire.SlashCommand{
			Name: p.Command, Description: mcp.CleanLine(p.Description), Source: wire.CommandMCP, Server: p.Server,
			Arguments: promptArguments(p.Arguments),
		}
		if c.Description == "" {
			c.Description = mcp.CleanLine(p.Title)
		}
		if m != userPrompts {
			c.Folder = uriOf(o.root())
		}
		for i, a := range c.Arguments {
			hint := "<" + a.Name + ">"
			if !a.Required {
				hint = "[" + a.Name + "]"
			}
			if i > 0 {
				c.Hint += " "
			}
			c.Hint += hint
		}
		result.Commands = append(result.Commands, c)
		return false
	})
	return result
}

// commandOf is the command that a prompt begins with. A name that is nobody's is text,
// unless it is a slip of the pen.
func (o *openSession) commandOf(content []agent.Content) (resolve resolver, own *builtin, rest string, err error) {
	if len(content) == 0 || content[0].Kind != agent.ContentText {
		return nil, nil, "", nil
	}
	name, input, ok := command.Parse(content[0].Text)
	if !ok {
		return nil, nil, "", nil
	}
	known := []string{}
	for i, b := range builtins {
		if b.name == name {
			return nil, &builtins[i], input, nil
		}
		known = append(known, b.name)
	}
	for _, f := range o.commandFiles() {
		if f.Name == name {
			return func(ctx context.Context) ([]agent.Content, error) { return o.expandFile(ctx, f, input) }, nil, "", nil
		}
		known = append(known, f.Name)
	}
	o.prompts(func(m *mcp.Manager, p mcp.Prompt) bool {
		known = append(known, p.Command)
		if p.Command != name {
			return false
		}
		resolve = func(ctx context.Context) ([]agent.Content, error) { return o.expandPrompt(ctx, m, p, input) }
		return true
	})
	if resolve == nil {
		if near := nearest(name, known); near != "" {
			err = jsonrpc2.NewError(jsonrpc2.InvalidParams, o.s.say(textNoCommand, name, near))
		}
	}
	return resolve, nil, "", err
}

// resolver makes a command's content.
type resolver func(context.Context) ([]agent.Content, error)

// nearest is the name that differs by one letter: put in, left out, another, or two that
// changed places. It is empty when there is none, or the word is short.
func nearest(word string, names []string) string {
	near := func(a, b []rune) bool {
		for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
			a, b = a[1:], b[1:]
		}
		for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
			a, b = a[:len(a)-1], b[:len(b)-1]
		}
		return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	}
	for _, name := range names {
		if len(name) > 2 && near([]rune(word), []rune(name)) {
			return name
		}
	}
	return ""
}

// expandFile is what a command of a file says. One that came with a project is nobody's
// prompt before a person has seen and allowed it.
func (o *openSession) expandFile(ctx context.Context, f userCommand, input string) ([]agent.Content, error) {
	if f.source == wire.CommandProject && !o.s.ws.CommandApproved(f.root, f.Name, f.Template) {
		once, always, no := o.s.say(textCommandOnce), o.s.say(textCommandAlways), o.s.say(textElicitNo)
		params := &protocol.ShowMessageRequestParams{
			Type: protocol.MessageTypeWarning,
			// All of it, however long: a yes is to what was shown.
			Message: o.s.say(textCommandConsent, f.Name, mcp.Clean(f.Template)),
			Actions: []protocol.MessageActionItem{{Title: once}, {Title: always}, {Title: no}},
		}
		var answer *protocol.MessageActionItem
		if err := protocol.Call(ctx, o.s.conn, protocol.MethodWindowShowMessageRequest, params, &answer); err != nil {
			return nil, err
		}
		switch {
		case answer != nil && answer.Title == always:
			if err := o.s.ws.ApproveCommand(f.root, f.Name, f.Template); err != nil {
				return nil, err
			}
		case answer == nil || answer.Title != once:
			return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, o.s.say(textCommandRefused, f.Name))
		}
	}
	return []agent.Content{agent.Text(f.Expand(input))}, nil
}

// expandPrompt is what a server's prompt says, as one message of the user.
func (o *openSession) expandPrompt(ctx context.Context, m *mcp.Manager, p mcp.Prompt, input string) ([]agent.Content, error) {
	var names []string
	for _, a := range p.Arguments {
		names = append(names, a.Name)
	}
	given := command.Arguments(names, input)
	for _, a := range p.Arguments {
		if _, ok := given[a.Name]; a.Required && !ok {
			return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, o.s.say(textCommandMissing, p.Command, mcp.CleanLine(a.Name)))
		}
	}
	_, messages, err := m.GetPrompt(ctx, p.Server, p.Name, given)
	if err != nil {
		return nil, err
	}
	var content []agent.Content
	for _, message := range messages {
		if message.Role == string(agent.RoleAssistant) {
			content = append(content, agent.Text("[You said:]"))
		}
		content = append(content, message.Content...)
	}
	return content, nil
}

// runBuiltin does a command of our own. done is false when the turn goes on with rest.
func (s *Server) runBuiltin(ctx context.Context, o *openSession, b *builtin, input string) (rest string, done bool, err error) {
	if input == "" || b.name != "plan" {
		rpc.Release(ctx)
	}
	say, rest, err := b.run(&called{ctx: ctx, s: s, o: o, input: input})
	if err != nil || rest != "" {
		return rest, err != nil, err
	}
	// It is said to the person and is no part of the conversation: no model reads it.
	s.notify(wire.SessionUpdateNotification.Name, wire.SessionUpdateParams{
		SessionID: o.session.ID(), Update: wire.SessionUpdate{Value: &wire.AgentMessageChunk{Content: wire.TextBlock(say)}},
	})
	return "", true, nil
}

func (c *called) plan() (string, string, error) {
	if err := c.o.session.SetMode(permission.ModePlan); err != nil {
		return "", "", err
	}
	return c.s.say(textSaidPlan), c.input, nil
}

func (c *called) compact() (string, string, error) {
	result, err := c.s.sessionCompact(c.ctx, wire.SessionCompactParams{SessionID: c.o.session.ID()})
	return c.s.say(textSaidCompact, result.Before, result.After), "", err
}

func (c *called) model() (string, string, error) {
	if c.input != "" {
		chosen, err := c.s.resolveModel(c.input)
		if err == nil {
			err = c.o.session.SetModel(chosen)
		}
		return c.s.say(textSaidModel, c.input), "", err
	}
	providers := c.s.providers()
	var b strings.Builder
	found := localModels.Known(c.s.targets(providers))
	for _, spec := range model.List(c.s.lang, visible(providers, found), found) {
		mark := "-"
		if spec.ID == c.o.session.Model().ID() {
			mark = "- **" + c.s.say(textSaidCurrent) + "**"
		}
		fmt.Fprintf(&b, "%s `%s`", mark, mcp.CleanLine(spec.ID))
		if spec.ContextTokens > 0 {
			fmt.Fprintf(&b, " · %dk", (spec.ContextTokens+500)/1000)
		}
		if p := spec.Price; p.Known() {
			b.WriteString(" · $" + strconv.FormatFloat(p.Input, 'f', -1, 64) + " / $" + strconv.FormatFloat(p.Output, 'f', -1, 64))
		}
		if !spec.Available {
			b.WriteString(" (" + mcp.CleanLine(spec.Reason) + ")")
		}
		b.WriteByte('\n')
	}
	return b.String(), "", nil
}

// mcp says what `codebot-ls mcp list` prints.
func (c *called) mcp() (string, string, error) {
	c.o.mu.Lock()
	rows := c.o.reader.Snapshot().Servers
	c.o.mu.Unlock()
	return "```\n" + strings.Join(mcp.Listing(c.s.lang, rows), "\n") + "\n```\n", "", nil
}

func (c *called) context() (string, string, error) {
	info := c.o.session.Context(c.ctx)
	var b strings.Builder
	total := info.ToolTokens + info.MessageTokens
	for _, block := range info.Blocks {
		fmt.Fprintf(&b, "- %s: %d\n", block.Key, block.Tokens)
		total += block.Tokens
	}
	fmt.Fprintf(&b, "- %s: %d\n- %s: %d\n", c.s.say(textSaidTools, info.Tools), info.ToolTokens, c.s.say(textSaidMessages, info.Messages), info.MessageTokens)
	b.WriteByte('\n')
	if info.Window > 0 {
		b.WriteString(c.s.say(textSaidWindow, total, info.Window) + "\n")
	} else {
		b.WriteString(c.s.say(textSaidTotal, total) + "\n")
	}
	if info.Break != "" {
		b.WriteString(c.s.say(textSaidBreak, info.Break) + "\n")
	}
	if cost := c.o.session.Cost(); cost > 0 {
		b.WriteString(c.s.say(textSaidCost, cost) + "\n")
	}
	return b.String(), "", nil
}

// clear takes all messages away, and leaves the files as they are.
func (c *called) clear() (string, string, error) {
	return c.s.say(textSaidClear), "", c.o.session.Clear()
}
