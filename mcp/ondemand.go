package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// SeenStore keeps what a server offered when it ran last, by a key of ours that says what
// would be started. It is a cache: what it has lost is seen again. It is safe for
// concurrent use.
type SeenStore interface {
	// Load returns what is kept, nil for nothing.
	Load(key string) []byte
	Save(key string, data []byte)
}

// seen is what is kept of a server.
type seen struct {
	Tools        []*sdk.Tool `json:"tools"`
	Instructions string      `json:"instructions,omitzero"`
}

// waits reports whether the server is not started by itself.
func (c ServerConfig) waits() bool {
	return c.Autostart == AutostartOnDemand || c.Autostart == AutostartNever
}

// seenKey is what is kept under: the name, and what would be started.
func seenKey(name string, c ServerConfig) string { return name + " " + entryKey(c) }

// saw keeps what a server that starts on demand offers.
func (m *Manager) saw(name string, cfg ServerConfig, tools []*sdk.Tool, instructions string) {
	if m.opts.Seen == nil || cfg.Autostart != AutostartOnDemand {
		return
	}
	data, err := json.Marshal(seen{tools, instructions})
	if err != nil {
		m.opts.Logger.Warn("the tools of a server cannot be kept", "server", name, "error", err)
		return
	}
	m.opts.Seen.Save(seenKey(name, cfg), data)
}

// asleep is the picture of a server that waits until it is needed, with the tools that it
// had when it ran last, if that is known and they may start it.
func (m *Manager) asleep(name string, cfg ServerConfig) picture {
	pic := picture{state: StateStopped, asleep: true}
	if m.opts.Seen == nil || cfg.Autostart != AutostartOnDemand {
		return pic
	}
	data := m.opts.Seen.Load(seenKey(name, cfg))
	var was seen
	if data == nil || json.Unmarshal(data, &was) != nil {
		return pic
	}
	pic.instructions = was.Instructions
	was.Tools = slices.DeleteFunc(was.Tools, func(t *sdk.Tool) bool { return t == nil || t.Name == "" })
	pic.offer(m.opts.Lang, nil, name, &cfg, was.Tools)
	for _, tool := range pic.listed {
		tool.caller = &sleeper{m: m, name: name, identity: tool.identity}
	}
	return pic
}

// sleeper starts the server of a tool when that is called.
type sleeper struct {
	m    *Manager
	name string
	// identity of the tool that was shown: to that one a person said yes.
	identity string
}

// CallTool implements [Caller].
func (s *sleeper) CallTool(ctx context.Context, tool string, args json.RawMessage, progress func(string)) (*sdk.CallToolResult, error) {
	c, err := s.m.wakeUp(ctx, s.name)
	if err != nil {
		return nil, err
	}
	if _, err := c.session(ctx, nil); err != nil { // its list is there with its session
		return nil, err
	}
	if names := c.listed.Load(); names != nil {
		if t := (*names)[tool]; t != nil && t.identity != s.identity {
			return nil, lang.Errorf(zh, textToolChanged, tool, CleanLine(s.name))
		}
	}
	return c.CallTool(ctx, tool, args, progress)
}

// wakeFor starts a server that waits to be needed before a request to it, and waits until
// it has left starting. One that is never started by itself is only started by a person, who
// names AutostartNever.
func (m *Manager) wakeFor(ctx context.Context, name, by string) error {
	m.mu.Lock()
	e := m.entries[name]
	asleep := e != nil && e.conn == nil && e.pic.asleep && (e.cfg.Autostart == AutostartOnDemand || by == AutostartNever)
	m.mu.Unlock()
	if !asleep {
		return nil
	}
	_, err := m.Start(ctx, name)
	return err
}

// wakeUp starts a server that waits for that and returns its connection once it has left
// starting. One that a person stopped stays as it is.
func (m *Manager) wakeUp(ctx context.Context, name string) (*connection, error) {
	m.mu.Lock()
	e, err := m.find(name)
	if err == nil {
		err = m.blocked(name, e)
	}
	if err != nil {
		m.mu.Unlock()
		return nil, fmt.Errorf("%w: %w", ErrToolGone, err)
	}
	woken := e.conn == nil && e.pic.asleep
	if woken {
		m.begin(name, e)
	}
	m.mu.Unlock()
	if woken {
		m.announce()
	}
	row, err := m.awaitRow(ctx, name, StateStarting)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.entries[name]; e != nil && e.conn != nil && row.State.Usable() {
		return e.conn, nil
	}
	why := m.opts.Lang.Text(zh, string(row.State))
	if row.Error != nil {
		why = row.Error.Message
	}
	return nil, lang.Errorf(zh, textNotWoken, CleanLine(name), lang.Plain(why))
}
