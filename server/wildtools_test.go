package server_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

var updateGolden = flag.Bool("update", false, "write the golden files anew")

// scripted is a server on stdio that lists these tools and gives these results, as JSON.
func scripted(t *testing.T, tools []string, results map[string]string) servertest.M {
	t.Helper()
	raw := map[string]json.RawMessage{}
	for name, result := range results {
		raw[name] = json.RawMessage(result)
	}
	data, err := json.Marshal(map[string]any{"tools": json.RawMessage("[" + strings.Join(tools, ",") + "]"), "results": raw})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "script.json")
	servertest.WriteFile(t, file, string(data))
	return faulty(t, "script="+file)
}

// schema is a tool of that name with an input schema.
func schema(name, text string) string {
	return fmt.Sprintf(`{"name":%q,"description":"Tries %s.","inputSchema":%s}`, name, name, text)
}

// wildTools have the schemas that were reported, by the row of the public reports that
// they stand for.
func wildTools() []string {
	long, deep := strings.Repeat("k", 65), strings.Repeat(`{"type":"object","properties":{"a":`, 3000)+`{"type":"string"}`+strings.Repeat(`}}`, 3000)
	return []string{
		// claude-code#56174, #5973, notion-mcp-server#341, gitlab-mcp#550
		schema("any_of", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`),
		schema("one_of", `{"oneOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]}]}`),
		schema("all_of", `{"allOf":[{"$ref":"#/$defs/A"}],"$defs":{"A":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}`),
		// twilio-labs/mcp#56, claude-code#79418
		schema("keys", fmt.Sprintf(`{"type":"object","required":["StartTime<"],"properties":{"StartTime<":{"type":"string"},"StartTime_":{"type":"string"},"rule[]":{"type":"string"},"名前":{"type":"string"},%q:{"type":"string"}}}`, long)),
		// openai/codex#2204
		schema("types", `{"type":"object","properties":{"i":{"type":"integer"},"n":{"type":["string","null"]},"m":{"description":"no type"}}}`),
		// codex#13768, opencode#30241
		schema("nested", `{"type":"object","properties":{"v":{"anyOf":[{"type":"string"},{"type":"object"}]}}}`),
		// google/adk-python#3870, fastmcp#1016
		schema("recursive", `{"type":"object","$defs":{"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}}}},"properties":{"n":{"$ref":"#/$defs/N"}}}`),
		schema("mutual", `{"type":"object","$defs":{"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B"}}},"B":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}}}},"properties":{"a":{"$ref":"#/$defs/A"}}}`),
		schema("deep", deep),
		// servers#3051, rust-sdk#445, codex-proxy#23
		schema("draft_only", `{"$schema":"http://json-schema.org/draft-07/schema#"}`), schema("empty", `{}`), schema("yes", `true`),
		schema("text", `"object"`), schema("no_properties", `{"type":"object","properties":null}`), `{"name":"absent"}`, schema("", `{}`),
	}
}

// Each schema that made a model API answer 400 to every prompt reaches every API in a form
// that it takes, and the arguments come back to the server under its own keys. What the
// requests hold is in testdata.
func TestSchemasOfEveryKindReachEveryModel(t *testing.T) {
	for _, flavor := range modeltest.Flavors() {
		t.Run(fmt.Sprint(flavor), func(t *testing.T) {
			// The key that the model is given for "StartTime<" is in the golden file too.
			d := modeltest.New(t, flavor, modeltest.Use("c1", "mcp__s__keys", `{"StartTime__2607c3c7":"noon","StartTime_":"plain"}`), modeltest.Say("done"))
			w := servertest.NewWorld(t)
			w.User(with(d, servertest.Servers(servertest.M{"s": scripted(t, wildTools(), nil)})))
			e := w.Start(servertest.Config{Permit: always("allow_once")})
			if row := e.AwaitState("s", wire.MCPConnected, wire.MCPDegraded, wire.MCPFailed); row.ToolCount != len(wildTools())-1 {
				t.Fatalf("%d tools: %+v", row.ToolCount, row.Error)
			}
			id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
			prompt(e, id, "go")
			calls := e.Calls(id)
			if len(calls) != 1 || calls[0].Status != wire.ToolCompleted || servertest.CallText(calls[0]) != `keys {"StartTime<":"noon","StartTime_":"plain"}` {
				t.Errorf("the server got %q", servertest.CallText(calls[0]))
			}
			var request struct{ Tools []json.RawMessage }
			if err := json.Unmarshal(d.Await(1).Body, &request); err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			for _, tool := range request.Tools {
				if bytes.Contains(tool, []byte("mcp__s__")) {
					got.Write(tool)
					got.WriteByte('\n')
				}
			}
			golden(t, fmt.Sprintf("tools.%s.golden", flavor), got.Bytes())
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *updateGolden {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; -update writes it", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what is sent (-update writes it anew):\n%.3000s", file, got)
	}
}

// Names that an API refuses, and names that are the same once they are cleaned, are called
// by names of their own, and the tool that was meant is the one that runs (codex#8174,
// vscode#243602, gemini-cli#602, continue#5991).
func TestToolsOfEveryNameAreTheOnesThatRun(t *testing.T) {
	long := strings.Repeat("a", 70)
	names := map[string][]string{
		"s":    {"calendar.respond", "user/update", "検索", long, "a.b", "a_b", long[:64] + "1", long[:64] + "2"},
		"x__y": {"z"}, "x": {"y__z"},
	}
	servers := servertest.M{}
	for server, list := range names {
		var tools []string
		for _, name := range list {
			tools = append(tools, schema(name, `{"type":"object"}`))
		}
		servers[server] = scripted(t, tools, nil)
	}
	d := modeltest.New(t, modeltest.Anthropic, modeltest.Say("hello"))
	w := servertest.NewWorld(t)
	w.User(with(d, servertest.Servers(servers)))
	e := w.Start(servertest.Config{Permit: always("allow_once")})
	for server := range servers {
		e.AwaitState(server, wire.MCPConnected)
	}
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "hello")
	var exposed []string
	for _, name := range d.Await(1).Tools(t) {
		if strings.HasPrefix(name, "mcp__") {
			exposed = append(exposed, name)
		}
	}
	if len(exposed) != 10 {
		t.Fatalf("%d tools: %q", len(exposed), exposed)
	}
	var ran []string
	for i, name := range exposed {
		d.Then(modeltest.Use(fmt.Sprintf("c%d", i), name, `{}`), modeltest.Say("done"))
		prompt(e, id, "call it")
		call := e.Calls(id)[i]
		at := call.Meta.Codebot.Server + " " + call.Meta.Codebot.Original
		if got := servertest.CallText(call); got != call.Meta.Codebot.Original+" {}" {
			t.Errorf("%s of %s ran %q", name, at, got)
		}
		ran = append(ran, at)
	}
	slices.Sort(ran)
	if len(slices.Compact(ran)) != 10 {
		t.Errorf("ran %q", ran)
	}
	again := w.Start(servertest.Config{})
	for server := range servers {
		again.AwaitState(server, wire.MCPConnected)
	}
	d.Then(modeltest.Say("hello"))
	second := servertest.Call(again, wire.SessionNew, wire.SessionNewParams{}).SessionID
	n := len(d.Requests())
	prompt(again, second, "hello")
	for _, name := range exposed {
		if !slices.Contains(d.Await(n+1).Tools(t), name) {
			t.Errorf("%s has another name in the next window", name)
		}
	}
}

// wildResults are results that a chat died of, or that the model saw nothing of, with a
// part of what it is to see.
func wildResults(t *testing.T) map[string][2]string {
	t.Helper()
	var jpg bytes.Buffer
	if err := jpeg.Encode(&jpg, image.NewGray(image.Rect(0, 0, 2, 2)), nil); err != nil {
		t.Fatal(err)
	}
	picture := func(mime string, data []byte) string {
		return fmt.Sprintf(`{"content":[{"type":"image","mimeType":%q,"data":%q}]}`, mime, base64.StdEncoding.EncodeToString(data))
	}
	return map[string][2]string{
		// vscode#311732, claude-code#58330, #12009
		"jpeg_as_png": {picture("image/png", jpg.Bytes()), "image/jpeg"},
		"svg":         {picture("image/svg+xml", []byte("<svg xmlns='http://www.w3.org/2000/svg'/>")), "image/svg+xml"},
		"no_bytes":    {picture("image/png", nil), "without data"},
		"huge":        {picture("image/png", bytes.Repeat([]byte("\x89PNG"), 1<<20)), "left out"},
		// mcp2cli#87, llama.cpp#26410, codecompanion#2851
		"structured":  {`{"content":[],"structuredContent":{"a":1}}`, `{\"a\":1}`},
		"array":       {`{"content":[],"structuredContent":[1,2]}`, `[1,2]`},
		"null":        {`{"content":null}`, "(no output)"},
		"only_error":  {`{"isError":true,"content":[]}`, "gave no text"},
		"link":        {`{"content":[{"type":"resource_link","uri":"file:///x.txt","name":"the x"}]}`, "file:///x.txt"},
		"embedded":    {`{"content":[{"type":"resource","resource":{"uri":"mem://1","mimeType":"text/plain","text":"inside"}}]}`, "inside"},
		"blob":        {`{"content":[{"type":"resource","resource":{"uri":"mem://2","mimeType":"application/zip","blob":"AAEC"}}]}`, "application/zip"},
		"audio":       {`{"content":[{"type":"audio","mimeType":"audio/wav","data":"AAEC"}]}`, "audio/wav"},
		"unknown":     {`{"content":[{"type":"hologram","data":"x"}]}`, ""},
		"empty_text":  {`{"content":[{"type":"text","text":""}]}`, "(no output)"},
		"three_words": {`{"content":[{"type":"text","text":"one two three"}]}`, "one two three"},
	}
}

// No result, whatever is in it, is empty to the model or keeps the next prompt from being
// taken; each API is given it in a form it has.
func TestResultsOfEveryKindReachEveryModel(t *testing.T) {
	for _, flavor := range modeltest.Flavors() {
		t.Run(fmt.Sprint(flavor), func(t *testing.T) {
			wild := wildResults(t)
			var tools []string
			results := map[string]string{}
			for name, one := range wild {
				tools, results[name] = append(tools, schema(name, `{"type":"object"}`)), one[0]
			}
			slices.Sort(tools)
			d := modeltest.New(t, flavor)
			w := servertest.NewWorld(t)
			w.User(with(d, servertest.Servers(servertest.M{"s": scripted(t, tools, results)})))
			e := w.Start(servertest.Config{Permit: always("allow_once")})
			e.AwaitState("s", wire.MCPConnected)
			id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
			n := 0
			for name, one := range wild {
				d.Then(modeltest.Use("call_"+name, "mcp__s__"+name, `{}`), modeltest.Say("done"))
				if got := prompt(e, id, "call "+name); got.StopReason != wire.StopEndTurn {
					t.Fatalf("%s: the turn ended with %s", name, got.StopReason)
				}
				n += 2
				if body := string(d.Await(n).Body); one[1] != "" && !strings.Contains(body, one[1]) {
					t.Errorf("%s: the model does not see %s: %.2000s", name, one[1], body[strings.LastIndex(body, "call_"+name):])
				}
			}
			if len(e.Calls(id)) != len(wild) {
				t.Errorf("%d calls", len(e.Calls(id)))
			}
		})
	}
}

// Results of 300 KB and 5 MB are cut for the model, with their beginning and their end,
// and the whole is in a file that the agent can read (crush#3480, forgecode#2281). One of
// 17 MiB, above the SDK's bound, is one failed call; the server goes on (onyx#11007).
func TestHugeResultsAreCutAndKept(t *testing.T) {
	d := modeltest.New(t, modeltest.Anthropic)
	w := servertest.NewWorld(t)
	w.User(with(d, servertest.Servers(servertest.M{"s": faulty(t, "ok")})))
	e := w.Start(servertest.Config{Permit: always("allow_once")})
	pid := e.AwaitState("s", wire.MCPConnected).Pid
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	for i, tt := range []struct {
		size   int
		status wire.ToolCallStatus
	}{{300_000, wire.ToolCompleted}, {5_000_000, wire.ToolCompleted}, {17 << 20, wire.ToolFailed}, {10, wire.ToolCompleted}} {
		d.Then(modeltest.Use(fmt.Sprintf("c%d", i), "mcp__s__big", fmt.Sprintf(`{"n":%d}`, tt.size)), modeltest.Say("done"))
		prompt(e, id, "go")
		call := e.Calls(id)[i]
		if call.Status != tt.status {
			t.Errorf("%d bytes: %s %.300s", tt.size, call.Status, servertest.CallText(call))
		}
		body := d.Await(2*i + 2).Body
		if len(body) > 800_000 {
			t.Errorf("%d bytes: the request has %d", tt.size, len(body))
		}
		if tt.size < 1000 || tt.status == wire.ToolFailed {
			continue
		}
		at := strings.LastIndex(string(body), w.Home)
		if at < 0 {
			t.Errorf("%d bytes: no file is named", tt.size)
			continue
		}
		path, _, _ := strings.Cut(string(body)[at:], `.txt`)
		whole, err := os.ReadFile(path + ".txt")
		if err != nil || len(whole) < tt.size {
			t.Errorf("%d bytes: the whole is not kept: %d bytes, %v", tt.size, len(whole), err)
		}
	}
	if row := e.AwaitState("s", wire.MCPConnected); row.Pid != pid {
		t.Errorf("the server was started again: %d, then %d", pid, row.Pid)
	}
}
