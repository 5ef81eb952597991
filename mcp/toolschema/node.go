package toolschema

import (
	"encoding/json"
	"slices"
	"strings"
)

// node fits one schema within the whole; what is no schema says nothing.
func (f *fitter) node(v any, depth int) any {
	schema, ok := v.(map[string]any)
	switch {
	case v == false:
		return map[string]any{"not": map[string]any{}}
	case !ok:
		return map[string]any{}
	case depth > maxDepth, f.seen >= maxNodes:
		f.note("what is nested too deep, or too much, was left out")
		return map[string]any{}
	}
	f.seen++
	out := make(map[string]any, len(schema))
	for word, value := range schema {
		f.word(out, schema, word, value, depth)
	}
	f.finish(out, schema)
	return out
}

// word brings one keyword over, with what it means in the newest draft (2020-12), which is
// the one that APIs judge by.
func (f *fitter) word(out, schema map[string]any, word string, value any, depth int) {
	switch word {
	case "$schema", "$id", "$comment", "$vocabulary", "required", "nullable":
		// finish has the last two; nobody needs the others.
	case "id":
		if _, text := value.(string); !text {
			out[word] = value
		}
	case "$ref":
		f.reference(out, value, depth)
	case "properties":
		if properties, ok := value.(map[string]any); ok {
			out[word] = f.nodes(properties, depth+1, true)
		}
	case "$defs", "definitions", "patternProperties", "dependentSchemas":
		if all, ok := value.(map[string]any); ok {
			out[word] = f.nodes(all, depth+1, false)
		}
	case "dependentRequired":
		if all, ok := value.(map[string]any); ok {
			renamed := map[string]any{}
			for name, list := range all {
				renamed[f.key(name)] = anys(f.keys(textsOf(list)))
			}
			out[word] = renamed
		}
	case "items":
		if tuple, ok := value.([]any); ok { // before 2020-12
			out["prefixItems"] = f.list(tuple, depth)
			if rest, ok := schema["additionalItems"]; ok {
				out["items"] = f.node(rest, depth+1)
			}
			return
		}
		out[word] = f.node(value, depth+1)
	case "additionalItems":
	case "prefixItems", "anyOf", "oneOf", "allOf":
		if list, ok := value.([]any); ok && len(list) > 0 {
			out[word] = f.list(list, depth)
		}
	case "not", "if", "then", "else", "contains", "propertyNames", "contentSchema":
		out[word] = f.node(value, depth+1)
	case "additionalProperties", "unevaluatedProperties", "unevaluatedItems":
		if plain, ok := value.(bool); ok {
			out[word] = plain
		} else if value != nil {
			out[word] = f.node(value, depth+1)
		}
	case "type":
		if t := typeOf(value); t != nil {
			out[word] = t
		}
	case "enum":
		if list, ok := value.([]any); ok && len(list) > 0 {
			out[word] = list
		}
	case "exclusiveMinimum", "exclusiveMaximum":
		f.exclusive(out, schema, word, value)
	case "minimum", "maximum":
		if isNumber(value) && schema["exclusive"+strings.ToUpper(word[:1])+word[1:]] != true {
			out[word] = value
		}
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "multipleOf", "minContains", "maxContains":
		if isNumber(value) {
			out[word] = value
		}
	case "description", "title", "format", "pattern", "contentEncoding", "contentMediaType":
		if text, ok := value.(string); ok {
			out[word] = text
		}
	default:
		if value != nil || word == "const" || word == "default" {
			out[word] = value
		}
	}
}

// reference keeps a reference to a definition, which any API takes, also to itself;
// another one is written out, as far as that has an end.
func (f *fitter) reference(out map[string]any, value any, depth int) {
	ref, _ := value.(string)
	target := f.find(ref)
	switch rest, local := strings.CutPrefix(ref, "#/"); {
	case target == nil:
		f.note("the reference to " + ref + " leads nowhere here")
	case ref == "#", local && inDefinitions(rest):
		out["$ref"] = ref
	default:
		written, _ := f.node(target, depth+8).(map[string]any) // deep after a few rounds
		for word, said := range written {
			if _, own := out[word]; !own {
				out[word] = said
			}
		}
	}
}

// inDefinitions reports whether a path is of a definition itself, and not of a part of one.
func inDefinitions(path string) bool {
	word, name, ok := strings.Cut(path, "/")
	return ok && (word == "$defs" || word == "definitions") && !strings.Contains(name, "/")
}

// exclusive is a bound that draft 4 wrote as a flag beside the number.
func (f *fitter) exclusive(out, schema map[string]any, word string, value any) {
	switch {
	case isNumber(value):
		out[word] = value
	case value == true:
		bound := strings.ToLower(strings.TrimPrefix(word, "exclusive"))
		if isNumber(schema[bound]) {
			out[word] = schema[bound]
		}
	}
}

// finish adds what the keywords say together.
func (f *fitter) finish(out, schema map[string]any) {
	required := f.keys(textsOf(schema["required"]))
	if properties, ok := schema["properties"].(map[string]any); ok {
		for name, value := range properties { // draft 3 says it at the property
			if one, ok := value.(map[string]any); ok && one["required"] == true && !slices.Contains(required, f.key(name)) {
				required = append(required, f.key(name))
			}
		}
		if _, list := schema["required"].([]any); !list {
			slices.Sort(required)
		}
	}
	if len(required) > 0 {
		out["required"] = anys(required)
	}
	if out["type"] == nil && out["$ref"] == nil {
		switch {
		case out["properties"] != nil:
			out["type"] = "object"
		case out["items"] != nil, out["prefixItems"] != nil:
			out["type"] = "array"
		}
	}
	if one, ok := out["type"].(string); ok && schema["nullable"] == true {
		out["type"] = []any{one, "null"} // of OpenAPI
	}
	if mentions(out["type"], "array") && out["items"] == nil && out["prefixItems"] == nil {
		out["items"] = map[string]any{}
	}
}

func mentions(t any, name string) bool {
	list, _ := t.([]any)
	return t == name || slices.Contains(list, any(name))
}

func (f *fitter) keys(names []string) []string {
	for i, name := range names {
		names[i] = f.key(name)
	}
	return names
}

// nodes fits the schemas of a map, whose keys are names of properties or not.
func (f *fitter) nodes(all map[string]any, depth int, properties bool) map[string]any {
	out := make(map[string]any, len(all))
	for name, value := range all {
		fitted := f.node(value, depth)
		if !properties {
			out[name] = fitted
			continue
		}
		ours := f.key(name)
		if one, ok := fitted.(map[string]any); ok && ours != name { // the model should know
			said, _ := one["description"].(string)
			one["description"] = strings.TrimSuffix(cut(name)+": "+said, ": ")
		}
		out[ours] = fitted
	}
	return out
}

// cut bounds a name that a description repeats.
func cut(name string) string {
	const most = 120
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}

func (f *fitter) list(all []any, depth int) []any {
	out := make([]any, len(all))
	for i, value := range all {
		out[i] = f.node(value, depth+1)
	}
	return out
}

var types = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// otherTypes are what people write for a type.
var otherTypes = map[string]string{
	"int": "integer", "int32": "integer", "int64": "integer", "long": "integer", "float": "number", "double": "number", "decimal": "number",
	"bool": "boolean", "str": "string", "text": "string", "dict": "object", "map": "object", "list": "array", "none": "null",
}

// typeOf is a type that JSON Schema knows, or a list of some; nil for none, which is any.
func typeOf(v any) any {
	switch v := v.(type) {
	case string:
		name := strings.ToLower(v)
		if other := otherTypes[name]; other != "" {
			name = other
		}
		if slices.Contains(types, name) {
			return name
		}
	case []any:
		var known []any
		for _, one := range v {
			name, ok := typeOf(one).(string)
			if !ok {
				return nil // any type is among them
			}
			if !slices.Contains(known, any(name)) {
				known = append(known, name)
			}
		}
		switch len(known) {
		case 0:
			return nil
		case 1:
			return known[0]
		}
		return known
	}
	return nil
}

func isNumber(v any) bool {
	switch v.(type) {
	case float64, json.Number, int, int64:
		return true
	}
	return false
}
