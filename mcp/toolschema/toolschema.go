// Package toolschema makes the schema that a server gives its tool fit for what model APIs
// take. They refuse a whole request, and so every prompt, for one schema that they do not
// like: anyOf at the top (claude-code#56174), a property that is called "rule[]"
// (twilio-labs/mcp#56), a list where a map should be (modelcontextprotocol/servers#3051).
// What they take is left as it is, nested alternatives above all (codex#13768).
package toolschema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

const (
	// maxDepth is how deep a schema may be nested; what is below says nothing any more.
	maxDepth = 48
	// maxFollow bounds how many references are followed, one to the next.
	maxFollow = 16
	// maxNodes bounds how much of a schema there is; references written out can multiply it.
	maxNodes = 20_000
	// maxKey is how long the key of a property may be, in bytes.
	maxKey = 64
)

// Fitted is a schema that model APIs take, and the way back from arguments of it to those
// the server wants. It is immutable.
type Fitted struct {
	// Schema is an object schema. The same schema gives the same bytes.
	Schema json.RawMessage
	// Notes say in English what had to be changed that may matter.
	Notes []string

	theirs map[string]string // keys of ours that are called otherwise there
}

// Fit makes a schema fit; it is what a JSON decoder gives for it, whatever that is, and is
// not changed. It ends on any schema, also on one that refers to itself.
func Fit(schema any) Fitted {
	root, ok := schema.(map[string]any)
	if !ok {
		return Fitted{Schema: json.RawMessage(`{"type":"object"}`)}
	}
	f := fitter{root: root, theirs: map[string]string{}, noted: map[string]bool{}}
	top := f.top(root)
	data, err := Encode(top)
	if err != nil { // nothing that JSON can say fails to be encoded
		return Fitted{Schema: json.RawMessage(`{"type":"object"}`), Notes: []string{err.Error()}}
	}
	slices.Sort(f.notes) // they were found in the order of a map
	return Fitted{Schema: data, Notes: f.notes, theirs: f.theirs}
}

// Theirs gives arguments the keys that the server knows. Arguments of a schema whose keys
// are the server's own come back as they are, byte for byte.
func (f Fitted) Theirs(args json.RawMessage) json.RawMessage {
	if len(f.theirs) == 0 {
		return args
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber() // big numbers keep their digits
	var v any
	if dec.Decode(&v) != nil {
		return args
	}
	data, err := Encode(f.rename(v))
	if err != nil {
		return args
	}
	return data
}

func (f Fitted) rename(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			if theirs, ok := f.theirs[key]; ok {
				key = theirs
			}
			out[key] = f.rename(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = f.rename(value)
		}
		return out
	}
	return v
}

// Encode is json.Marshal without its escapes for HTML, which cost tokens and mislead
// models. Keys of maps are sorted: the same value, the same bytes.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

var goodKey = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

var badInKey = regexp.MustCompile(`[^a-zA-Z0-9_.-]`)

// key is what a property is called to the model: its name, or what is left of it with a
// hash of the whole, so that no two meet and the same is always the same.
func (f *fitter) key(name string) string {
	if goodKey.MatchString(name) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	ours := badInKey.ReplaceAllString(name, "_")
	ours = ours[:min(len(ours), maxKey-9)] + "_" + hex.EncodeToString(sum[:4])
	if f.theirs[ours] == "" {
		f.theirs[ours] = name
		f.note(fmt.Sprintf("property %q is %s to the model", name, ours))
	}
	return ours
}

func (f *fitter) note(text string) {
	if !f.noted[text] {
		f.noted[text] = true
		f.notes = append(f.notes, text)
	}
}

// fitter fits one schema.
type fitter struct {
	root   map[string]any
	theirs map[string]string
	notes  []string
	noted  map[string]bool
	seen   int // nodes so far
}

// top fits the schema of a whole tool, which has to be a plain object.
func (f *fitter) top(root map[string]any) map[string]any {
	whole := f.followed(root)
	top := f.node(whole, 0).(map[string]any)
	for _, word := range []string{"$defs", "definitions"} { // those of the root, wherever a reference led
		if defs, ok := root[word].(map[string]any); ok && top[word] == nil {
			top[word] = f.nodes(defs, 1, false)
		}
	}
	f.fold(top, top, 0)
	for _, word := range []string{"enum", "const", "not", "$ref"} {
		delete(top, word)
	}
	top["type"] = "object"
	if _, ok := top["properties"].(map[string]any); !ok {
		delete(top, "properties")
	}
	return top
}

// followed is what a schema that is only a reference stands for.
func (f *fitter) followed(schema map[string]any) map[string]any {
	for range maxFollow {
		ref, ok := schema["$ref"].(string)
		if !ok {
			return schema
		}
		target, ok := f.find(ref).(map[string]any)
		if !ok {
			return schema
		}
		merged := maps.Clone(target)
		for word, value := range schema {
			if word != "$ref" {
				merged[word] = value
			}
		}
		schema = merged
	}
	return schema
}

// find is what a reference within the schema names, nil for nothing. Others are not
// followed: to fetch one would tell a stranger.
func (f *fitter) find(ref string) any {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	var at any = f.root
	if path == "" {
		return at
	}
	for _, step := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		object, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		if at, ok = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]; !ok {
			return nil
		}
	}
	return at
}

// fold turns the alternatives at the top of a schema into properties of it, which is as
// near as a model API lets them come; the server still judges the arguments.
func (f *fitter) fold(top, schema map[string]any, depth int) {
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		list, ok := schema[word].([]any)
		if !ok {
			continue
		}
		delete(schema, word)
		f.note(word + " at the top was folded into one object")
		var sets [][]string
		properties := map[string][]any{}
		for _, one := range list {
			branch, ok := one.(map[string]any)
			if !ok || depth > maxFollow {
				continue
			}
			branch = f.ours(top, branch)
			f.fold(top, branch, depth+1)
			sets = append(sets, textsOf(branch["required"]))
			own, _ := branch["properties"].(map[string]any)
			for name, value := range own {
				properties[name] = append(properties[name], value)
			}
		}
		f.join(schema, properties, word == "allOf")
		f.require(schema, sets, word)
	}
}

// ours is a fitted branch with what its reference stands for, among the fitted
// definitions.
func (f *fitter) ours(top, branch map[string]any) map[string]any {
	branch = maps.Clone(branch)
	for range maxFollow {
		ref, _ := branch["$ref"].(string)
		word, name, ok := strings.Cut(strings.TrimPrefix(ref, "#/"), "/")
		defs, _ := top[word].(map[string]any)
		target, found := defs[name].(map[string]any)
		if !ok || !found {
			return branch
		}
		delete(branch, "$ref")
		for word, value := range target {
			if branch[word] == nil {
				branch[word] = value
			}
		}
	}
	return branch
}

// join adds properties that several branches have, each with all that is said of it.
func (f *fitter) join(schema map[string]any, found map[string][]any, all bool) {
	own, _ := schema["properties"].(map[string]any)
	joined := maps.Clone(own)
	if joined == nil {
		joined = map[string]any{}
	}
	for name, values := range found {
		if before, ok := own[name]; ok {
			if all {
				values = append([]any{before}, values...)
			} else {
				joined[name] = before // the branches only say more of it
				continue
			}
		}
		values = distinct(values)
		word := "anyOf"
		if all {
			word = "allOf"
		}
		if len(values) == 1 {
			joined[name] = values[0]
		} else {
			joined[name] = map[string]any{word: values}
		}
	}
	if len(joined) > 0 {
		schema["properties"] = joined
	}
}

// require says what the branches want in common, and in words what each wants.
func (f *fitter) require(schema map[string]any, sets [][]string, word string) {
	required := textsOf(schema["required"])
	add := func(name string) {
		if !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	if word == "allOf" {
		for _, set := range sets {
			for _, name := range set {
				add(name)
			}
		}
	} else if len(sets) > 0 {
		for _, name := range sets[0] {
			if !slices.ContainsFunc(sets[1:], func(set []string) bool { return !slices.Contains(set, name) }) {
				add(name)
			}
		}
		if hint := hintOf(sets, word == "oneOf"); hint != "" {
			description, _ := schema["description"].(string)
			schema["description"] = strings.TrimSpace(description + " " + hint)
		}
	}
	if len(required) > 0 {
		schema["required"] = anys(required)
	}
}

func hintOf(sets [][]string, one bool) string {
	var texts []string
	for _, set := range sets {
		if len(set) > 0 {
			texts = append(texts, strings.Join(set, " and "))
		}
	}
	texts = slices.Compact(texts)
	switch {
	case len(texts) < 2:
		return ""
	case one:
		return "Give exactly one of: " + strings.Join(texts, "; or ") + "."
	}
	return "Give at least one of: " + strings.Join(texts, "; or ") + "."
}

// distinct leaves out what is said twice.
func distinct(values []any) []any {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(values), func(v any) bool {
		data, err := Encode(v)
		if err != nil || seen[string(data)] {
			return true
		}
		seen[string(data)] = true
		return false
	})
}

// textsOf are the texts of a list, each once.
func textsOf(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, one := range list {
		if s, ok := one.(string); ok && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
