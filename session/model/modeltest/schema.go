package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

var keyPattern = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// maxSchemaDepth is far below what the endpoints take, and above what a person writes.
const maxSchemaDepth = 200

// checkSchema refuses a tool's schema as the endpoints do: alternatives at the top, keys
// they do not know how to spell, and with items an array that does not say of what.
func checkSchema(raw json.RawMessage, items bool) error {
	var top map[string]any
	if err := json.Unmarshal(raw, &top); err != nil {
		return err
	}
	if top["type"] != "object" {
		return fmt.Errorf("type is %v, not object", top["type"])
	}
	for _, word := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
		if _, ok := top[word]; ok {
			return fmt.Errorf("does not support oneOf, allOf, anyOf, enum or not at the top level: %s", word)
		}
	}
	return checkNode(top, items, 0)
}

func checkNode(v any, items bool, depth int) error {
	if depth > maxSchemaDepth {
		return errors.New("nested too deep")
	}
	schema, ok := v.(map[string]any)
	if !ok {
		if _, plain := v.(bool); plain {
			return nil
		}
		return fmt.Errorf("%v is no schema", v)
	}
	switch t := schema["type"].(type) {
	case nil:
	case string:
		if items && t == "array" && schema["items"] == nil && schema["prefixItems"] == nil {
			return errors.New("array schema missing items")
		}
	case []any:
	default:
		return fmt.Errorf("type %v", t)
	}
	if properties, there := schema["properties"]; there {
		all, ok := properties.(map[string]any)
		if !ok {
			return fmt.Errorf("%v is not of type object", properties)
		}
		for key, value := range all {
			if !keyPattern.MatchString(key) {
				return fmt.Errorf("property keys should match pattern '%s': %q", keyPattern, key)
			}
			if err := checkNode(value, items, depth+1); err != nil {
				return err
			}
		}
	}
	for _, word := range []string{"items", "not", "if", "then", "else", "additionalProperties"} {
		if value, there := schema[word]; there {
			if err := checkNode(value, items, depth+1); err != nil {
				return err
			}
		}
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		value, there := schema[word]
		list, ok := value.([]any)
		if there && (!ok || len(list) == 0) {
			return fmt.Errorf("%s must be a list that is not empty", word)
		}
		for _, one := range list {
			if err := checkNode(one, items, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
