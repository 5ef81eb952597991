package anthropic

import (
	"slices"
	"strings"
)

// traits are what the API expects of a request for a model, as far as its name
// tells.
type traits struct {
	// context is the size of the window in tokens, 0 when unknown.
	context int
	// maxTokens of an answer, for the API wants one; a smaller limit is learned from
	// the refusal.
	maxTokens int
	// adaptive: the model takes {"thinking": {"type": "adaptive"}}.
	adaptive bool
	// references: the model takes tools that are loaded where a result names them.
	references bool
}

// Models before Claude 4.5, which search no tools
// (https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool).
var beforeReferences = []string{
	"claude-1", "claude-2", "claude-3", "claude-instant", "claude-opus-4-0", "claude-sonnet-4-0", "claude-opus-4-1", "claude-opus-4-2025", "claude-sonnet-4-2025",
}

// Families whose adaptive models have a window of a million tokens
// (https://platform.claude.com/docs/en/about-claude/models/overview).
var millions = []string{"claude-opus-", "claude-sonnet-", "claude-fable-", "claude-mythos-", "claude-haiku-5"}

// Models before Claude 4.6: they think only with a budget, which later ones refuse,
// so they are asked without.
var beforeAdaptive = []string{
	"claude-1", "claude-2", "claude-3", "claude-instant", "claude-opus-4-0", "claude-sonnet-4-0", "claude-opus-4-1", "claude-opus-4-5",
	"claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-2025", "claude-sonnet-4-2025",
}

func traitsOf(name string) traits {
	i := strings.Index(name, "claude-")
	if i < 0 {
		return traits{maxTokens: 32_000}
	}
	name = name[i:] // a router's or a cloud's prefix
	t := traits{context: 200_000, maxTokens: 32_000, adaptive: true, references: true}
	for _, old := range beforeAdaptive {
		if strings.HasPrefix(name, old) {
			t.adaptive = false
		}
	}
	for _, old := range beforeReferences {
		if strings.HasPrefix(name, old) {
			t.references = false
		}
	}
	switch {
	case strings.HasPrefix(name, "claude-3-5"):
		t.maxTokens = 8192
	case strings.HasPrefix(name, "claude-3-"), strings.HasPrefix(name, "claude-2"):
		t.maxTokens = 4096
	case t.adaptive && slices.ContainsFunc(millions, func(family string) bool { return strings.HasPrefix(name, family) }):
		t.context = 1_000_000
	}
	if strings.HasPrefix(name, "claude-3-7") {
		t.maxTokens = 32_000
	}
	return t
}
