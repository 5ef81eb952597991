package model

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/codebot-ls/codebot-ls/session/model/endpoint"
)

// What a model's name does not tell, a program on this machine may: how large a window
// it gave the model. That is often far less than the model could have, and some cut the
// beginning off a longer prompt without a word (ollama: 4096 tokens unless told otherwise),
// so that the conversation has to be kept within it.

// windowFresh is how long a window is believed, or that nobody knows it: a model may be
// loaded anew with another.
const windowFresh = time.Minute

type windowKey struct{ baseURL, name string }

type window struct {
	tokens int
	asked  time.Time
	missed int // how often nobody knew after an answer
}

// maxMissed is how often an endpoint is asked after an answer before it is taken for one
// that does not know.
const maxMissed = 3

// Window is the size of the window that an endpoint on this machine has given a model, in
// tokens; 0 when that is not known. It asks nobody.
func (p *Prober) Window(baseURL, name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.windows[windowKey{baseURL, name}].tokens
}

// LearnWindow asks an endpoint on this machine for the window of a model, unless it was
// asked a moment ago. It takes no longer than 300 ms. Endpoints elsewhere are not asked.
// answered says that the model has just answered, so it is loaded now: what was not known
// before may be.
func (p *Prober) LearnWindow(ctx context.Context, t Target, name string, answered bool) {
	if !endpoint.IsLoopback(t.BaseURL) {
		return
	}
	key := windowKey{t.BaseURL, name}
	p.mu.Lock()
	w := p.windows[key]
	again := answered && w.tokens == 0 && w.missed < maxMissed
	if time.Since(w.asked) < windowFresh && !again {
		p.mu.Unlock()
		return
	}
	w.asked = time.Now()
	if answered {
		w.missed++
	}
	if p.windows == nil {
		p.windows = map[windowKey]window{}
	}
	p.windows[key] = w
	p.mu.Unlock()
	if tokens := askWindow(ctx, t, name); tokens > 0 {
		p.mu.Lock()
		p.windows[key] = window{tokens: tokens, asked: w.asked}
		p.mu.Unlock()
	}
}

// askWindow asks in the ways of all the programs there are, side by side; 0 when none
// answers.
func askWindow(ctx context.Context, t Target, name string) int {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	base, err := url.Parse(strings.TrimRight(t.BaseURL, "/"))
	if err != nil {
		return 0
	}
	root := url.URL{Scheme: base.Scheme, Host: base.Host}
	ways := []struct {
		url  string
		read func([]byte, string) int
	}{
		{root.JoinPath("api", "ps").String(), windowOfOllama},
		{root.JoinPath("api", "v0", "models").String(), windowOfLMStudio},
		{root.JoinPath("props").String(), windowOfLlamaCPP},
		{base.JoinPath("models").String(), windowOfList},
	}
	tokens := make([]int, len(ways))
	var wg sync.WaitGroup
	for i, way := range ways {
		wg.Go(func() { tokens[i] = way.read(getSmall(ctx, way.url, t.Key), name) })
	}
	wg.Wait()
	for _, n := range tokens {
		if n > 0 {
			return n
		}
	}
	return 0
}

// getSmall reads an answer, nil when there is none.
func getSmall(ctx context.Context, address, key string) []byte {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := probeClient.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxProbe))
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil
	}
	return body
}

// windowOfOllama reads which models are loaded (https://docs.ollama.com/api/ps).
func windowOfOllama(body []byte, name string) int {
	var list struct {
		Models []struct {
			Name, Model string
			Context     int `json:"context_length"`
		}
	}
	if json.Unmarshal(body, &list) != nil {
		return 0
	}
	for _, m := range list.Models {
		if m.Name == name || m.Model == name || strings.TrimSuffix(m.Name, ":latest") == name {
			return m.Context
		}
	}
	return 0
}

// windowOfLMStudio reads LM Studio's own list (https://lmstudio.ai/docs/developer/rest).
func windowOfLMStudio(body []byte, name string) int {
	var list struct {
		Data []struct {
			ID     string
			Loaded int `json:"loaded_context_length"`
		}
	}
	if json.Unmarshal(body, &list) != nil {
		return 0
	}
	for _, m := range list.Data {
		if m.ID == name {
			return m.Loaded
		}
	}
	return 0
}

// windowOfLlamaCPP reads what each request of llama.cpp's server gets.
func windowOfLlamaCPP(body []byte, _ string) int {
	var props struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if json.Unmarshal(body, &props) != nil {
		return 0
	}
	return props.Settings.Context
}

// windowOfList reads what vLLM and others put into the list of models.
func windowOfList(body []byte, name string) int {
	var list struct {
		Data []struct {
			ID      string
			Max     int `json:"max_model_len"`
			Context int `json:"context_length"`
		}
	}
	if json.Unmarshal(body, &list) != nil {
		return 0
	}
	for _, m := range list.Data {
		if m.ID == name {
			return max(m.Max, m.Context)
		}
	}
	return 0
}
