package model

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// opencode#10759: nobody knows the window of a model on this machine, and the program
// cuts off what is too long without a word. Each of them tells it, in its own way.
func TestProgramsOnThisMachineTellTheWindow(t *testing.T) {
	for name, c := range map[string]struct {
		path, body string
		want       int
	}{
		"ollama":           {"/api/ps", `{"models":[{"name":"other:1b","context_length":1},{"name":"m:latest","model":"m:latest","context_length":4096}]}`, 4096},
		"ollama, unloaded": {"/api/ps", `{"models":[]}`, 0},
		"LM Studio":        {"/api/v0/models", `{"data":[{"id":"m","max_context_length":131072,"loaded_context_length":8192,"state":"loaded"}]}`, 8192},
		"not loaded there": {"/api/v0/models", `{"data":[{"id":"m","max_context_length":131072,"state":"not-loaded"}]}`, 0},
		"llama.cpp":        {"/props", `{"default_generation_settings":{"n_ctx":16384,"params":{}}}`, 16384},
		"vLLM":             {"/v1/models", `{"data":[{"id":"m","max_model_len":32768}]}`, 32768},
		"nonsense":         {"/props", `<html>`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				if r.URL.Path != c.path || r.Method != http.MethodGet {
					http.NotFound(w, r)
					return
				}
				fmt.Fprint(w, c.body)
			}))
			defer srv.Close()
			var p Prober
			target := Target{BaseURL: srv.URL + "/v1"}
			for range 2 {
				p.LearnWindow(context.Background(), target, "m", false)
			}
			if got := p.Window(target.BaseURL, "m"); got != c.want || asked.Load() != 4 {
				t.Errorf("the window is %d, want %d; asked %d times", got, c.want, asked.Load())
			}
			p.LearnWindow(context.Background(), Target{BaseURL: "http://models.example.test/v1"}, "m", true) // never asked: it would take long
		})
	}
}
