package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// step is one answer of a scripted model.
type step func(ctx context.Context, req *agent.Request, emit func(agent.Delta) error) (agent.Response, error)

// script is a model that answers the n-th request by the n-th step.
type script struct {
	id string

	mu       sync.Mutex
	steps    []step
	requests []agent.Request
}

func (m *script) ID() string         { return orElse(m.id, "test/script") }
func (m *script) ContextTokens() int { return 1000 }
func (m *script) Stream(ctx context.Context, req *agent.Request, emit func(agent.Delta) error) (agent.Response, error) {
	m.mu.Lock()
	n := len(m.requests)
	m.requests = append(m.requests, *req)
	m.mu.Unlock()
	if n >= len(m.steps) {
		return agent.Response{}, &agent.Error{Kind: agent.ErrModel, Message: fmt.Sprintf("the script has no answer %d", n)}
	}
	return m.steps[n](ctx, req, emit)
}

func (m *script) request(n int) agent.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests[n]
}

// say answers with text and calls.
func say(text string, calls ...agent.Block) step {
	return func(_ context.Context, _ *agent.Request, emit func(agent.Delta) error) (agent.Response, error) {
		r := agent.Response{StopReason: agent.StopEndTurn, Usage: agent.Usage{InputTokens: 5, OutputTokens: 1}}
		if text != "" {
			if err := emit(agent.Delta{Kind: agent.DeltaText, Text: text}); err != nil {
				return r, err
			}
			c := agent.Text(text)
			r.Message.Blocks = append(r.Message.Blocks, agent.Block{Kind: agent.BlockContent, Content: &c})
		}
		r.Message.Blocks = append(r.Message.Blocks, calls...)
		return r, nil
	}
}

func use(id, name, args string) agent.Block {
	return agent.Block{Kind: agent.BlockToolUse, ID: id, Name: name, Input: json.RawMessage(args)}
}

// tool is an agent.Tool that tells the gate req.
type tool struct {
	name, desc, server string
	req                permission.Request
	run                func(ctx context.Context, args json.RawMessage, report func(agent.Progress)) (agent.Result, error)
}

func (t *tool) Name() string                                { return t.name }
func (t *tool) Description() string                         { return t.desc }
func (t *tool) Schema() json.RawMessage                     { return json.RawMessage(`{"type":"object"}`) }
func (t *tool) PermissionRequest([]byte) permission.Request { return t.req }
func (t *tool) Server() string                              { return t.server }
func (t *tool) Describe(args json.RawMessage) agent.Description {
	return agent.Description{Title: t.name + " " + string(args), Locations: []agent.Location{{Path: "/at/" + t.name}}}
}
func (t *tool) Execute(ctx context.Context, args json.RawMessage, report func(agent.Progress)) (agent.Result, error) {
	if t.run == nil {
		return agent.Result{Content: []agent.Content{agent.Text(t.name + " ran")}}, nil
	}
	return t.run(ctx, args, report)
}

// readTool runs unasked in every mode.
func readTool(name string) *tool {
	return &tool{name: name, req: permission.Request{Kind: permission.KindFree, Metadata: permission.Metadata{Capability: permission.CapabilityRead}}}
}

func editTool(name string) *tool {
	return &tool{name: name, req: permission.Request{Kind: permission.KindEdit, Metadata: permission.Metadata{Capability: permission.CapabilityWrite}}}
}

func bashTool() *tool {
	return &tool{name: "bash", req: permission.Request{Kind: permission.KindBash, Command: "x", Metadata: permission.Metadata{Capability: permission.CapabilityExec}}}
}

// mcpTool is a remote tool; one that only reads is trusted to.
func mcpTool(server, original string, reads bool) *tool {
	r := permission.Request{
		Kind: permission.KindMCP, Server: server, Original: original, Identity: server + original,
		Metadata: permission.Metadata{Capability: permission.CapabilityUnknown, KeyPrefix: "mcp"},
	}
	if reads {
		r.TrustedRead, r.Capability = true, permission.CapabilityRead
	}
	return &tool{name: "mcp__" + server + "__" + original, server: server, desc: original + " of " + server, req: r}
}

// room is a session with all that is around it.
type room struct {
	*Session
	model *script
	store *Store
	o     Options

	mu      sync.Mutex
	updates []Update
}

func newRoom(t *testing.T, change func(*Options), steps ...step) *room {
	t.Helper()
	r := &room{model: &script{steps: steps}, store: NewStore(t.TempDir())}
	r.o = Options{
		Cwd: t.TempDir(), Model: r.model, Gate: permission.NewEngine(permission.EngineOptions{}), Store: r.store,
		Emit: r.see,
		Now:  func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) },
	}
	if change != nil {
		change(&r.o)
	}
	s, err := New(r.o)
	if err != nil {
		t.Fatal(err)
	}
	r.Session = s
	t.Cleanup(func() { s.Close() })
	return r
}

func (r *room) see(u Update) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.updates = append(r.updates, u)
}

func (r *room) seen() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return updatesText(r.updates)
}

func (r *room) ask(t *testing.T, text string) TurnResult {
	t.Helper()
	res, err := r.Prompt(t.Context(), prompt(text))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func prompt(text string) []agent.Content { return []agent.Content{agent.Text(text)} }

func updatesText(us []Update) string {
	var lines []string
	for _, u := range us {
		s := string(u.Kind)
		switch u.Kind {
		case UpdateUserMessage:
			s += " " + u.Content.Text
		case UpdateAgentMessage, UpdateAgentThought, UpdateTitle, UpdateRetry, UpdateNotice:
			s += " " + u.Text
		case UpdateMode:
			s += " " + string(u.Mode)
		case UpdateModel:
			s += " " + u.Model
		case UpdateToolCall, UpdateToolCallChange:
			c := u.ToolCall
			for _, f := range []string{c.ID, string(c.Status), string(c.Kind), c.Title} {
				if f != "" {
					s += " " + f
				}
			}
			if c.Rejected {
				s += " rejected"
			}
			for _, x := range c.Content {
				s += " | " + x.Text
			}
		}
		lines = append(lines, s)
	}
	return strings.Join(lines, "\n")
}

func toolNames(specs []agent.ToolSpec) string {
	var names []string
	for _, s := range specs {
		n := s.Name
		if s.CacheMark {
			n += "*"
		}
		names = append(names, n)
	}
	return strings.Join(names, " ")
}
