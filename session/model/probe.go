package model

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/model/endpoint"
)

// The bounds of looking for models on this machine.
const (
	probeTimeout = 300 * time.Millisecond
	// foundFresh and absentFresh are how long an answer, or its absence, is believed.
	foundFresh  = time.Minute
	absentFresh = 10 * time.Second
	maxProbe    = 1 << 20 // bytes of a list of models
)

// Found is what a probe learned of one endpoint.
type Found struct {
	// Models it offers, by name, without those that only embed.
	Models []string
	// Problem says, for a person, why it cannot be used; zero when it can.
	Problem lang.Message
}

// Local is an endpoint that programs for local models open unless told otherwise.
type Local struct {
	Name, BaseURL string
	// owner is what such a program writes into "owned_by" of its models, empty when
	// the port is proof enough: another program may listen there, and prompts are
	// nothing for it.
	owner string
}

// WellKnown are the endpoints to look for, in the order of preference.
func WellKnown() []Local {
	return []Local{
		{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1"},
		{Name: "lmstudio", BaseURL: "http://127.0.0.1:1234/v1"},
		{Name: "llamacpp", BaseURL: "http://127.0.0.1:8080/v1", owner: "llamacpp"},
	}
}

// Target is an endpoint to ask for its models.
type Target struct {
	BaseURL, Key string
	owner        string
}

// Target makes the target of a well-known endpoint.
func (l Local) Target() Target { return Target{BaseURL: l.BaseURL, owner: l.owner} }

// Provider makes the provider of a well-known endpoint.
func (l Local) Provider() ProviderConfig {
	return ProviderConfig{Type: TypeOpenAI, BaseURL: l.BaseURL, Origin: FromMachine}
}

// Prober asks endpoints on this machine for their models and remembers the answers
// for a while. The zero value is ready; it is safe for concurrent use. It asks
// loopback addresses only.
type Prober struct {
	// asking lets one Probe ask while others wait for its answer.
	asking sync.Mutex

	mu      sync.Mutex
	known   map[Target]probed    // guarded by mu
	windows map[windowKey]window // guarded by mu
}

type probed struct {
	found Found
	at    time.Time
}

// Probe returns what is known of the targets on this machine, by base URL, asking
// those anew whose answer is old. All are asked side by side; it takes no longer
// than 300 ms. Targets elsewhere are left out.
func (p *Prober) Probe(ctx context.Context, targets []Target) map[string]Found {
	p.asking.Lock()
	defer p.asking.Unlock()
	now := time.Now()
	var old []Target
	p.mu.Lock()
	for _, t := range targets {
		if endpoint.IsLoopback(t.BaseURL) && !p.known[t].fresh(now) && !slices.Contains(old, t) {
			old = append(old, t)
		}
	}
	p.mu.Unlock()
	answers := make([]Found, len(old))
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	var wg sync.WaitGroup
	for i, t := range old {
		wg.Go(func() { answers[i] = ask(ctx, t) })
	}
	wg.Wait()
	p.mu.Lock()
	if p.known == nil {
		p.known = map[Target]probed{}
	}
	for i, t := range old {
		p.known[t] = probed{answers[i], time.Now()}
	}
	p.mu.Unlock()
	return p.Known(targets)
}

// Known is Probe without asking anybody: an old answer is better than none.
func (p *Prober) Known(targets []Target) map[string]Found {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := map[string]Found{}
	for _, t := range targets {
		if answer, ok := p.known[t]; ok {
			found[t.BaseURL] = answer.found
		}
	}
	return found
}

func (p probed) fresh(now time.Time) bool {
	if !p.found.Problem.IsZero() {
		return now.Sub(p.at) < absentFresh
	}
	return !p.at.IsZero() && now.Sub(p.at) < foundFresh
}

// probeClient uses no proxy: this machine is near.
var probeClient = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// ask asks one endpoint for its models.
func ask(ctx context.Context, t Target) Found {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(t.BaseURL, "/")+"/models", nil)
	if err != nil {
		return Found{Problem: lang.Messagef(zh, textNotThere, t.BaseURL)}
	}
	if t.Key != "" {
		req.Header.Set("Authorization", "Bearer "+t.Key)
	}
	resp, err := probeClient.Do(req)
	if err != nil {
		return Found{Problem: lang.Messagef(zh, textNotThere, t.BaseURL)}
	}
	defer resp.Body.Close()
	var list struct {
		Data []struct {
			ID    string
			Owner string `json:"owned_by"`
		}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxProbe))
	if err != nil || resp.StatusCode != http.StatusOK || json.Unmarshal(body, &list) != nil || list.Data == nil {
		return Found{Problem: lang.Messagef(zh, textNoList, t.BaseURL)}
	}
	var f Found
	for _, m := range list.Data {
		if m.ID == "" || strings.Contains(strings.ToLower(m.ID), "embed") || t.owner != "" && m.Owner != t.owner {
			continue
		}
		f.Models = append(f.Models, m.ID)
	}
	slices.Sort(f.Models)
	if len(f.Models) == 0 {
		f.Problem = lang.Messagef(zh, textNoList, t.BaseURL)
	}
	return f
}
