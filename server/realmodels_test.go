package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// The stage is the real wire on both sides: a fake editor before the server, a strict
// double of a provider behind it, real MCP servers beside it.

// flavors runs a test with a double of each protocol.
func flavors(t *testing.T, test func(t *testing.T, f modeltest.Flavor)) {
	for _, f := range modeltest.Flavors() {
		t.Run(string(f), func(t *testing.T) { test(t, f) })
	}
}

// with are settings that choose the double, and more.
func with(d *modeltest.Double, more servertest.M) servertest.M {
	settings := servertest.M{"model": "test/test-model", "providers": servertest.M{"test": d.Provider()}}
	for k, v := range more {
		settings[k] = v
	}
	return settings
}

// begin sends a prompt and returns at once.
func begin(ctx context.Context, e *servertest.Editor, session, text string) func() (wire.SessionPromptResult, error) {
	return servertest.Start(ctx, e, wire.SessionPrompt, wire.SessionPromptParams{SessionID: session, Prompt: []wire.ContentBlock{wire.TextBlock(text)}})
}

func bash(command string) modeltest.Reply {
	args, _ := json.Marshal(servertest.M{"command": command})
	return modeltest.Use("call_1", "bash", string(args))
}

var marks = regexp.MustCompile(`,"cache_control":\{"type":"ephemeral"\}`)

// field is the raw value of a field of a request, cache marks taken out, under whatever
// name the protocol has for it.
func field(t *testing.T, r modeltest.Request, name string) string {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(marks.ReplaceAll(r.Body, nil), &all); err != nil {
		t.Fatal(err)
	}
	if other := map[string]string{"messages": "input", "system": "instructions"}[name]; all[other] != nil {
		name = other
	}
	return string(all[name])
}

// continues checks that the messages of a request begin with those of the one before.
// The system prompt, which stands among the messages of one provider, is left out.
func continues(t *testing.T, before, now modeltest.Request) {
	t.Helper()
	messages := func(r modeltest.Request) string {
		var all []json.RawMessage
		if err := json.Unmarshal([]byte(field(t, r, "messages")), &all); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(all[0]), `{"role":"system"`) {
			all = all[1:]
		}
		var b strings.Builder
		for _, m := range all {
			b.Write(m)
			b.WriteByte(',')
		}
		return b.String()
	}
	a, b := strings.TrimSuffix(messages(before), ","), messages(now)
	if !strings.HasPrefix(b, a+",") {
		t.Errorf("the messages\n%s\ndo not go on from\n%s", b, a)
	}
}

// The main job on a model's real wire: it discovers the tools of real MCP servers,
// calls one, and answers; the second request repeats the first's bytes.
func TestARealModelDoesTheMainJob(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f,
			modeltest.Reply{Thinking: "I should search.", Signature: "sig", Text: []string{"Let me ", "look."}, Calls: []modeltest.Call{{ID: "c1", Name: "mcp__docs__search", Args: []string{`{"que`, `ry":"worktree"}`}}}},
			modeltest.Say("There are ", "three."))
		w := servertest.NewWorld(t)
		w.User(with(d, servertest.Servers(servertest.M{"docs": servertest.Demo("docs"), "deploy": servertest.Demo("deploy")})))
		e := w.Start(servertest.Config{})
		ready(t, e)
		made := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{})
		if made.Model != "test/test-model" {
			t.Errorf("the model is %q", made.Model)
		}
		result := prompt(e, made.SessionID, "How are worktrees cleaned up?")
		if result.StopReason != wire.StopEndTurn || result.Usage == nil || result.Usage.OutputTokens != 14 || result.Usage.CachedReadTokens == nil || *result.Usage.CachedReadTokens != 10 {
			t.Errorf("the prompt answered %+v %+v", result, result.Usage)
		}
		if got := e.Text(made.SessionID); got != "Let me look.There are three." {
			t.Errorf("the agent said %q", got)
		}
		calls := e.Calls(made.SessionID)
		if len(calls) != 1 || calls[0].Status != wire.ToolCompleted || !strings.Contains(servertest.CallText(calls[0]), "[docs] Found 3 results for 'worktree'") {
			t.Errorf("calls %+v", calls)
		}
		requests := d.Requests()
		if len(requests) != 2 {
			t.Fatalf("%d requests", len(requests))
		}
		if a, b := strings.TrimSuffix(field(t, requests[0], "messages"), "]"), field(t, requests[1], "messages"); !strings.HasPrefix(b, a+",") {
			t.Error("the messages do not begin with the same bytes")
		}
		for _, name := range []string{"tools", "system"} {
			if a, b := field(t, requests[0], name), field(t, requests[1], name); a != b {
				t.Errorf("%s changed", name)
			}
		}
		continues(t, requests[0], requests[1])
		tools := requests[0].Tools(t)
		first := slices.IndexFunc(tools, func(name string) bool { return strings.HasPrefix(name, "mcp__") })
		if first < 7 || !slices.Equal(tools[first:], []string{"mcp__deploy__status", "mcp__deploy__trigger", "mcp__docs__get_version", "mcp__docs__search"}) {
			t.Errorf("the tools are %v", tools)
		}
		if f == modeltest.Anthropic {
			if n := len(marks.FindAll(requests[0].Body, -1)); n != 4 {
				t.Errorf("%d cache marks", n)
			}
			if i := slices.Index(tools, "bash"); i < 0 || !strings.Contains(field(t, requests[1], "messages"), `"signature":"sig"`) {
				t.Error("bash or the thinking is missing")
			}
		}
	})
}

// A running turn is not cut by a save, and its next model request has the new tools.
func TestARunningTurnGetsTheNewTools(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		w := servertest.NewWorld(t)
		fifo := filepath.Join(w.Folder, "gate")
		if err := makeFIFO(fifo); err != nil {
			t.Skip(err)
		}
		d := modeltest.New(t, f, bash("cat gate"), modeltest.Say("Now I see them."))
		w.User(with(d, nil))
		e := w.Start(servertest.Config{})
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: "auto"}).SessionID
		wait := begin(context.Background(), e, id, "go")
		e.Await("bash to run", running(id))
		before := d.Await(1)
		if slices.Contains(before.Tools(t), "mcp__docs__search") {
			t.Fatal("the tool is there already")
		}

		w.User(with(d, servertest.Servers(servertest.M{"docs": servertest.Demo("docs")})))
		e.AwaitState("docs", wire.MCPConnected)
		if err := os.WriteFile(fifo, []byte("opened"), 0); err != nil {
			t.Fatal(err)
		}
		result, err := wait()
		if err != nil || result.StopReason != wire.StopEndTurn {
			t.Fatalf("the turn was cut: %+v %v", result, err)
		}
		after := d.Await(2)
		if !slices.Contains(after.Tools(t), "mcp__docs__search") {
			t.Errorf("the next request offers %v", after.Tools(t))
		}
		continues(t, before, after)
		if calls := e.Calls(id); len(calls) != 1 || calls[0].Status != wire.ToolCompleted || !strings.Contains(servertest.CallText(calls[0]), "opened") {
			t.Errorf("the call: %+v", calls)
		}
	})
}

// running says that a tool of the session runs.
func running(id string) func(*servertest.State) bool {
	return func(s *servertest.State) bool {
		return slices.ContainsFunc(s.Updates[id], func(u wire.SessionUpdateVariant) bool {
			p, ok := u.(*wire.ToolCallProgress)
			return ok && p.Status == wire.ToolInProgress
		})
	}
}

// claude-code#3003, opencode#21326: stop at every stage is heard at once, and the next
// prompt is one the provider takes.
func TestStopAtEveryStageKeepsTheChatAlive(t *testing.T) {
	never := make(chan struct{})
	updated := func(is func(wire.SessionUpdateVariant) bool) func(string) func(*servertest.State) bool {
		return func(id string) func(*servertest.State) bool {
			return func(s *servertest.State) bool { return slices.ContainsFunc(s.Updates[id], is) }
		}
	}
	stages := []struct {
		name  string
		reply modeltest.Reply
		mode  string
		there func(id string) func(*servertest.State) bool
	}{
		{"before the first byte", modeltest.Reply{Raw: []string{}, Hold: never}, "", nil},
		{"while text streams", modeltest.Reply{Text: []string{"half a"}, Hold: never}, "", updated(func(u wire.SessionUpdateVariant) bool {
			_, ok := u.(*wire.AgentMessageChunk)
			return ok
		})},
		{"while arguments stream", modeltest.Reply{Text: []string{"I call"}, Calls: []modeltest.Call{{ID: "c1", Name: "bash", Args: []string{`{"comm`}}}, Hold: never}, "", updated(func(u wire.SessionUpdateVariant) bool {
			_, ok := u.(*wire.ToolCallStart)
			return ok
		})},
		{"while a tool runs", bash("sleep 600"), "auto", running},
		{"while a question is open", bash("touch x"), "", func(string) func(*servertest.State) bool {
			return func(s *servertest.State) bool { return len(s.Asked) == 1 }
		}},
		{"while it waits to try again", modeltest.Reply{Status: 429, Header: map[string]string{"Retry-After": "50"}, Body: `{}`}, "", updated(func(u wire.SessionUpdateVariant) bool {
			c, ok := u.(*wire.AgentThoughtChunk)
			return ok && strings.Contains(*c.Content.Text, "rate limit")
		})},
	}
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		for _, stage := range stages {
			t.Run(stage.name, func(t *testing.T) {
				if runtime.GOOS == "windows" && strings.Contains(stage.name, "tool") {
					t.Skip("no sleep in its shell")
				}
				d := modeltest.New(t, f, stage.reply)
				w := servertest.NewWorld(t)
				w.User(with(d, nil))
				e := w.Start(servertest.Config{Permit: func(ctx context.Context, _ wire.RequestPermissionParams) string {
					<-ctx.Done()
					return ""
				}})
				id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: stage.mode}).SessionID
				wait := begin(context.Background(), e, id, "go")
				d.Await(1)
				if stage.reply.Hold != nil {
					d.AwaitHeld(1)
				}
				if stage.there != nil {
					e.Await(stage.name, stage.there(id))
				}
				begun := time.Now()
				e.Notify(wire.SessionCancel.Name, wire.SessionCancelParams{SessionID: id})
				result, err := wait()
				took := time.Since(begun)
				t.Logf("cancel to answer: %v", took)
				if err != nil || result.StopReason != wire.StopCancelled {
					t.Errorf("%+v %v", result, err)
				}
				if took > cancelBound {
					t.Errorf("it took %v", took)
				}
				if stage.reply.Hold != nil {
					d.AwaitGone(1)
				}
				for _, c := range e.Calls(id) {
					if c.Status != wire.ToolFailed {
						t.Errorf("a call was left %s", c.Status)
					}
				}
				d.Then(modeltest.Use("c1", "ls", `{}`), modeltest.Say("fine"))
				if got := prompt(e, id, "and now?"); got.StopReason != wire.StopEndTurn {
					t.Errorf("the next prompt: %+v", got)
				}
			})
		}
	})
}

// A crash in the middle of a tool loses nothing that was seen, and the next process
// goes on with a history that the provider takes.
func TestACrashedChatGoesOn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sleep in its shell")
	}
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f, modeltest.Reply{Text: []string{"I run two."}, Calls: []modeltest.Call{
			{ID: "c1", Name: "ls", Args: []string{`{}`}}, {ID: "c2", Name: "bash", Args: []string{`{"command":"sleep 600"}`}},
		}})
		w := servertest.NewWorld(t)
		w.User(with(d, nil))
		e, p := w.Spawn(servertest.Config{})
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: "auto"}).SessionID
		ctx, forget := context.WithCancel(context.Background())
		begin(ctx, e, id, "go")
		e.Await("bash to run", func(s *servertest.State) bool {
			n := 0
			for _, u := range s.Updates[id] {
				if p, ok := u.(*wire.ToolCallProgress); ok && p.Status == wire.ToolInProgress {
					n++
				}
			}
			return n == 2
		})
		if err := p.Cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		p.Wait(t)
		forget()

		e = w.Start(servertest.Config{})
		loaded := servertest.Call(e, wire.SessionLoad, wire.SessionLoadParams{SessionID: id})
		if loaded.Model != "test/test-model" {
			t.Errorf("loaded %+v", loaded)
		}
		d.Then(modeltest.Say("Both are over."))
		if got := prompt(e, id, "what came of it?"); got.StopReason != wire.StopEndTurn {
			t.Errorf("the next prompt: %+v", got)
		}
		continues(t, d.Requests()[0], d.Requests()[1])
	})
}

// A failure of the model has its kind, a way out and the provider's words; the prompt
// is kept, so that a next one needs not repeat it.
func TestAModelsFailureIsToldWithTheWayOut(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		for _, test := range []struct {
			reply  modeltest.Reply
			kind   wire.ModelErrorKind
			action wire.ModelAction
		}{
			{modeltest.Reply{Status: 401, Body: `{"error":{"type":"authentication_error","message":"bad ` + modeltest.Key + `"}}`}, wire.KindModelAuth, wire.ActionEnterKey},
			{modeltest.Reply{Status: 402, Body: `{"error":{"message":"pay"}}`}, wire.KindModelQuota, wire.ActionChooseModel},
			{modeltest.Reply{Status: 404, Body: `{"error":{"type":"not_found_error","message":"no"}}`}, wire.KindModelNotFound, wire.ActionChooseModel},
			{modeltest.Reply{Status: 413, Body: `{}`}, wire.KindModelTooLong, wire.ActionCompact},
			{modeltest.Reply{Status: 429, Header: map[string]string{"Retry-After": "3600"}, Body: `{}`}, wire.KindModelOverloaded, wire.ActionRetry},
			{modeltest.Reply{Text: []string{"half"}, Cut: true}, wire.KindModelStreamCut, wire.ActionRetry},
			{modeltest.Reply{Status: 400, Body: `{"error":{"message":"odd"}}`}, wire.KindModelError, wire.ActionRetry},
		} {
			t.Run(string(test.kind), func(t *testing.T) {
				d := modeltest.New(t, f, test.reply, modeltest.Say("fine"))
				w := servertest.NewWorld(t)
				w.User(with(d, nil))
				e := w.Start(servertest.Config{})
				id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
				_, err := begin(context.Background(), e, id, "my precious prompt")()
				data := modelFailure(t, err)
				if data.Kind != test.kind || data.Action != test.action || !strings.Contains(data.Message, "test/test-model") {
					t.Errorf("%+v", data)
				}
				if strings.Contains(err.Error()+data.ProviderMessage, modeltest.Key) {
					t.Errorf("the key is told: %v %+v", err, data)
				}
				if test.kind == wire.KindModelOverloaded && data.RetryAt == "" {
					t.Error("no time to try again")
				}
				if got := prompt(e, id, "again"); got.StopReason != wire.StopEndTurn {
					t.Errorf("%+v", got)
				}
				if !strings.Contains(string(d.Await(2).Body), "my precious prompt") {
					t.Error("the prompt that failed is lost")
				}
			})
		}
	})
}

// modelFailure is the data of a prompt's error.
func modelFailure(t *testing.T, err error) wire.ModelError {
	t.Helper()
	rpcErr, ok := errors.AsType[*jsonrpc2.Error](err)
	if !ok {
		t.Fatalf("not an error of the wire: %v", err)
	}
	var data wire.ModelError
	if int(rpcErr.Code) != wire.CodeActionFailed || json.Unmarshal(rpcErr.Data, &data) != nil {
		t.Fatalf("no data: %v", err)
	}
	return data
}

// A session whose key is missing opens, says what is missing when it is asked, and
// works as soon as the settings have it: nobody has to start anew.
func TestAKeyThatIsEnteredLaterWorksInTheSameSession(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f, modeltest.Say("hello"))
		w := servertest.NewWorld(t)
		broken := d.Provider()
		broken["api_key"] = "${A_KEY_THAT_IS_NOT_SET}"
		w.User(servertest.M{"model": "test/test-model", "providers": servertest.M{"test": broken}})
		e := w.Start(servertest.Config{})
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
		_, err := begin(context.Background(), e, id, "hi")()
		if data := modelFailure(t, err); data.Kind != wire.KindModelAuth || data.Action != wire.ActionEnterKey || !strings.Contains(data.Message, "A_KEY_THAT_IS_NOT_SET") {
			t.Errorf("%+v", data)
		}
		w.User(with(d, nil))
		servertest.Poll(t, "the key to be taken", func() bool {
			for _, m := range servertest.Call(e, wire.Models, wire.Empty{}).Models {
				if m.ID == "test/test-model" {
					return m.Available
				}
			}
			return false
		})
		if got := prompt(e, id, "hi again"); got.StopReason != wire.StopEndTurn || e.Text(id) != "hello" {
			t.Errorf("%+v %q", got, e.Text(id))
		}
	})
}

// codebot/models says of each model why it cannot be used, and what would be chosen.
func TestModelsSayWhyTheyCannotBeUsed(t *testing.T) {
	d := modeltest.New(t, modeltest.OpenAI)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	w := servertest.NewWorld(t)
	w.Env = append(w.Env, "CODEBOT_LOCAL_MODELS="+d.BaseURL()+","+gone.URL+"/v1")
	w.User(servertest.M{"providers": servertest.M{
		"unset":  servertest.M{"type": "openai", "base_url": "https://models.example.test/v1", "api_key": "${NO_SUCH_KEY}", "models": []string{"m"}},
		"chain":  servertest.M{"type": "anthropic", "api_key": "keychain:anthropic", "models": []string{"m"}},
		"off":    servertest.M{"type": "openai", "base_url": gone.URL + "/v1", "models": []string{"m"}},
		"scheme": servertest.M{"type": "openai", "base_url": "file:///etc/passwd", "models": []string{"m"}},
	}})
	e := w.Start(servertest.Config{})
	models := servertest.Call(e, wire.Models, wire.Empty{})
	if models.Current != "local/test-model" {
		t.Errorf("the default is %q", models.Current)
	}
	reasons := map[string]string{}
	for _, m := range models.Models {
		reasons[m.ID] = m.Reason
		if m.Available == (m.Reason != "") {
			t.Errorf("%+v", m)
		}
	}
	for id, want := range map[string]string{
		"offline": "", "local/test-model": "", "unset/m": "NO_SUCH_KEY", "chain/m": "kept under", "off/m": "nothing answers", "scheme/m": "base_url",
		"openai/gpt-5.6-terra": "OPENAI_API_KEY",
	} {
		reason, ok := reasons[id]
		if !ok || (want == "") != (reason == "") || !strings.Contains(reason, want) {
			t.Errorf("%s: %q, want %q; all: %v", id, reason, want, reasons)
		}
	}
	if made := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}); made.Model != models.Current {
		t.Errorf("a new session has %q", made.Model)
	}
}

// Keys that are in the environment reach their own providers alone: no other base
// URL, whatever other variables say; no command, no MCP server, no log, no trace, no
// file. The key of the settings reaches its base URL and nothing else.
func TestNoKeyLeavesItsAddress(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		const plantedA, plantedO = "sk-ant-planted-0123456789", "sk-planted-9876543210abc"
		var trapped atomic.Int32
		trap := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { trapped.Add(1) }))
		defer trap.Close()
		d := modeltest.New(t, f, bash("env"), modeltest.Say("done"), modeltest.Reply{Status: 307, Header: map[string]string{"Location": trap.URL}})
		w := servertest.NewWorld(t)
		w.Env = append(w.Env, "ANTHROPIC_API_KEY="+plantedA, "OPENAI_API_KEY="+plantedO, "MY_MODEL_ACCESS="+modeltest.Key, "CODEBOT_LOCAL_MODELS=off",
			"ANTHROPIC_BASE_URL="+trap.URL, "OPENAI_BASE_URL="+trap.URL, "ANTHROPIC_AUTH_TOKEN="+plantedA, "OPENAI_ORG_ID=org-planted")
		provider := d.Provider()
		provider["api_key"] = "${MY_MODEL_ACCESS}"
		dump := filepath.Join(w.UserHome, "mcp-env")
		docs := servertest.Demo("docs")
		docs["args"] = []string{"-c", fmt.Sprintf("env > %s; exec %s", dump, docs["command"])}
		docs["command"] = "sh"
		w.User(servertest.M{"model": "test/test-model", "providers": servertest.M{"test": provider}, "mcp_servers": servertest.M{"docs": docs}})
		logFile := filepath.Join(w.UserHome, "log")
		e, p := w.Spawn(servertest.Config{}, "serve", "--trace", "--log-file", logFile)
		e.AwaitState("docs", wire.MCPConnected)
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: "auto"}).SessionID
		prompt(e, id, "print the environment")
		servertest.Call(e, wire.Models, wire.Empty{})
		if _, err := begin(context.Background(), e, id, "again")(); err == nil {
			t.Error("a redirect was followed")
		}
		e.Shutdown()
		p.Wait(t)

		if trapped.Load() != 0 {
			t.Errorf("another base URL was asked %d times", trapped.Load())
		}
		for i, r := range d.Requests() {
			headers, _ := json.Marshal(r.Header)
			for _, planted := range []string{plantedA, plantedO, "org-planted"} {
				if strings.Contains(string(headers)+string(r.Body), planted) {
					t.Errorf("request %d carries %s", i+1, planted)
				}
			}
			if strings.Contains(string(r.Body), modeltest.Key) {
				t.Errorf("the body of request %d has the key", i+1)
			}
		}
		secrets := []string{plantedA, plantedO, modeltest.Key}
		for _, line := range e.MessageLog() {
			for _, s := range secrets {
				if strings.Contains(line, s) {
					t.Errorf("the editor was told a key: %.300s", line)
				}
			}
		}
		files := 0
		err := filepath.WalkDir(w.UserHome, func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			files++
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, s := range secrets {
				if strings.Contains(string(raw), s) {
					t.Errorf("%s holds a key", path)
				}
			}
			return nil
		})
		if err != nil || files < 4 { // settings, log, the child's environment, a journal
			t.Errorf("%d files were looked at, %v", files, err)
		}
		if stderr := p.Stderr(); strings.Contains(stderr, plantedA) || strings.Contains(stderr, modeltest.Key) {
			t.Errorf("stderr has a key:\n%s", stderr)
		}
	})
}
