package session

import (
	"context"
	"slices"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// The keys of the prompt's blocks.
const (
	keyIdentity     = "identity"
	keyInstructions = "instructions"
	keyDynamic      = "dynamic"
)

// promptState is all that the prompt is made of, and the prompt made of it. It is
// guarded by Session.mu. Setters mark it stale; only the next model request puts
// it together again, and a part whose bytes came out the same stays the same slice.
type promptState struct {
	identity, instructions string // frozen for the session

	added           []agent.Tool // ours, made by the session's owner: connect_mcp
	mcp             []agent.Tool
	mcpInstructions string
	starting        []ServerNote
	failed          []ServerNote

	// found are the remote tools that tool_search has brought in, nil before the first
	// deferral; deferred are those it can still bring, remote are all of both.
	found            []string
	deferred, remote []agent.Tool

	built  bool
	stale  bool
	prompt agent.Prompt
	active []agent.Tool
}

// ServerNote names an MCP server whose tools are not there, and why.
type ServerNote struct {
	Name, Reason string
}

// SetBeforePrompt sets the hook that is called before every model request, also
// inside a running turn. It is the one place to call ReplaceMCPTools and its kin
// from, so that the parts of one picture change together.
func (s *Session) SetBeforePrompt(hook func(ctx context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = hook
}

// ReplaceMCPTools exchanges the whole layer of remote tools; our own stay as they
// are. tools come in the order the model shall see them and are not changed
// afterwards.
func (s *Session) ReplaceMCPTools(tools []agent.Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.prompt.mcp {
		s.everMCP[t.Name()] = true
	}
	s.prompt.mcp = tools
	s.prompt.stale = true
}

// AddTools adds tools of ours behind the built-in ones.
func (s *Session) AddTools(tools ...agent.Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompt.added = append(slices.Clip(s.prompt.added), tools...)
	s.prompt.stale = true
}

// SetMCPInstructions sets what the servers say about the use of their tools, as
// "## <server>" sections.
func (s *Session) SetMCPInstructions(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text != s.prompt.mcpInstructions {
		s.prompt.mcpInstructions = text
		s.prompt.stale = true
	}
}

// SetMCPServers names the servers whose tools the model misses: those that are
// still starting and those that failed. The order does not matter.
func (s *Session) SetMCPServers(starting, failed []ServerNote) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Equal(starting, s.prompt.starting) && slices.Equal(failed, s.prompt.failed) {
		return
	}
	s.prompt.starting, s.prompt.failed = slices.Clone(starting), slices.Clone(failed)
	s.prompt.stale = true
}

// RulesChanged makes the next model request compute anew which tools the gate
// lets the model see.
func (s *Session) RulesChanged() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompt.stale = true
}

// ActiveTools are the tools of the next model request, as things stand.
func (s *Session) ActiveTools() []agent.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.currentPrompt()
	return s.prompt.active
}

// SystemPrompt is the system prompt of the next model request, as things stand.
func (s *Session) SystemPrompt() []agent.SystemBlock {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.currentPrompt().System
}

// wasOffered reports whether a tool of that name is, or was, one of the session's:
// the mode may keep it from the model, or its server may have gone.
func (s *Session) wasOffered(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.everMCP[name] || slices.ContainsFunc(s.allTools(), func(t agent.Tool) bool { return t.Name() == name })
}

// allTools are built-ins, then what was added, then the remote ones. s.mu is held.
func (s *Session) allTools() []agent.Tool {
	return slices.Concat(s.o.BuiltIns, s.prompt.added, s.prompt.mcp)
}

// currentPrompt is the prompt of this moment. s.mu is held.
func (s *Session) currentPrompt() agent.Prompt {
	if s.prompt.built && !s.prompt.stale {
		return s.prompt.prompt
	}
	s.assemble()
	return s.prompt.prompt
}

// assemble puts the prompt together from its parts. s.mu is held.
func (s *Session) assemble() {
	p := &s.prompt
	active := s.activeTools()
	var own, remote []agent.Tool
	for _, t := range active {
		if permission.IsMCPTool(t.Name()) {
			remote = append(remote, t)
		} else {
			own = append(own, t)
		}
	}
	listed, deferred := s.deferral(remote)
	if p.deferred, p.remote = deferred, remote; len(deferred) > 0 {
		own = append(own, &searchTool{s})
	}
	active = slices.Concat(own, listed)
	// While tools are deferred all of them are named alike: what a search finds must
	// change nothing that stands before the conversation.
	dynamic := dynamicPart(listed, nil, p.mcpInstructions, p.starting, p.failed)
	if len(deferred) > 0 {
		dynamic = dynamicPart(nil, remote, p.mcpInstructions, p.starting, p.failed)
	}

	system := []agent.SystemBlock{
		{Key: keyIdentity, Text: p.identity, CacheMark: true},
		{Key: keyInstructions, Text: p.instructions, CacheMark: true},
	}
	if dynamic != "" {
		system = append(system, agent.SystemBlock{Key: keyDynamic, Text: dynamic})
	}
	if !slices.Equal(system, p.prompt.System) {
		p.prompt.System = system
	}
	if specs := s.specs(active); !slices.EqualFunc(specs, p.prompt.Tools, sameSpec) {
		p.prompt.Tools = specs
	}
	// A deferred tool that the model calls by a name it has read is there all the same.
	byName := make(map[string]agent.Tool, len(active)+len(deferred))
	for _, t := range slices.Concat(active, deferred) {
		byName[t.Name()] = t
	}
	p.prompt.Lookup = func(name string) agent.Tool { return byName[name] }
	p.prompt.Model = s.model
	p.prompt.Locale = s.o.Locale
	p.prompt.CacheKey = s.id
	p.active = active
	p.built, p.stale = true, false
}

// activeTools is the mode's filter over all tools. Of two tools of one name the
// first stays. s.mu is held.
func (s *Session) activeTools() []agent.Tool {
	var active []agent.Tool
	seen := map[string]bool{}
	for _, t := range s.allTools() {
		if seen[t.Name()] {
			continue
		}
		seen[t.Name()] = true
		if s.offers(t) {
			active = append(active, t)
		}
	}
	return active
}

// offers reports whether the model sees a tool: not one that the gate would refuse
// whatever its arguments. Outside plan mode only a tool that has no file or command
// of its own can be judged without arguments.
func (s *Session) offers(t agent.Tool) bool {
	req := s.request(t, []byte("{}"))
	req.Listing = true
	switch req.Kind {
	case permission.KindFree, permission.KindRead:
		return true
	case permission.KindEdit, permission.KindBash:
		if s.mode != permission.ModePlan {
			return true
		}
		req.Paths = []string{s.root}
	}
	return s.o.Gate.Decide(req, s.mode).Verdict != permission.Refuse
}

// specs are the tools as a request carries them; the last built-in one has the
// first of the four cache marks.
func (s *Session) specs(active []agent.Tool) []agent.ToolSpec {
	specs := make([]agent.ToolSpec, 0, len(active))
	last := -1
	builtIn := map[string]bool{}
	for _, t := range s.o.BuiltIns {
		builtIn[t.Name()] = true
	}
	for i, t := range active {
		specs = append(specs, agent.ToolSpec{
			Name: t.Name(), Description: t.Description(), Schema: t.Schema(),
			Found: slices.Contains(s.prompt.found, t.Name()),
		})
		if builtIn[t.Name()] {
			last = i
		}
	}
	if last >= 0 {
		specs[last].CacheMark = true
	}
	return specs
}

func sameSpec(a, b agent.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && a.CacheMark == b.CacheMark && a.Found == b.Found && string(a.Schema) == string(b.Schema)
}
