package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// script is what -fault script=FILE makes the server: its list of tools and the results of
// its calls, byte for byte. The file is read anew each time. A tool without a result
// answers with the arguments it got, as text.
type script struct {
	Tools   json.RawMessage            `json:"tools"`
	Results map[string]json.RawMessage `json:"results"`
}

// onScript answers what the script speaks of.
func (s *server) onScript(m message) bool {
	file, ok := s.faults["script"]
	if !ok || m.Method != "tools/list" && m.Method != "tools/call" {
		return false
	}
	var played script
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &played)
	}
	if err != nil {
		s.fail(m.ID, -32603, err.Error())
		return true
	}
	if m.Method == "tools/list" {
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}`, m.ID, oneLine(played.Tools)))
		return true
	}
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(m.Params, &p)
	if result, ok := played.Results[p.Name]; ok {
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, oneLine(result)))
		return true
	}
	s.answer(m.ID, map[string]any{"content": []any{map[string]any{"type": "text", "text": p.Name + " " + string(p.Arguments)}}})
	return true
}

// oneLine is JSON without line ends: on stdio a line is a message.
func oneLine(raw json.RawMessage) string {
	out := make([]byte, 0, len(raw))
	for _, c := range raw {
		if c != '\n' && c != '\r' {
			out = append(out, c)
		}
	}
	return string(out)
}
