package workspace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	"github.com/tailscale/hujson"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// serversKey is the key of the servers in a settings file.
const serversKey = "mcp_servers"

// ServerEdit is one change of one entry of "mcp_servers". EnableServer and its
// siblings make one.
type ServerEdit struct {
	name string
	kind editKind
	// entry is what add and update write.
	entry []byte
	// tool is switched on or off.
	tool string
	on   bool
}

type editKind int

const (
	editEnable editKind = iota
	editDisable
	editRemove
	editAdd
	editUpdate
	editTool
)

// EnableServer takes "disabled" out of the entry name.
func EnableServer(name string) ServerEdit { return ServerEdit{name: name, kind: editEnable} }

// DisableServer writes "disabled": true into the entry name.
func DisableServer(name string) ServerEdit { return ServerEdit{name: name, kind: editDisable} }

// RemoveServer takes the entry name out.
func RemoveServer(name string) ServerEdit { return ServerEdit{name: name, kind: editRemove} }

// AddServer writes a new entry; entry is a JSON object as it shall stand in the file.
func AddServer(name string, entry []byte) ServerEdit {
	return ServerEdit{name: name, kind: editAdd, entry: entry}
}

// UpdateServer makes the entry name say what the JSON object entry says. What is the
// same in both stays as it is, with its comments and in its place.
func UpdateServer(name string, entry []byte) ServerEdit {
	return ServerEdit{name: name, kind: editUpdate, entry: entry}
}

// Apply returns the text of a settings file after the edit, in which every byte that
// need not change is as it was: comments, order, layout, line breaks, byte order mark.
// nil or an empty text is a file that does not exist.
//
// It is an error, and nothing else, when text is not that of a settings file, when
// there is no such entry (or, to add, there is one), and when the entry would then be
// one that cannot be used.
func (edit ServerEdit) Apply(file string, scope mcp.Scope, text []byte, l lang.Lang) ([]byte, error) {
	mark := []byte("\xEF\xBB\xBF")
	body, marked := bytes.CutPrefix(text, mark)
	if len(text) == 0 {
		body = []byte("{}\n")
	}
	before, diagnostics, ok := ParseSettings(file, scope, body, l)
	if !ok {
		return nil, lang.Errorf(zh, msgEditBad, file, diagnostics[0].Message, ErrBadFile)
	}
	old, there := before.MCPServers[edit.name]
	switch {
	case edit.kind == editAdd && there:
		return nil, lang.Errorf(zh, msgEditOf, file, edit.name, ErrServerExists)
	case edit.kind != editAdd && !there:
		return nil, lang.Errorf(zh, msgEditOf, file, edit.name, ErrUnknownServer)
	}
	e := newSettingsText(body)
	if err := edit.change(e, old); err != nil {
		return nil, lang.Errorf(zh, msgEditOf, file, edit.name, err)
	}
	after, diagnostics, ok := ParseSettings(file, scope, e.text, l)
	if !ok {
		return nil, lang.Errorf(zh, msgEditBad, file, diagnostics[0].Message, ErrInvalidEntry)
	}
	if problem := after.MCPServers[edit.name].Origin.Problem; problem != "" && edit.entry != nil {
		return nil, lang.Errorf(zh, msgEditInvalid, file, edit.name, ErrInvalidEntry, problem)
	}
	if err := edit.verify(body, e.text, old); err != nil {
		return nil, lang.Errorf(zh, msgEditOf, file, edit.name, err)
	}
	if marked {
		return append(mark, e.text...), nil
	}
	return e.text, nil
}

// change does the edit.
func (edit ServerEdit) change(e *settingsText, old mcp.ServerConfig) error {
	switch edit.kind {
	case editEnable:
		return e.removeAll(serversKey, edit.name, "disabled")
	case editDisable:
		return e.set(&hujson.Value{Value: hujson.Bool(true)}, serversKey, edit.name, "disabled")
	case editRemove:
		return e.removeAll(serversKey, edit.name)
	case editTool:
		return edit.setTool(e, old.Tools)
	}
	entry, err := parseEntry(edit.entry)
	if err != nil {
		return err
	}
	if edit.kind == editUpdate {
		return e.merge(entry, serversKey, edit.name)
	}
	return e.set(entry, serversKey, edit.name)
}

// parseEntry reads the entry that is to be written, without its comments.
func parseEntry(raw []byte) (*hujson.Value, error) {
	if len(raw) > maxSettingsBytes || tooDeep(raw, maxDepth) >= 0 {
		return nil, lang.Errorf(zh, msgEditInvalidIs, ErrInvalidEntry, lang.Messagef(zh, msgTooLarge, maxSettingsBytes>>10))
	}
	v, err := hujson.Parse(raw)
	if err != nil {
		return nil, lang.Errorf(zh, msgEditInvalidIs, ErrInvalidEntry, err)
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return nil, lang.Errorf(zh, msgEditInvalidIs, ErrInvalidEntry, lang.Messagef(zh, msgType, lang.MessageOf(zh, msgTheEntry), lang.MessageOf(zh, nounObject), lang.MessageOf(zh, noun(&v))))
	}
	return &v, nil
}

// verify compares what the text said with what it says now: nothing but the entry
// may be different, and that as it was wanted. It is the last guard before a person's
// file is written; an error here is a bug of ours.
func (edit ServerEdit) verify(before, after []byte, old mcp.ServerConfig) error {
	want, err := decode(before)
	if err != nil {
		return err
	}
	got, err := decode(after)
	if err != nil {
		return err
	}
	servers, _ := want[serversKey].(map[string]any)
	if servers == nil {
		servers = make(map[string]any)
	}
	entry, _ := servers[edit.name].(map[string]any)
	switch edit.kind {
	case editEnable:
		delete(entry, "disabled")
	case editDisable:
		if entry == nil {
			entry = make(map[string]any)
		}
		entry["disabled"] = true
		servers[edit.name] = entry
	case editRemove:
		delete(servers, edit.name)
	case editTool:
		edit.wantTools(entry, old.Tools)
	default:
		if entry, err = decode(edit.entry); err != nil {
			return err
		}
		servers[edit.name] = entry
	}
	want[serversKey] = servers
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("internal error: the edit would change something else too")
	}
	return nil
}

// decode returns what a text with comments says, numbers as they are written.
func decode(text []byte) (map[string]any, error) {
	plain, err := hujson.Standardize(append(text[:len(text):len(text)], '\n'))
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	out := make(map[string]any)
	return out, d.Decode(&out)
}

// maxSteps bounds how many values of an entry are changed one by one: each step
// parses the text anew.
const maxSteps = 64

// merge makes the value at path say what value says, step by step where both are
// objects.
func (e *settingsText) merge(value *hujson.Value, path ...string) error {
	steps, err := e.difference(value, path)
	if err != nil {
		return err
	}
	if len(steps) > maxSteps {
		return e.set(value, path...)
	}
	for _, do := range steps {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// difference returns the steps that lead from the value at path to another.
func (e *settingsText) difference(value *hujson.Value, path []string) (steps []func() error, err error) {
	s, err := e.find(path...)
	if err != nil {
		return nil, err
	}
	set := func() error { return e.set(value, path...) }
	if !s.found() {
		return []func() error{set}, nil
	}
	old, oldOK := s.member().Value.Value.(*hujson.Object)
	new, newOK := value.Value.(*hujson.Object)
	switch {
	case !oldOK || !newOK || len(old.Members) == 0 || repeats(old) || repeats(new):
		if same(&s.member().Value, value) {
			return nil, nil
		}
		return []func() error{set}, nil
	}
	under := func(key string) []string { return append(path[:len(path):len(path)], key) }
	for i := range old.Members {
		if key := text(&old.Members[i].Name); indexOf(new, key) < 0 {
			steps = append(steps, func() error { return e.removeAll(under(key)...) })
		}
	}
	for i := range new.Members {
		more, err := e.difference(&new.Members[i].Value, under(text(&new.Members[i].Name)))
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	return steps, nil
}

// removeAll removes a member as often as it is there: the first half of one that is
// there twice must not come back to life.
func (e *settingsText) removeAll(path ...string) error {
	for {
		if there, err := e.remove(path...); err != nil || !there {
			return err
		}
	}
}

// repeats reports whether o has two members of one name.
func repeats(o *hujson.Object) bool {
	seen := make(map[string]bool, len(o.Members))
	for i := range o.Members {
		seen[text(&o.Members[i].Name)] = true
	}
	return len(seen) != len(o.Members)
}

// same reports whether two values say the same.
func same(a, b *hujson.Value) bool {
	var decoded [2]map[string]any
	for i, v := range []*hujson.Value{a, b} {
		var err error
		if decoded[i], err = decode([]byte(`{"v":` + string(v.Pack()) + "\n}")); err != nil {
			return false
		}
	}
	return maps.EqualFunc(decoded[0], decoded[1], func(x, y any) bool { return reflect.DeepEqual(x, y) })
}
