package wire_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"
)

// validators keeps what acp made, which takes a while under the race detector.
var validators = map[string]*jsonschema.Resolved{}

// acp returns the validator of one definition of the Agent Client Protocol's schema.
// The tests that use it do not run in parallel.
func acp(t *testing.T, definition string) *jsonschema.Resolved {
	t.Helper()
	if v := validators[definition]; v != nil {
		return v
	}
	data, err := os.ReadFile(filepath.Join("testdata", "acp-v1.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	if schema.Defs[definition] == nil {
		t.Fatalf("the schema has no definition %s", definition)
	}
	resolved, err := (&jsonschema.Schema{Ref: "#/$defs/" + definition, Defs: schema.Defs}).Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	validators[definition] = resolved
	return resolved
}

// The session family has ACP's shapes, so that a client of that protocol can be
// served by translating names alone (agentclientprotocol.com, schema v1).
func TestSessionMessagesSatisfyACP(t *testing.T) {
	for _, e := range examples() {
		if e.acp == "" {
			continue
		}
		data, err := jsonv2.Marshal(e.value)
		if err != nil {
			t.Fatal(err)
		}
		var instance any
		if err := json.Unmarshal(data, &instance); err != nil {
			t.Fatal(err)
		}
		if err := acp(t, e.acp).Validate(instance); err != nil {
			t.Errorf("%s is no %s: %v\n%s", e.name, e.acp, err, data)
		}
	}
}

// A validator that lets everything pass would prove nothing.
func TestACPSchemaRefusesWhatIsWrong(t *testing.T) {
	for _, test := range []struct{ definition, message string }{
		{"SessionNotification", `{"sessionId":"s1"}`},
		{"SessionNotification", `{"sessionId":"s1","update":{"sessionUpdate":"tool_call","title":"no id"}}`},
		{"SessionNotification", `{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text"}}}`},
		{"RequestPermissionRequest", `{"sessionId":"s1","toolCall":{"toolCallId":"c"},"options":[{"optionId":"x","name":"X","kind":"maybe"}]}`},
		{"RequestPermissionResponse", `{"outcome":{"outcome":"selected"}}`},
		{"PromptResponse", `{"stopReason":"bored"}`},
		{"ListSessionsResponse", `{"sessions":[{"sessionId":"s1"}]}`},
	} {
		var instance any
		if err := json.Unmarshal([]byte(test.message), &instance); err != nil {
			t.Fatal(err)
		}
		if err := acp(t, test.definition).Validate(instance); err == nil {
			t.Errorf("%s accepts %s", test.definition, test.message)
		}
	}
}
