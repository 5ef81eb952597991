package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/model"
	"github.com/codebot-ls/codebot-ls/session/permission"
	"github.com/codebot-ls/codebot-ls/session/toolsearch"
)

// When the tools of MCP servers are deferred: their definitions are left out of requests
// until the model has looked for them.
const (
	deferTokens = 10_000 // from here on, whatever the model
	deferShare  = 10     // or from this part of its window on
)

// What the prompt says of deferred tools, in bytes; about 2 000 tokens.
const (
	deferredBytes       = 7_000
	deferredDescription = 80
)

const toolSearch = "tool_search"

const textDeferred = "They are listed with the request once you have looked for them with " + toolSearch + ":\n"

// deferral splits remote tools into those that a request lists and those it does not.
// Found ones are listed, in the order in which they were found, behind all others, so that
// what a provider has cached stays as it is. s.mu is held.
func (s *Session) deferral(remote []agent.Tool) (listed, deferred []agent.Tool) {
	if s.model.ID() == model.OfflineID { // it reads the list and asks for nothing
		return remote, nil
	}
	limit := deferTokens
	if window := s.meter.window(s.model); window > 0 {
		limit = min(limit, window/deferShare)
	}
	total := 0
	for _, t := range remote {
		total += tokensOfBlock + tokensOf(t.Name()) + tokensOf(t.Description()) + tokensOf(t.Schema())
	}
	if total <= limit {
		return remote, nil
	}
	if s.prompt.found == nil {
		s.prompt.found = calledBefore(s.said)
	}
	byName := map[string]agent.Tool{}
	for _, t := range remote {
		byName[t.Name()] = t
	}
	isFound := map[string]bool{}
	for _, name := range s.prompt.found {
		if t := byName[name]; t != nil {
			listed = append(listed, t)
			isFound[name] = true
		}
	}
	for _, t := range remote {
		if !isFound[t.Name()] {
			deferred = append(deferred, t)
		}
	}
	return listed, deferred
}

// calledBefore are the remote tools that a conversation has called, for a session that is
// opened again goes on with them. It is not nil.
func calledBefore(said []agent.Message) []string {
	names := []string{}
	for _, m := range said {
		for _, b := range m.Blocks {
			if b.Kind == agent.BlockToolUse && permission.IsMCPTool(b.Name) && !slices.Contains(names, b.Name) {
				names = append(names, b.Name)
			}
		}
	}
	return names
}

// deferredPart names deferred tools by server: with the beginnings of their descriptions,
// where that is too long without, and where that is too long only how many they are.
func deferredPart(deferred []agent.Tool) string {
	if len(deferred) == 0 {
		return ""
	}
	var order []string
	tools := map[string][]agent.Tool{}
	for _, t := range deferred {
		server := serverOf(t)
		if tools[server] == nil {
			order = append(order, server)
		}
		tools[server] = append(tools[server], t)
	}
	for _, write := range []func(string, []agent.Tool) string{describedLine, namedLine} {
		lines, size := make([]string, len(order)), 0
		for i, server := range order {
			lines[i] = write(server, tools[server])
			size += len(lines[i]) + 1
		}
		if size <= deferredBytes {
			return textDeferred + strings.Join(lines, "\n")
		}
	}
	var lines []string
	size := 0
	for i, server := range order {
		line := fmt.Sprintf("- %s: %d tools, as %s", oneLine(server), len(tools[server]), tools[server][0].Name())
		if size += len(line) + 1; size > deferredBytes {
			lines = append(lines, fmt.Sprintf("- and %d more servers", len(order)-i))
			break
		}
		lines = append(lines, line)
	}
	return textDeferred + strings.Join(lines, "\n")
}

func describedLine(server string, tools []agent.Tool) string {
	var b strings.Builder
	b.WriteString("- " + oneLine(server) + ":")
	for _, t := range tools {
		b.WriteString("\n  - " + t.Name())
		if d := oneLine(t.Description()); d != "" {
			if len(d) > deferredDescription {
				d = strings.ToValidUTF8(d[:deferredDescription], "") + "..."
			}
			b.WriteString(": " + d)
		}
	}
	return b.String()
}

func namedLine(server string, tools []agent.Tool) string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name()
	}
	return "- " + oneLine(server) + ": " + strings.Join(names, ", ")
}

// searchTool is tool_search. It is offered while tools are deferred.
type searchTool struct{ s *Session }

var searchSchema = json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"\"select:name1,name2\" for tools by name, \"/regex/\", or words for what the tool shall do"},"limit":{"type":"integer","minimum":1,"maximum":30,"description":"How many to return at most, 5 by default"}},"required":["query"],"additionalProperties":false}`)

func (*searchTool) Name() string                         { return toolSearch }
func (t *searchTool) Label() string                      { return lang.Of(t.s.o.Locale).Text(zh, textSearchTools) }
func (*searchTool) Schema() json.RawMessage              { return searchSchema }
func (*searchTool) ConcurrencySafe(json.RawMessage) bool { return true }
func (*searchTool) Description() string {
	return "Find tools of MCP servers that are not listed with the request. Those it returns can be called from the next step on, for the rest of the conversation."
}

// PermissionRequest implements permission.Describer.
func (t *searchTool) PermissionRequest([]byte) permission.Request {
	return permission.Request{Kind: permission.KindFree, Tool: toolSearch, Root: t.s.root, Metadata: permission.Metadata{Capability: permission.CapabilityRead}}
}

// Execute implements agent.Tool.
func (t *searchTool) Execute(_ context.Context, args json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
	var p struct {
		Query string `json:"query"`
		Limit int    `json:"limit"`
	}
	if err := json.Unmarshal(args, &p); err != nil {
		return agent.Result{}, err
	}
	s := t.s
	found, err := s.search(p.Query, p.Limit)
	if err != nil {
		return agent.Result{}, err
	}
	if len(found) == 0 {
		return agent.Result{Content: []agent.Content{agent.Text(fmt.Sprintf("No tool of the MCP servers fits %q. Try other words.", p.Query))}}, nil
	}
	if err := s.remember(found); err != nil {
		return agent.Result{}, err
	}
	var b strings.Builder
	var references []agent.Content
	for _, f := range found {
		fmt.Fprintf(&b, "- %s: %s\n", f.Name(), oneLine(f.Description()))
		references = append(references, agent.Content{Kind: agent.ContentTool, Name: f.Name()})
	}
	return agent.Result{Content: append([]agent.Content{agent.Text(b.String() + "\nThey can be called now.")}, references...)}, nil
}

// search returns the remote tools that a query means, those found before among them.
func (s *Session) search(query string, limit int) ([]agent.Tool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.currentPrompt()
	var looked []toolsearch.Tool
	for _, d := range s.prompt.remote {
		looked = append(looked, toolsearch.Tool{Name: d.Name(), Description: d.Description(), Params: string(d.Schema())})
	}
	places, err := toolsearch.Find(looked, query, limit)
	if err != nil {
		return nil, err
	}
	var found []agent.Tool
	for _, at := range places {
		found = append(found, s.prompt.remote[at])
	}
	return found, nil
}

// remember makes found tools part of the session, durably: opened again, it goes on with
// them.
func (s *Session) remember(found []agent.Tool) error {
	s.changeMu.Lock() // two searches side by side
	defer s.changeMu.Unlock()
	s.mu.Lock()
	before := s.prompt.found
	s.mu.Unlock()
	all := slices.Clone(before)
	for _, f := range found {
		if !slices.Contains(all, f.Name()) {
			all = append(all, f.Name())
		}
	}
	if len(all) == len(before) {
		return nil
	}
	if err := s.keep(entry{Type: entryFound, Found: all}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompt.found = all
	s.prompt.stale = true
	return nil
}
