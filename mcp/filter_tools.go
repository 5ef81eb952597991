package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// repairToolList drops from a tools/list result each tool the SDK cannot decode,
// for the SDK decodes the list whole and one bad tool would cost all of them. It
// also takes out the time-to-live: the SDK would answer our own re-listing from
// its cache, and a list that arrived beside a list_changed would stay (SEP-2549).
//
// A result that is no list of tools comes back unchanged. dropped says, for a
// person, what was taken out and why.
func repairToolList(result json.RawMessage) (repaired json.RawMessage, dropped []string, changed bool) {
	// Only the outermost "tools" makes a list; looking for the word first saves
	// decoding every large answer.
	if !bytes.Contains(result, []byte(`"tools"`)) {
		return result, nil, false
	}
	var list map[string]json.RawMessage
	if json.Unmarshal(result, &list) != nil || list["tools"] == nil || list["content"] != nil {
		return result, nil, false
	}
	var tools []json.RawMessage
	if json.Unmarshal(list["tools"], &tools) != nil {
		return result, nil, false
	}
	good := make([]json.RawMessage, 0, len(tools))
	for i, raw := range tools {
		if err := decodableTool(raw); err != nil {
			dropped = append(dropped, fmt.Sprintf("tool %s was left out: %v", toolLabel(raw, i), err))
			continue
		}
		good = append(good, raw)
	}
	if c := list["nextCursor"]; c != nil {
		var cursor *string
		if json.Unmarshal(c, &cursor) != nil {
			delete(list, "nextCursor")
			dropped = append(dropped, "the list's nextCursor is no string: only this page of the list was read")
			changed = true
		}
	}
	if len(good) == len(tools) && !changed {
		return result, nil, false
	}
	encoded, err := json.Marshal(good)
	if err != nil {
		return result, nil, false
	}
	list["tools"] = encoded
	if repaired, err = json.Marshal(list); err != nil {
		return result, nil, false
	}
	return repaired, dropped, true
}

// uncache takes the time-to-live out of a result: the SDK would answer our own
// listing from its cache, and a list that arrived beside the notice of its change
// would stay (SEP-2549). We list when told to, and no more often.
func uncache(result json.RawMessage) (json.RawMessage, bool) {
	if !bytes.Contains(result, []byte(`"ttlMs"`)) {
		return result, false
	}
	var list map[string]json.RawMessage
	if json.Unmarshal(result, &list) != nil || list["ttlMs"] == nil {
		return result, false
	}
	delete(list, "ttlMs")
	out, err := json.Marshal(list)
	if err != nil {
		return result, false
	}
	return out, true
}

// decodableTool says why the SDK, or we, could not use a tool.
func decodableTool(raw json.RawMessage) error {
	var t *sdk.Tool
	if err := json.Unmarshal(raw, &t); err != nil {
		return err
	}
	if t == nil {
		return fmt.Errorf("it is null")
	}
	if t.Name == "" {
		return fmt.Errorf("it has no name")
	}
	return nil
}

// toolLabel names a tool that may not even have a usable name.
func toolLabel(raw json.RawMessage, index int) string {
	var named struct {
		Name json.RawMessage `json:"name"`
	}
	if json.Unmarshal(raw, &named) == nil && len(named.Name) > 0 && string(named.Name) != `""` {
		return string(named.Name)
	}
	return fmt.Sprintf("number %d of the list", index+1)
}
