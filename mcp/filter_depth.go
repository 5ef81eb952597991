package mcp

import (
	"encoding/json"

	"github.com/codebot-ls/codebot-ls/mcp/toolschema"
)

// maxNesting is how deep a message may be nested: the SDK's decoder gives up at 1000, and
// takes the session with it (google/adk-python#3870 is of a schema without an end).
const maxNesting = 900

// nesting is how deep JSON is nested; of other text it is some number.
func nesting(text []byte) int {
	depth, deepest := 0, 0
	quoted, escaped := false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped = c == '\\'
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '{', c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}', c == ']':
			depth--
		}
	}
	return deepest
}

// flattened is a list of tools in which the schemas that are nested too deep are cut to
// what a model is shown of them; false for any other message.
func (f *lineFilter) flattened(msg []byte) ([]byte, bool) {
	var whole, list map[string]json.RawMessage
	var tools []json.RawMessage
	if json.Unmarshal(msg, &whole) != nil || json.Unmarshal(whole["result"], &list) != nil || json.Unmarshal(list["tools"], &tools) != nil {
		return nil, false
	}
	for i, raw := range tools {
		if nesting(raw) <= maxNesting/2 {
			continue
		}
		var tool map[string]json.RawMessage
		var schema any
		if json.Unmarshal(raw, &tool) != nil || json.Unmarshal(tool["inputSchema"], &schema) != nil {
			return nil, false
		}
		f.noise("warning", "the schema of tool "+toolLabel(raw, i)+" is nested too deep and was cut")
		tool["inputSchema"] = toolschema.Fit(schema).Schema
		delete(tool, "outputSchema")
		flat, err := json.Marshal(tool)
		if err != nil || nesting(flat) > maxNesting {
			return nil, false
		}
		tools[i] = flat
	}
	for _, step := range []struct {
		in    map[string]json.RawMessage
		name  string
		value any
	}{{list, "tools", tools}, {whole, "result", list}} {
		data, err := json.Marshal(step.value)
		if err != nil {
			return nil, false
		}
		step.in[step.name] = data
	}
	out, err := json.Marshal(whole)
	return out, err == nil && nesting(out) <= maxNesting
}
