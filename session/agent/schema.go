package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxCachedSchemas bounds a SchemaCache; a session with more tools than that
// compiles again now and then.
const maxCachedSchemas = 4096

// SchemaCache checks arguments against schemas, each compiled once. The zero value
// is ready; it is safe for concurrent use.
type SchemaCache struct {
	mu sync.Mutex
	m  map[string]*compiled // keyed by the schema's bytes
}

// compiled is one schema; resolved is nil when the schema cannot be used.
type compiled struct {
	resolved *jsonschema.Resolved
	raw      map[string]json.RawMessage
}

// Check returns all that is wrong with args, nil when nothing is. A schema that
// this build cannot use (another draft, a remote reference, a pattern Go's regexp
// does not know) checks nothing: the tool itself will.
func (c *SchemaCache) Check(schema, args json.RawMessage) []string {
	s := c.compile(schema)
	if s.resolved == nil {
		return nil
	}
	var v any
	if err := json.Unmarshal(args, &v); err != nil {
		return []string{err.Error()}
	}
	err := validate(s.resolved, v)
	if err == nil {
		return nil
	}
	defs := map[string]json.RawMessage{}
	for _, k := range []string{"$defs", "definitions"} {
		if d, ok := s.raw[k]; ok {
			defs[k] = d
		}
	}
	found := issues(s.raw, v, "", defs)
	if len(found) == 0 {
		found = []string{lastCause(err)}
	}
	return found
}

func (c *SchemaCache) compile(schema json.RawMessage) *compiled {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.m[string(schema)]; ok {
		return s
	}
	s := compileSchema(schema)
	if c.m == nil || len(c.m) >= maxCachedSchemas {
		c.m = map[string]*compiled{}
	}
	c.m[string(schema)] = s
	return s
}

// compileSchema never fails: an unusable schema compiles to one without resolved.
func compileSchema(raw json.RawMessage) (s *compiled) {
	s = &compiled{}
	defer func() {
		if recover() != nil { // schemas come from servers; the library must not take us down
			s.resolved = nil
		}
	}()
	var js jsonschema.Schema
	if json.Unmarshal(raw, &js) != nil || json.Unmarshal(raw, &s.raw) != nil {
		return s
	}
	r, err := js.Resolve(nil)
	if err != nil {
		return s
	}
	if js.Schema != "" && strings.Contains(fmt.Sprint(r.Validate(map[string]any{})), "cannot validate version") {
		return s
	}
	s.resolved = r
	return s
}

func validate(r *jsonschema.Resolved, v any) (err error) {
	defer func() {
		if recover() != nil {
			err = nil // as with a schema that cannot be used
		}
	}()
	return r.Validate(v)
}

// issues lists what is wrong with v, all at once where the library stops at the
// first: it takes an object or a list apart along its schema and lets the library
// judge the leaves, so what counts as wrong stays the library's word.
func issues(schema map[string]json.RawMessage, v any, path string, defs map[string]json.RawMessage) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		var required []string
		_ = json.Unmarshal(schema["required"], &required)
		for _, name := range required {
			if _, ok := v[name]; !ok {
				out = append(out, fmt.Sprintf("%s is missing", join(path, name)))
			}
		}
		var props map[string]json.RawMessage
		_ = json.Unmarshal(schema["properties"], &props)
		closed := string(trimSpace(schema["additionalProperties"])) == "false" && schema["patternProperties"] == nil
		for _, name := range slices.Sorted(maps.Keys(v)) {
			sub, ok := props[name]
			switch {
			case ok:
				out = append(out, leaf(sub, v[name], join(path, name), defs)...)
			case closed:
				out = append(out, fmt.Sprintf("%s is not an argument (known: %s)", join(path, name),
					strings.Join(slices.Sorted(maps.Keys(props)), ", ")))
			}
		}
	case []any:
		sub := schema["items"]
		if sub == nil {
			return nil
		}
		for i, e := range v {
			out = append(out, leaf(sub, e, fmt.Sprintf("%s[%d]", path, i), defs)...)
			if len(out) > 20 {
				break // a long list of the same mistake teaches nothing more
			}
		}
	}
	return out
}

// leaf judges one value by its own schema, taking it apart further where it can.
func leaf(raw json.RawMessage, v any, path string, defs map[string]json.RawMessage) []string {
	var schema map[string]json.RawMessage
	if json.Unmarshal(raw, &schema) != nil {
		return nil // true or false: the whole's error will do
	}
	whole := maps.Clone(schema)
	for k, d := range defs {
		if _, ok := whole[k]; !ok {
			whole[k] = d
		}
	}
	b, err := json.Marshal(whole)
	if err != nil {
		return nil
	}
	s := compileSchema(b)
	if s.resolved == nil {
		return nil
	}
	if err = validate(s.resolved, v); err == nil {
		return nil
	}
	if deeper := issues(follow(schema, defs), v, path, defs); len(deeper) > 0 {
		return deeper
	}
	return []string{path + ": " + lastCause(err)}
}

// follow is the schema that a local reference names, or schema itself.
func follow(schema map[string]json.RawMessage, defs map[string]json.RawMessage) map[string]json.RawMessage {
	var ref string
	_ = json.Unmarshal(schema["$ref"], &ref)
	for k, all := range defs {
		name, ok := strings.CutPrefix(ref, "#/"+k+"/")
		if !ok {
			continue
		}
		var named map[string]map[string]json.RawMessage
		if json.Unmarshal(all, &named) == nil && named[name] != nil {
			return named[name]
		}
	}
	return schema
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// lastCause cuts the library's trail of schema locations ("validating root: ...")
// off its finding.
func lastCause(err error) string {
	s := err.Error()
	for strings.HasPrefix(s, "validating ") {
		_, rest, ok := strings.Cut(s, ": ")
		if !ok {
			break
		}
		s = rest
	}
	return excerpt(s, 300)
}

// argumentText is what the model reads about arguments that do not fit.
func argumentText(tool string, issues []string) string {
	return "invalid arguments for " + tool + ":\n- " + strings.Join(issues, "\n- ")
}
