package server_test

import (
	"context"
	"encoding/pem"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
	"github.com/codebot-ls/codebot-ls/workspace/assist"
)

// costs are the amounts that usage updates of a session told, in order.
func costs(e *servertest.Editor, id string) []float64 {
	var out []float64
	e.Look(func(s *servertest.State) {
		for _, u := range s.Updates[id] {
			if v, ok := u.(*wire.UsageUpdate); ok && v.Cost != nil {
				out = append(out, v.Cost.Amount)
			}
		}
	})
	return out
}

// What the user writes of a model decides on its window, the length of its answers and
// what a session costs, which goes on counting after a restart.
func TestTheUsersTableOfModelsHolds(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f, modeltest.Say("one"), modeltest.Say("two"))
		w := servertest.NewWorld(t)
		w.User(with(d, servertest.M{"model_info": servertest.M{
			"test-*":          servertest.M{"context_tokens": 1, "price_input": 99},
			"test/test-model": servertest.M{"context_tokens": 64000, "max_tokens": 1234, "price_input": 100000, "price_output": 1000000, "price_cached_read": 10000},
		}}))
		e := w.Start(servertest.Config{})
		var row wire.Model
		for _, m := range servertest.Call(e, wire.Models, wire.Empty{}).Models {
			if m.ID == "test/test-model" {
				row = m
			}
		}
		if row.ContextTokens != 64000 || row.Price == nil || row.Price.Output != 1e6 || row.Price.CachedRead != 1e4 {
			t.Errorf("listed as %+v %+v", row, row.Price)
		}
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
		prompt(e, id, "hi")
		if body := string(d.Requests()[0].Body); !strings.Contains(body, "1234") {
			t.Errorf("the answer is not limited: %s", body)
		}
		// 10 tokens read, 5 of the cache (Anthropic's double: 3 written to it), 7 written.
		want := (10*1e5 + 5*1e4 + 7*1e6) / 1e6
		if f == modeltest.Anthropic {
			want += 3 * 1e5 / 1e6
		}
		same := func(got []float64, want float64) bool {
			return len(got) > 0 && math.Abs(got[len(got)-1]-want) < 1e-9
		}
		if got := costs(e, id); !same(got, want) {
			t.Errorf("the session cost %v, want %v", got, want)
		}
		said := func(command string) string {
			before := len(e.Text(id))
			prompt(e, id, command)
			return e.Text(id)[before:]
		}
		if got := said("/model"); !strings.Contains(got, "`test/test-model` · 64k · $100000 / $1000000") {
			t.Errorf("/model said %q", got)
		}
		if got := said("/context"); !strings.Contains(got, "of 64000 tokens") || !strings.Contains(got, fmt.Sprintf("about $%.4f so far", want)) {
			t.Errorf("/context said %q", got)
		}
		e.Shutdown()
		e = w.Start(servertest.Config{})
		servertest.Call(e, wire.SessionLoad, wire.SessionLoadParams{SessionID: id})
		prompt(e, id, "and again")
		if got := costs(e, id); !same(got, 2*want) {
			t.Errorf("after a restart it cost %v, want %v", got, 2*want)
		}
	})
}

// An overloaded model does not end the work: the other one of the settings answers for
// the rest of the turn, which is said, and the next prompt asks the first again.
func TestAnotherModelStandsInForAnOverloadedOne(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		busy := modeltest.Reply{Status: 429, Header: map[string]string{"Retry-After": "3600"}, Body: `{}`}
		d := modeltest.New(t, f, busy)
		other := modeltest.New(t, modeltest.OpenAI, modeltest.Use("c1", "ls", `{}`), modeltest.Say("done by the other"))
		w := servertest.NewWorld(t)
		settings := with(d, servertest.M{"fallback_model": "other/test-model"})
		settings["providers"].(servertest.M)["other"] = other.Provider()
		w.User(settings)
		e := w.Start(servertest.Config{})
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
		if got := prompt(e, id, "go"); got.StopReason != wire.StopEndTurn || e.Text(id) != "done by the other" {
			t.Errorf("%+v %q", got, e.Text(id))
		}
		if len(d.Requests()) != 1 || len(other.Requests()) != 2 {
			t.Errorf("the first was asked %d times, the other %d times", len(d.Requests()), len(other.Requests()))
		}
		if got := thoughts(e, id); !strings.Contains(got, "test/test-model is overloaded; other/test-model answers this prompt") {
			t.Errorf("the editor was told %q", got)
		}
		d.Then(modeltest.Reply{Thinking: "hm", Signature: "s", Text: []string{"mine again"}})
		prompt(e, id, "and now?")
		if len(d.Requests()) != 2 || !strings.HasSuffix(e.Text(id), "mine again") {
			t.Errorf("the next prompt was not the first's: %q", e.Text(id))
		}

		// What was half said is not said again by another.
		d.Then(modeltest.Reply{Text: []string{"half"}, Cut: true})
		if _, err := begin(context.Background(), e, id, "more")(); modelFailure(t, err).Kind != wire.KindModelStreamCut {
			t.Errorf("%v", err)
		}
		// When both are overloaded, it is told of the one that was asked last.
		d.Then(busy)
		other.Then(busy)
		_, err := begin(context.Background(), e, id, "more")()
		if data := modelFailure(t, err); data.Kind != wire.KindModelOverloaded || !strings.Contains(data.Message, "other/test-model") || data.RetryAt == "" {
			t.Errorf("%+v", data)
		}
	})
}

// A company's proxy puts its own certificate before every address: the sentence says what
// to set, and with that it works.
func TestACertificateThatIsNotTrustedNamesTheSetting(t *testing.T) {
	d := modeltest.New(t, modeltest.OpenAI, modeltest.Say("hello"))
	secure := httptest.NewTLSServer(d)
	defer secure.Close()
	w := servertest.NewWorld(t)
	provider := servertest.M{"type": "openai", "base_url": secure.URL + "/v1", "api_key": modeltest.Key, "models": []string{"test-model"}}
	settings := servertest.M{"model": "test/test-model", "providers": servertest.M{"test": provider}}
	w.User(settings)
	e := w.Start(servertest.Config{})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	_, err := begin(context.Background(), e, id, "hi")()
	if data := modelFailure(t, err); data.Kind != wire.KindModelUnreachable || data.Action != wire.ActionOpenSettings || !strings.Contains(data.Message, `"ca_file"`) {
		t.Errorf("%+v", data)
	}
	available := func() wire.Model {
		for _, m := range servertest.Call(e, wire.Models, wire.Empty{}).Models {
			if m.ID == "test/test-model" {
				return m
			}
		}
		return wire.Model{}
	}
	provider["ca_file"] = "company.pem" // below the user's home
	w.User(settings)
	servertest.Poll(t, "the missing file to be told", func() bool {
		m := available()
		return !m.Available && strings.Contains(m.Reason, "company.pem")
	})
	file := filepath.Join(w.UserHome, "company.pem")
	if err := os.WriteFile(file, []byte("not a certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	if m := available(); !strings.Contains(m.Reason, "PEM") {
		t.Errorf("a file without certificates: %+v", m)
	}
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := prompt(e, id, "hi again"); got.StopReason != wire.StopEndTurn || e.Text(id) != "hello" {
		t.Errorf("%+v %q", got, e.Text(id))
	}
	if tested := servertest.Call(e, wire.ProvidersTest, wire.ProviderRef{Provider: "test"}); !tested.OK {
		t.Errorf("the test of the provider: %+v", tested.Error)
	}
}

// The variables of a proxy are honoured, and one that wants a login is not taken for the
// provider: 407 is told with the way out, over plain HTTP and in front of TLS.
func TestAProxyIsUsedAndItsRefusalIsTold(t *testing.T) {
	d := modeltest.New(t, modeltest.OpenAI, modeltest.Say("through the proxy"))
	var closed atomic.Bool
	var asked atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if closed.Load() || r.Method == http.MethodConnect {
			w.Header().Set("Proxy-Authenticate", "Basic")
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		if r.URL.Host != "models.example.test" {
			t.Errorf("the proxy was asked for %s", r.URL)
		}
		d.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	w := servertest.NewWorld(t)
	w.Env = append(w.Env, "HTTP_PROXY="+proxy.URL, "HTTPS_PROXY="+proxy.URL, "CODEBOT_LOCAL_MODELS=off")
	at := func(base string) servertest.M {
		return servertest.M{"type": "openai", "base_url": base, "api_key": modeltest.Key, "models": []string{"test-model"}}
	}
	w.User(servertest.M{"model": "plain/test-model", "providers": servertest.M{
		"plain": at("http://models.example.test/v1"), "secure": at("https://models.example.test/v1"),
	}})
	e, p := w.Spawn(servertest.Config{}) // a process reads the variables once
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	if got := prompt(e, id, "hi"); got.StopReason != wire.StopEndTurn || e.Text(id) != "through the proxy" {
		t.Errorf("%+v %q", got, e.Text(id))
	}
	closed.Store(true)
	for _, model := range []string{"plain/test-model", "secure/test-model"} {
		servertest.Call(e, wire.SessionSetModel, wire.SessionSetModelParams{SessionID: id, ModelID: model})
		before := asked.Load()
		_, err := begin(context.Background(), e, id, "hi")()
		data := modelFailure(t, err)
		if data.Kind != wire.KindModelUnreachable || data.Action != wire.ActionOpenSettings || !strings.Contains(data.Message, "proxy") || !strings.Contains(data.Message, "HTTPS_PROXY") {
			t.Errorf("%s: %+v", model, data)
		}
		if n := asked.Load() - before; n != 1 {
			t.Errorf("%s: the proxy was asked %d times", model, n)
		}
	}
	e.Shutdown()
	p.Wait(t)
}

// The window that a program on this machine gave a model is asked for, so that the
// conversation stays within it: ollama would cut its beginning off without a word.
func TestTheWindowOfALocalModelIsKept(t *testing.T) {
	d := modeltest.New(t, modeltest.OpenAI)
	d.Improvise(func(r modeltest.Request) modeltest.Reply {
		if !strings.Contains(string(r.Body), `"tools"`) {
			return modeltest.Say("They counted.")
		}
		if strings.HasSuffix(strings.TrimRight(string(r.Body), "}]"), `count"`) {
			return bash("seq 1 2000")
		}
		return modeltest.Say("Counted.")
	})
	w := servertest.NewWorld(t)
	w.User(with(d, nil))
	e := w.Start(servertest.Config{})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: "auto"}).SessionID
	d.Answer("/api/ps", `{"models":[{"name":"test-model","context_length":4096}]}`)
	prompt(e, id, "count")
	window := func() int {
		return servertest.Call(e, wire.SessionContext, wire.SessionContextParams{SessionID: id}).ContextTokens
	}
	servertest.Poll(t, "the window to be known now that the model is loaded", func() bool { return window() == 4096 })
	for range 3 {
		if got := prompt(e, id, "count"); got.StopReason != wire.StopEndTurn {
			t.Fatalf("%+v", got)
		}
	}
	if got := thoughts(e, id); !strings.Contains(got, "The conversation was made smaller") {
		t.Errorf("the editor was told %q", got)
	}
}

// The settings' own look at a file knows every provider that needs no entry.
func TestTheSettingsKnowTheImpliedProviders(t *testing.T) {
	names := []string{model.TypeAnthropic, model.TypeOpenAI, "local"}
	for _, l := range model.WellKnown() {
		names = append(names, l.Name)
	}
	slices.Sort(names)
	if got := slices.Sorted(slices.Values(assist.ImpliedProviders)); !slices.Equal(got, names) {
		t.Errorf("they are %v, want %v", got, names)
	}
}
