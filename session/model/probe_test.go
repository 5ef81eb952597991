package model

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func modelList(t *testing.T, body string, asked *atomic.Int32) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path != "/v1/models" || r.Method != http.MethodGet {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, body)
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1"
}

func TestTheMachineIsAskedOnceAndNotForLong(t *testing.T) {
	var asked, silentAsked atomic.Int32
	good := modelList(t, `{"object":"list","data":[{"id":"qwen3:8b"},{"id":"nomic-embed-text"},{"id":"gemma3"}]}`, &asked)
	page := modelList(t, `<html><body>my app</body></html>`, &asked)
	other := modelList(t, `{"data":[{"id":"x","owned_by":"somebody"}]}`, &asked)
	gone := httptest.NewServer(http.NotFoundHandler())
	goneURL := gone.URL + "/v1"
	gone.Close()
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { silentAsked.Add(1); <-release }))
	defer silent.Close()
	defer close(release)

	var p Prober
	targets := []Target{
		{BaseURL: good}, {BaseURL: page}, {BaseURL: other, owner: "llamacpp"}, {BaseURL: goneURL}, {BaseURL: silent.URL},
		{BaseURL: "http://models.example.test/v1", Key: "k"}, // not on this machine: never asked
	}
	begin := time.Now()
	found := p.Probe(context.Background(), targets)
	if took := time.Since(begin); took > 10*probeTimeout {
		t.Errorf("it took %v", took)
	}
	if got := found[good].Models; !slices.Equal(got, []string{"gemma3", "qwen3:8b"}) {
		t.Errorf("models %v", got)
	}
	for name, url := range map[string]string{"a web page": page, "another program's list": other, "nobody": goneURL, "a silent one": silent.URL} {
		if f := found[url]; f.Problem.IsZero() || len(f.Models) > 0 || !strings.Contains(f.Problem.String(), url) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if _, ok := found["http://models.example.test/v1"]; ok {
		t.Error("an address elsewhere was asked")
	}
	before := asked.Load() + silentAsked.Load()
	again := p.Probe(context.Background(), targets)
	if n := asked.Load() + silentAsked.Load(); n != before || len(again) != len(found) {
		t.Errorf("asked %d times more", n-before)
	}
}

func TestAProbeFollowsNoRedirect(t *testing.T) {
	var asked atomic.Int32
	elsewhere := modelList(t, `{"data":[{"id":"x"}]}`, &asked)
	srv := httptest.NewServer(http.RedirectHandler(elsewhere+"/models", http.StatusFound))
	defer srv.Close()
	var p Prober
	found := p.Probe(context.Background(), []Target{{BaseURL: srv.URL, Key: "k"}})
	if asked.Load() != 0 || found[srv.URL].Problem.IsZero() {
		t.Errorf("asked %d, found %+v", asked.Load(), found)
	}
}
