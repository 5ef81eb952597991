package toolschema

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func parse(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Each of these made a model API refuse every prompt, or a tool lose its parameters; what
// is good stays as it is.
func TestWhatModelAPIsRefuseIsMended(t *testing.T) {
	for _, tt := range []struct{ about, in, want string }{
		// claude-code#56174, notion-mcp-server#341, gitlab-mcp#550
		{"anyOf of requirements", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`,
			`{"description":"Give at least one of: a; or b.","properties":{"a":{"type":"string"},"b":{"type":"string"}},"type":"object"}`},
		{"oneOf of objects", `{"oneOf":[{"type":"object","properties":{"id":{"type":"string"},"x":{"type":"integer"}},"required":["id","x"]},{"type":"object","properties":{"id":{"type":"number"},"y":{"type":"integer"}},"required":["id","y"]}]}`,
			`{"description":"Give exactly one of: id and x; or id and y.","properties":{"id":{"anyOf":[{"type":"string"},{"type":"number"}]},"x":{"type":"integer"},"y":{"type":"integer"}},"required":["id"],"type":"object"}`},
		{"allOf with references", `{"$defs":{"A":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}},"allOf":[{"$ref":"#/$defs/A"},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`,
			`{"$defs":{"A":{"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"}},"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"],"type":"object"}`},
		{"not and enum at the top", `{"type":"object","not":{"required":["a"]},"enum":[{}],"properties":{}}`, `{"properties":{},"type":"object"}`},
		{"a reference at the top", `{"$ref":"#/definitions/In","definitions":{"In":{"type":"object","properties":{"a":{"type":"string"}}}}}`,
			`{"definitions":{"In":{"properties":{"a":{"type":"string"}},"type":"object"}},"properties":{"a":{"type":"string"}},"type":"object"}`},
		// openai/codex#2204
		{"integer", `{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"properties":{"a":{"type":"integer"}},"type":"object"}`},
		{"two types", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`, `{"properties":{"a":{"type":["string","null"]}},"type":"object"}`},
		{"no type", `{"type":"object","properties":{"a":{"description":"any"}}}`, `{"properties":{"a":{"description":"any"}},"type":"object"}`},
		// codex#13768, opencode#30241
		{"nested anyOf", `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"object","properties":{"b":{"oneOf":[{"const":1},{"const":2}]}}}]}}}`,
			`{"properties":{"a":{"anyOf":[{"type":"string"},{"properties":{"b":{"oneOf":[{"const":1},{"const":2}]}},"type":"object"}]}},"type":"object"}`},
		// google/adk-python#3870, fastmcp#1016
		{"a type of itself", `{"type":"object","$defs":{"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}}}},"properties":{"n":{"$ref":"#/$defs/N"}}}`,
			`{"$defs":{"N":{"properties":{"next":{"$ref":"#/$defs/N"}},"type":"object"}},"properties":{"n":{"$ref":"#/$defs/N"}},"type":"object"}`},
		{"two of each other", `{"type":"object","$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}},"properties":{"a":{"$ref":"#/$defs/A"}}}`,
			`{"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}},"properties":{"a":{"$ref":"#/$defs/A"}},"type":"object"}`},
		{"only itself", `{"$ref":"#"}`, `{"type":"object"}`},
		{"a stranger's", `{"type":"object","properties":{"a":{"$ref":"https://evil.test/s.json","description":"x"},"b":{"$ref":"#/$defs/none"}}}`,
			`{"properties":{"a":{"description":"x"},"b":{}},"type":"object"}`},
		{"another property's", `{"type":"object","properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a","description":"as a"}}}`,
			`{"properties":{"a":{"type":"string"},"b":{"description":"as a","type":"string"}},"type":"object"}`},
		// servers#3051, rust-sdk#445
		{"only a draft", `{"$schema":"http://json-schema.org/draft-07/schema#"}`, `{"type":"object"}`},
		{"nothing", `{}`, `{"type":"object"}`},
		{"true", `true`, `{"type":"object"}`},
		{"a string", `"object"`, `{"type":"object"}`},
		{"null", `null`, `{"type":"object"}`},
		{"a list", `[]`, `{"type":"object"}`},
		{"no properties", `{"type":"object","properties":null,"required":null}`, `{"type":"object"}`},
		{"PHP's empty map", `{"type":"object","properties":[],"required":[]}`, `{"type":"object"}`},
		{"a list of types at the top", `{"type":["object","null"],"properties":{"a":{}}}`, `{"properties":{"a":{}},"type":"object"}`},
		// other drafts, and what people write
		{"draft 3", `{"type":"object","properties":{"b":{"type":"string","required":true},"a":{"type":"any","required":true},"c":{"type":"string","required":false}}}`,
			`{"properties":{"a":{},"b":{"type":"string"},"c":{"type":"string"}},"required":["a","b"],"type":"object"}`},
		{"draft 4", `{"id":"x","type":"object","properties":{"n":{"type":"number","minimum":0,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false},"id":{"type":"string"}}}`,
			`{"properties":{"id":{"type":"string"},"n":{"exclusiveMinimum":0,"maximum":9,"type":"number"}},"type":"object"}`},
		{"a tuple", `{"type":"object","properties":{"p":{"type":"array","items":[{"type":"number"},{"type":"number"}],"additionalItems":false}}}`,
			`{"properties":{"p":{"items":{"not":{}},"prefixItems":[{"type":"number"},{"type":"number"}],"type":"array"}},"type":"object"}`},
		{"an array of anything", `{"type":"object","properties":{"a":{"type":"array"},"b":{"items":{"type":"string"}},"c":{"type":["array","null"]}}}`,
			`{"properties":{"a":{"items":{},"type":"array"},"b":{"items":{"type":"string"},"type":"array"},"c":{"items":{},"type":["array","null"]}},"type":"object"}`},
		{"OpenAPI", `{"type":"object","properties":{"a":{"type":"string","nullable":true}}}`, `{"properties":{"a":{"type":["string","null"]}},"type":"object"}`},
		{"types of a language", `{"type":"object","properties":{"a":{"type":"int"},"b":{"type":"List[str]"},"c":{"type":"BOOLEAN"}}}`,
			`{"properties":{"a":{"type":"integer"},"b":{},"c":{"type":"boolean"}},"type":"object"}`},
		{"wrong values", `{"type":"object","description":5,"properties":{"a":{"type":"string","minLength":"3","enum":[],"anyOf":[],"pattern":null}}}`,
			`{"properties":{"a":{"type":"string"}},"type":"object"}`},
		{"true and false", `{"type":"object","properties":{"a":true,"b":false,"c":"x"},"additionalProperties":false}`,
			`{"additionalProperties":false,"properties":{"a":{},"b":{"not":{}},"c":{}},"type":"object"}`},
		{"what is good stays", `{"type":"object","description":"a<b>&c","required":["q"],"properties":{"q":{"type":"string","enum":["a","b"],"default":null,"format":"date"},"m":{"type":"object","additionalProperties":{"type":"string"}}},"dependentRequired":{"m":["q"]}}`,
			`{"dependentRequired":{"m":["q"]},"description":"a<b>&c","properties":{"m":{"additionalProperties":{"type":"string"},"type":"object"},"q":{"default":null,"enum":["a","b"],"format":"date","type":"string"}},"required":["q"],"type":"object"}`},
	} {
		fitted := Fit(parse(t, tt.in))
		if string(fitted.Schema) != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.about, fitted.Schema, tt.want)
		}
		if again := Fit(parse(t, string(fitted.Schema))); string(again.Schema) != string(fitted.Schema) {
			t.Errorf("%s: fitted twice it is another: %s", tt.about, again.Schema)
		}
	}
}

var keyPattern = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// Keys that an API refuses are others to the model and their own to the server, wherever
// they stand; no two meet, "required" keeps in step (twilio-labs/mcp#56,
// claude-code#79418).
func TestKeysAnAPIRefusesAreMappedBothWays(t *testing.T) {
	long := strings.Repeat("k", 65)
	schema := fmt.Sprintf(`{"type":"object","required":["StartTime<","名前"],"properties":{
		"StartTime<":{"type":"string","description":"begin"}, "StartTime_":{"type":"string"}, "rule[]":{"type":"array","items":{"type":"object","properties":{"a b":{"type":"integer"}},"required":["a b"]}},
		"名前":{"type":"string"}, "前名":{"type":"string"}, %q:{"type":"string"}, "":{"type":"string"}},"dependentRequired":{"rule[]":["名前"]}}`, long)
	fitted := Fit(parse(t, schema))
	var got struct {
		Properties map[string]struct {
			Description string
			Items       struct{ Properties map[string]any }
		}
		Required          []string
		DependentRequired map[string][]string
	}
	if err := json.Unmarshal(fitted.Schema, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Properties) != 7 || len(got.Required) != 2 || len(fitted.Notes) != 7 {
		t.Fatalf("%s\n%q", fitted.Schema, fitted.Notes)
	}
	args := map[string]any{}
	list := ""
	for name, p := range got.Properties {
		if !keyPattern.MatchString(name) {
			t.Errorf("the key %q", name)
		}
		args[name] = name
		if strings.HasPrefix(name, "rule") {
			list = name
			for inner := range p.Items.Properties {
				args[name] = []any{map[string]any{inner: json.Number("12345678901234567890")}}
			}
		}
		if strings.HasPrefix(p.Description, "StartTime<: begin") != strings.HasPrefix(name, "StartTime__") {
			t.Errorf("%s is described as %q", name, p.Description)
		}
	}
	for _, name := range append(got.Required, list) {
		if _, ok := got.Properties[name]; !ok {
			t.Errorf("%q is required and is no property", name)
		}
	}
	if len(got.DependentRequired[list]) != 1 {
		t.Errorf("dependentRequired is %v", got.DependentRequired)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	theirs := fitted.Theirs(raw)
	if err := json.Unmarshal(theirs, &back); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"StartTime<", "StartTime_", "rule[]", "名前", "前名", long, ""} {
		if _, ok := back[name]; !ok {
			t.Errorf("%q does not reach the server: %s", name, theirs)
		}
	}
	if !strings.Contains(string(theirs), `"rule[]":[{"a b":12345678901234567890}]`) {
		t.Errorf("inside: %s", theirs)
	}
	plain := Fit(parse(t, `{"type":"object","properties":{"a":{}}}`))
	if got := plain.Theirs(json.RawMessage(`{ "a" : 1.0 }`)); string(got) != `{ "a" : 1.0 }` {
		t.Errorf("arguments of a schema that needed nothing became %s", got)
	}
}

// A schema without an end, or of absurd depth, ends (google/adk-python#3870: a stack that
// overflows cannot be recovered from).
func TestASchemaWithoutAnEndEnds(t *testing.T) {
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 4000) + `{"type":"string"}` + strings.Repeat(`}}`, 4000)
	var many []string
	for i := range 60 { // each refers to all others by their place
		var all []string
		for j := range 60 {
			all = append(all, fmt.Sprintf(`"p%d":{"$ref":"#/properties/p%d"}`, j, j))
		}
		many = append(many, fmt.Sprintf(`"p%d":{"type":"object","properties":{%s}}`, i, strings.Join(all, ",")))
	}
	for about, in := range map[string]string{
		"deep": deep, "many": `{"type":"object","properties":{` + strings.Join(many, ",") + `}}`,
		"itself by its place": `{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`,
		"alternatives":        `{"$defs":{"A":{"anyOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/A"}]}},"anyOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/A"}]}`,
	} {
		if got := Fit(parse(t, in)); len(got.Schema) > 4<<20 || !json.Valid(got.Schema) {
			t.Errorf("%s: %d bytes", about, len(got.Schema))
		}
	}
}

// FuzzFit: whatever the schema, the result is an object schema with good keys, is the same
// each time, and fitted again stays what it is.
func FuzzFit(f *testing.F) {
	for _, seed := range []string{
		`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"properties":{"rule[]":{"$ref":"#/$defs/A"}},"$defs":{"A":{"allOf":[{"$ref":"#/$defs/A"}]}}}`,
		`{"$ref":"#/properties/a","properties":{"a":{"items":[{"$ref":"#"}]}}}`, `{"type":["array",5],"items":[]}`, `[]`, `{"oneOf":[{"oneOf":[{"properties":{"":1}}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var v any
		if json.Unmarshal(in, &v) != nil {
			return
		}
		fitted := Fit(v)
		var out map[string]any
		if err := json.Unmarshal(fitted.Schema, &out); err != nil || out["type"] != "object" {
			t.Fatalf("%s", fitted.Schema)
		}
		for _, word := range []string{"anyOf", "oneOf", "allOf", "not", "enum", "$ref"} {
			if out[word] != nil {
				t.Errorf("%s at the top of %s", word, fitted.Schema)
			}
		}
		keys(t, out)
		if again := Fit(v); string(again.Schema) != string(fitted.Schema) {
			t.Errorf("two results: %s, %s", fitted.Schema, again.Schema)
		}
	})
}

// keys checks the keys of all properties, wherever a schema can stand.
func keys(t *testing.T, v any) {
	schema, ok := v.(map[string]any)
	if !ok {
		return
	}
	each := func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, one := range v {
				keys(t, one)
			}
		case []any:
			for _, one := range v {
				keys(t, one)
			}
		}
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		for name := range properties {
			if !keyPattern.MatchString(name) {
				t.Errorf("the key %q", name)
			}
		}
		each(properties)
	}
	for _, word := range []string{"$defs", "definitions", "patternProperties", "anyOf", "oneOf", "allOf", "prefixItems"} {
		each(schema[word])
	}
	for _, word := range []string{"items", "not", "if", "then", "else", "contains", "additionalProperties"} {
		keys(t, schema[word])
	}
}
