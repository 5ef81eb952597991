package model

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// offered is a tool of a request, read for its words.
type offered struct {
	spec agent.ToolSpec
	// server is the server's part of an MCP tool's name, empty for a built-in; name
	// is the rest. They are words to match and to show: nobody is called by them.
	server, name string
	// The words of the name, of the server, of the description's beginning.
	nameWords, serverWords, descWords []token
	params                            []param
	effect                            effect
	deprecated                        bool
}

// param is a property of a tool's arguments.
type param struct {
	name     string
	words    []token
	typ      string // "string", "number", "integer", "boolean", "array", "object"
	items    string // type of an array's items
	enum     []string
	format   string
	desc     string
	required bool
	hasValue bool // has a default
}

// connectTool is the tool that starts a server which is not connected.
const connectTool = "connect_mcp"

// modelsOwn are the tools of ours that are for a language model: it says in its own words
// what they get, or calls them to go on with what it has begun. Their words ("task",
// "stop") would take prompts from the tools that are meant.
var modelsOwn = map[string]bool{"task": true, "todo": true, "bash_output": true, "bash_stop": true, "tool_search": true}

// readOffered reads the tools of a request that a planner can call, in its order.
func readOffered(specs []agent.ToolSpec) []*offered {
	out := make([]*offered, 0, len(specs))
	for _, s := range specs {
		if !modelsOwn[s.Name] {
			out = append(out, readTool(s))
		}
	}
	return out
}

var reHash = regexp.MustCompile(`_[0-9a-f]{8}$`)

// firstWords is how much of a description is read for words; what follows is
// mostly about details, and would match anything.
const firstWords = 200

func readTool(s agent.ToolSpec) *offered {
	t := &offered{spec: s, name: s.Name}
	if rest, ok := strings.CutPrefix(s.Name, "mcp__"); ok {
		t.server, t.name, ok = strings.Cut(rest, "__")
		if !ok {
			t.server, t.name = "mcp", rest
		}
		if len(s.Name) > 60 {
			t.name = reHash.ReplaceAllString(t.name, "")
		}
	}
	t.nameWords = contentWords(identifierTokens(t.name))
	t.serverWords = contentWords(identifierTokens(t.server))
	desc := s.Description
	if len(desc) > firstWords {
		desc = desc[:firstWords]
		if i := strings.LastIndexAny(desc, ".。\n"); i > 60 {
			desc = desc[:i]
		} else {
			desc = strings.ToValidUTF8(desc, "")
		}
	}
	t.descWords = contentWords(tokenize(normalise(stripMarks(desc))))
	t.deprecated = strings.Contains(strings.ToLower(desc), "deprecated")
	t.params = readParams(s.Schema)
	t.effect = effectOf(t, s.Description)
	return t
}

var reMark = regexp.MustCompile(`(?i)\((readOnly|destructive)\)`)

func stripMarks(s string) string { return reMark.ReplaceAllString(s, " ") }

// effectOf tells what a tool does: by its mark, else by the first verb of its
// name, else of its description.
func effectOf(t *offered, desc string) effect {
	switch m := reMark.FindStringSubmatch(desc); {
	case m != nil && strings.EqualFold(m[1], "readOnly"):
		return effectReads
	case m != nil:
		return effectChanges
	}
	switch {
	case t.server != "":
	case t.name == "bash":
		return effectUnknown
	case t.name == "read", t.name == "ls", t.name == "glob", t.name == "grep":
		return effectReads
	case t.name == "write", t.name == "edit":
		return effectChanges
	}
	for _, list := range [][]token{t.nameWords, t.descWords} {
		for i, w := range list {
			v := w.verb()
			if v == nil || i > 3 {
				continue
			}
			// A word that stands for both ("update": a change or news) counts as the
			// change.
			for _, c := range w.concepts {
				if c.effect == effectChanges {
					return effectChanges
				}
			}
			if v.effect != effectUnknown {
				return v.effect
			}
		}
	}
	return effectUnknown
}

// contentWords leaves out what carries no topic.
func contentWords(list []token) []token {
	var out []token
	for _, t := range list {
		if !t.function() && t.stem != "mcp" && t.stem != "tool" && t.stem != "工具" {
			out = append(out, t)
		}
	}
	return out
}

func readParams(schema json.RawMessage) []param {
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	required := map[string]bool{}
	for _, r := range s.Required {
		required[r] = true
	}
	var out []param
	for _, f := range fields(s.Properties) {
		p := readParam(f.value)
		p.name, p.required = f.key, required[f.key]
		p.words = contentWords(identifierTokens(f.key))
		out = append(out, p)
	}
	return out
}

type field struct {
	key   string
	value json.RawMessage
}

// fields returns the members of a JSON object in their order: the order of
// parameters is how their author thought of them.
func fields(obj json.RawMessage) []field {
	dec := json.NewDecoder(bytes.NewReader(obj))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var out []field
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return out
		}
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			return out
		}
		out = append(out, field{name, v})
	}
	return out
}

func readParam(raw json.RawMessage) param {
	var s struct {
		Type        any               `json:"type"`
		Enum        []any             `json:"enum"`
		Format      string            `json:"format"`
		Description string            `json:"description"`
		Default     any               `json:"default"`
		AnyOf       []json.RawMessage `json:"anyOf"`
		OneOf       []json.RawMessage `json:"oneOf"`
		Items       struct {
			Type any `json:"type"`
		} `json:"items"`
	}
	if json.Unmarshal(raw, &s) != nil {
		return param{typ: "string"}
	}
	p := param{typ: firstType(s.Type), items: firstType(s.Items.Type), format: s.Format, desc: s.Description, hasValue: s.Default != nil}
	for _, e := range s.Enum {
		if v, ok := e.(string); ok {
			p.enum = append(p.enum, v)
		}
	}
	if p.typ == "" {
		for _, alt := range append(s.AnyOf, s.OneOf...) {
			if a := readParam(alt); a.typ != "" && a.typ != "null" {
				a.desc, a.hasValue = p.desc, p.hasValue
				return a
			}
		}
		if len(s.AnyOf)+len(s.OneOf) == 0 {
			p.typ = "string"
		}
	}
	return p
}

// firstType reads "string" as well as ["string", "null"].
func firstType(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		for _, e := range v {
			if s, ok := e.(string); ok && s != "null" {
				return s
			}
		}
	}
	return ""
}
