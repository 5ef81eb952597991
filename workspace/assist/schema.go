package assist

import (
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the JSON Schema of a settings file, for editors and programs that know
// nothing else of it. Its texts are English.
func Schema() *jsonschema.Schema {
	s := settingsShape().schema()
	s.Schema = "http://json-schema.org/draft-07/schema#" // all that VS Code's JSON knows
	s.Title = "codebot settings"
	s.Description = docFile
	s.Properties["$schema"] = &jsonschema.Schema{Type: "string"}
	s.PropertyOrder = append([]string{"$schema"}, s.PropertyOrder...)
	return s
}

func (s *shape) schema() *jsonschema.Schema {
	out := &jsonschema.Schema{Type: s.types}
	for _, w := range s.words {
		out.Enum = append(out.Enum, w.word)
	}
	switch {
	case len(s.keys) > 0:
		out.Properties = map[string]*jsonschema.Schema{}
		out.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
		for _, k := range s.keys {
			p := k.value.schema()
			p.Description = k.means
			if k.userOnly {
				p.Description += " " + docUserOnly
			}
			if k.value.types == "integer" || k.value.types == "number" {
				p.Minimum = new(float64)
			}
			out.Properties[k.name] = p
			out.PropertyOrder = append(out.PropertyOrder, k.name)
		}
	case s.entry != nil:
		out.AdditionalProperties = s.entry.schema()
	}
	if s.element != nil {
		out.Items = s.element.schema()
	}
	return out
}

// Reference explains every key, by where it stands, in Markdown: the body of
// docs/settings.md.
func Reference() string {
	var b strings.Builder
	settingsShape().explain(&b, "")
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// explain writes the keys of an object as a table, then those of the objects in it.
func (s *shape) explain(b *strings.Builder, path string) {
	b.WriteString("| key | type | meaning |\n|---|---|---|\n")
	for _, k := range s.keys {
		means := k.means
		for _, w := range k.value.words {
			means += "<br>`" + w.word + "`: " + w.means
		}
		if k.userOnly {
			means += " *" + docUserOnly + "*"
		}
		b.WriteString("| `" + k.name + "` | " + k.value.typeName() + " | " + strings.ReplaceAll(means, "|", `\|`) + " |\n")
	}
	b.WriteString("\n")
	for _, k := range s.keys {
		below := k.value
		title := path + k.name
		if below.entry != nil {
			below, title = below.entry, title+".<name>"
		}
		if len(below.keys) > 0 {
			b.WriteString("## `" + title + "`\n\n")
			below.explain(b, title+".")
		}
	}
}

// typeName is the type in words.
func (s *shape) typeName() string {
	switch {
	case s.element != nil:
		return "list of strings"
	case s.entry != nil && len(s.entry.keys) > 0:
		return "objects by name"
	case s.entry != nil:
		return "strings by name"
	case s.types == "boolean":
		return "true or false"
	case s.types == "integer":
		return "whole number"
	}
	return s.types
}
