//lint:file-ignore SA1019 Sampling is deprecated by SEP-2577, but servers of the older handshake ask for it.

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Elicitation is what a server asks a person: a form, or with URL a page to open. Texts
// are the server's own, not cleaned.
type Elicitation struct {
	Server  string
	Message string
	// Schema of the form, a JSON Schema object.
	Schema json.RawMessage
	URL    string
}

// The actions of a person who was asked.
const (
	ElicitAccept  = "accept"
	ElicitDecline = "decline"
	ElicitCancel  = "cancel"
)

// ElicitAnswer is what the person did. Content is the filled form of an accept.
type ElicitAnswer struct {
	Action  string
	Content map[string]any
}

// Sampling is a server's request to the model.
type Sampling struct {
	Server, SystemPrompt string
	// Identity says what the server is: leave that was given to it ends with it.
	Identity  string
	Messages  []PromptMessage
	MaxTokens int
	// Hints are the models the server would like, the best first: parts of names.
	Hints []string
}

// Sampled is what the model answered.
type Sampled struct {
	Text, Model string
	// Cut says that the answer reached MaxTokens.
	Cut bool
}

// ErrRefused answers a server whose request a person did not allow.
var ErrRefused = errors.New("the user did not allow this")

// samplingPause is how soon after another a server may ask the model: a loop of one must
// not use up what somebody pays for.
const (
	samplingBurst = 10
	samplingPause = 6 * time.Second
)

// answerServer makes the client answer what the server may ask, and declare no more than
// somebody is there to answer.
func (c *connection) answerServer(opts *sdk.ClientOptions) {
	o := c.m.opts
	if o.Elicit != nil && (o.ElicitForm || o.ElicitURL) {
		caps := &sdk.ElicitationCapabilities{}
		if o.ElicitForm {
			caps.Form = &sdk.FormElicitationCapabilities{}
		}
		if o.ElicitURL {
			caps.URL = &sdk.URLElicitationCapabilities{}
		}
		opts.Capabilities.Elicitation = caps
		opts.ElicitationHandler = c.elicit
	}
	if o.Sample != nil && c.cfg.Load().Sampling && c.cfg.Load().Origin.Scope != ScopeProject {
		opts.CreateMessageHandler = c.sample
	}
}

// elicit asks a person. What cannot be shown is cancelled, not declined: nobody said no.
func (c *connection) elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	p := req.Params
	o := c.m.opts
	question := Elicitation{Server: c.name, Message: p.Message}
	switch {
	case p.Mode == "url" || p.Mode == "" && p.URL != "":
		if question.URL = p.URL; !o.ElicitURL || !webPage(p.URL) {
			c.log.add("warning", LogClient, c.say(textElicitPage, p.URL))
			return &sdk.ElicitResult{Action: ElicitCancel}, nil
		}
	default:
		if question.Schema = rawObject(p.RequestedSchema); !o.ElicitForm {
			return &sdk.ElicitResult{Action: ElicitCancel}, nil
		}
	}
	answer, err := o.Elicit(ctx, question)
	if err != nil {
		c.log.add("info", LogClient, c.say(textElicitFailed, err))
		return &sdk.ElicitResult{Action: ElicitCancel}, nil
	}
	result := &sdk.ElicitResult{Action: answer.Action}
	if answer.Action == ElicitAccept && question.URL == "" {
		if result.Content = answer.Content; result.Content == nil {
			result.Content = map[string]any{}
		}
	}
	return result, nil
}

// webPage reports whether an address is one that a browser may be sent to.
func webPage(address string) bool {
	return validURL(address) && !strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' })
}

// sample asks the model for a server, once a person has allowed it.
func (c *connection) sample(ctx context.Context, req *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
	if !c.samples.take(time.Now()) {
		return nil, errors.New("too many requests to the model: wait a while")
	}
	p := req.Params
	s := Sampling{Server: c.name, Identity: entryKey(*c.cfg.Load()), SystemPrompt: p.SystemPrompt, MaxTokens: int(p.MaxTokens)}
	if p.ModelPreferences != nil {
		for _, hint := range p.ModelPreferences.Hints {
			if hint != nil && hint.Name != "" {
				s.Hints = append(s.Hints, hint.Name)
			}
		}
	}
	for _, m := range p.Messages {
		if m == nil || m.Content == nil {
			continue
		}
		s.Messages = append(s.Messages, PromptMessage{Role: string(m.Role), Content: pieces(m.Content)})
	}
	if len(s.Messages) == 0 {
		return nil, errors.New("there is no message to answer")
	}
	answer, err := c.m.opts.Sample(ctx, s)
	if err != nil {
		return nil, err
	}
	result := &sdk.CreateMessageResult{Role: "assistant", Model: answer.Model, Content: &sdk.TextContent{Text: answer.Text}, StopReason: "endTurn"}
	if answer.Cut {
		result.StopReason = "maxTokens"
	}
	return result, nil
}

// allowance is how often something may be done: a burst, and then one for each pause. The
// zero value is a full one.
type allowance struct {
	mu   sync.Mutex
	used []time.Time // guarded by mu, the oldest first
}

func (a *allowance) take(now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	since := now.Add(-samplingBurst * samplingPause)
	for len(a.used) > 0 && a.used[0].Before(since) {
		a.used = a.used[1:]
	}
	if len(a.used) >= samplingBurst {
		return false
	}
	a.used = append(a.used, now)
	return true
}
