package wire_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"
)

// acp returns the validator of one definition of the Agent Client Protocol's schema.
func acp(t *testing.T, definition string) *jsonschema.Resolved {
	t.Helper()
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
	return resolved
}

// The session family has ACP's shapes, so that a client of that protocol can be
// served by translating names alone (agentclientprotocol.com, schema v1).
func TestSessionMessagesSatisfyACP(t *testing.T) {
	schemas := map[string]*jsonschema.Resolved{}
	for _, e := range examples() {
		if e.acp == "" {
			continue
		}
		if schemas[e.acp] == nil {
			schemas[e.acp] = acp(t, e.acp)
		}
		data, err := jsonv2.Marshal(e.value)
		if err != nil {
			t.Fatal(err)
		}
		var instance any
		if err := json.Unmarshal(data, &instance); err != nil {
			t.Fatal(err)
		}
		if err := schemas[e.acp].Validate(instance); err != nil {
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
