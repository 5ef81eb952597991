package server_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

func providerNamed(t *testing.T, e *servertest.Editor, name string) wire.Provider {
	t.Helper()
	for _, p := range servertest.Call(e, wire.ProvidersList, wire.Empty{}).Providers {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no provider %s", name)
	return wire.Provider{}
}

// A key that is entered in the editor works at once, is in no settings file and in nothing
// that is told, outlives a restart, and is gone when it is removed.
func TestAKeyThatIsEnteredWorksAndIsTold(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f, modeltest.Say("With a key."))
		d.LockList()
		w := servertest.NewWorld(t)
		provider := d.Provider()
		delete(provider, "api_key")
		path := w.User(servertest.M{"model": "test/test-model", "providers": servertest.M{"test": provider}})
		log := filepath.Join(w.UserHome, "log")
		e, p := w.Spawn(servertest.Config{}, "--trace", "--log-file", log)
		if got := providerNamed(t, e, "test"); got.KeyFrom != wire.KeyNone || !got.Configured || got.BaseURL != d.BaseURL() {
			t.Errorf("before: %+v", got)
		}
		test := servertest.Call(e, wire.ProvidersTest, wire.ProviderRef{Provider: "test"})
		if test.OK || test.Error == nil || test.Error.Kind != wire.KindModelAuth || test.Error.Action != wire.ActionEnterKey {
			t.Errorf("without a key: %+v %+v", test, test.Error)
		}
		if got := servertest.Call(e, wire.ProvidersSetKey, wire.ProvidersSetKeyParams{Provider: "test", Key: " " + modeltest.Key + "\n"}); got.KeyFrom != wire.KeyFile {
			t.Errorf("kept in %s", got.KeyFrom)
		}
		if test = servertest.Call(e, wire.ProvidersTest, wire.ProviderRef{Provider: "test"}); !test.OK || !slices.Equal(test.Models, []string{"test-model"}) {
			t.Errorf("with it: %+v %+v", test, test.Error)
		}
		if got := providerNamed(t, e, "test"); got.KeyFrom != wire.KeyFile || !got.Available {
			t.Errorf("after: %+v", got)
		}
		e.Shutdown()
		p.Wait(t)

		e, p = w.Spawn(servertest.Config{}, "--trace", "--log-file", log)
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
		if got := prompt(e, id, "hello"); got.StopReason != wire.StopEndTurn || !strings.Contains(e.Text(id), "With a key.") {
			t.Errorf("after a restart: %+v %q", got, e.Text(id))
		}
		servertest.Call(e, wire.ProvidersRemoveKey, wire.ProviderRef{Provider: "test"})
		if got := providerNamed(t, e, "test"); got.KeyFrom != wire.KeyNone {
			t.Errorf("after it was removed: %+v", got)
		}
		for _, line := range e.MessageLog() {
			if strings.Contains(line, modeltest.Key) && !strings.Contains(line, "setKey") {
				t.Errorf("the editor was told: %s", line)
			}
		}
		e.Shutdown()
		p.Wait(t)
		for _, file := range []string{path, log, filepath.Join(w.Home, "keys.json")} {
			if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), modeltest.Key) {
				t.Errorf("%s holds the key, %v", file, err)
			}
		}
	})
}

// "keychain:<name>" is a kept key by its name; one that is not there says so.
func TestAnEntryNamesAKeptKey(t *testing.T) {
	d := modeltest.New(t, modeltest.OpenAI, modeltest.Say("Hello."))
	w := servertest.NewWorld(t)
	provider := d.Provider()
	provider["api_key"] = "keychain:work"
	w.User(servertest.M{"model": "test/test-model", "providers": servertest.M{"test": provider}})
	e := w.Start(servertest.Config{Locale: "zh-cn"})
	if got := providerNamed(t, e, "test"); got.Available || !strings.Contains(got.Reason, `没有名为 "work" 的密钥`) {
		t.Errorf("before: %+v", got)
	}
	servertest.Call(e, wire.ProvidersSetKey, wire.ProvidersSetKeyParams{Provider: "test", Key: modeltest.Key})
	text, err := os.ReadFile(filepath.Join(w.Home, "keys.json"))
	if err != nil || !strings.Contains(string(text), `"work"`) {
		t.Errorf("kept as %s, %v", text, err)
	}
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	if prompt(e, id, "hello").StopReason != wire.StopEndTurn {
		t.Error("the key does not work")
	}
}

// A well-known provider is usable with nothing but a key, which goes nowhere else.
func TestAKeyMakesAWellKnownProviderUsable(t *testing.T) {
	w := servertest.NewWorld(t)
	e := w.Start(servertest.Config{})
	if got := providerNamed(t, e, "anthropic"); got.Available || got.Configured || got.KeyFrom != wire.KeyNone || got.BaseURL != "https://api.anthropic.com" || got.Reason == "" {
		t.Errorf("before: %+v", got)
	}
	if got := servertest.Call(e, wire.Models, wire.Empty{}); got.Current != "offline" {
		t.Errorf("the model is %s", got.Current)
	}
	servertest.Call(e, wire.ProvidersSetKey, wire.ProvidersSetKeyParams{Provider: "anthropic", Key: "sk-ant-test"})
	if got := providerNamed(t, e, "anthropic"); !got.Available || got.KeyFrom != wire.KeyFile {
		t.Errorf("after: %+v", got)
	}
	if got := servertest.Call(e, wire.Models, wire.Empty{}); !strings.HasPrefix(got.Current, "anthropic/") {
		t.Errorf("the model is %s", got.Current)
	}
	for _, params := range []wire.ProvidersSetKeyParams{{Provider: "nobody", Key: "k"}, {Provider: "anthropic", Key: " "}, {Provider: "anthropic", Key: "a\nb"}} {
		if _, err := servertest.Try(e, wire.ProvidersSetKey, params); err == nil || strings.Contains(err.Error(), "a\nb") {
			t.Errorf("%q: %v", params, err)
		}
	}
}

// What a provider says when it is asked whether it takes the key, told apart.
func TestAProviderThatIsTriedSaysWhatIsWrong(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		kind   wire.ModelErrorKind
	}{
		"no key":     {401, `{"error":{"message":"bad key"}}`, wire.KindModelAuth},
		"no money":   {402, `{"error":{"message":"pay"}}`, wire.KindModelQuota},
		"busy":       {529, `{"error":{"type":"overloaded_error"}}`, wire.KindModelOverloaded},
		"a web page": {200, `<html>welcome</html>`, wire.KindModelError},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			}))
			defer srv.Close()
			w := servertest.NewWorld(t)
			w.User(servertest.M{"providers": servertest.M{"p": servertest.M{"type": "openai", "base_url": srv.URL, "api_key": "some-key-or-other"}}})
			e := w.Start(servertest.Config{})
			got := servertest.Call(e, wire.ProvidersTest, wire.ProviderRef{Provider: "p"})
			if got.OK || got.Error == nil || got.Error.Kind != test.kind || strings.Contains(got.Error.Message+got.Error.ProviderMessage, "some-key-or-other") {
				t.Errorf("got %+v %+v", got, got.Error)
			}
		})
	}
	w := servertest.NewWorld(t)
	w.User(servertest.M{"providers": servertest.M{"p": servertest.M{"type": "anthropic", "base_url": "http://127.0.0.1:1", "api_key": "k"}}})
	e := w.Start(servertest.Config{})
	if got := servertest.Call(e, wire.ProvidersTest, wire.ProviderRef{Provider: "p"}); got.OK || got.Error == nil || got.Error.Kind != wire.KindModelUnreachable {
		t.Errorf("nobody there: %+v %+v", got, got.Error)
	}
}
