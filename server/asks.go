package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model"
)

// asker puts what servers ask to the person, by what the client can show.
type asker struct {
	s      *Server
	folder string // whose servers these are, empty for the user's

	mu sync.Mutex
	// sampling are the servers that may ask the model until the connection ends, by name
	// and identity: one that was edited is another.
	sampling map[string]bool // guarded by mu
}

// elicitModes says in which ways a person can be asked. A client without a plug-in can
// answer a yes or a no.
func (s *Server) elicitModes() (form, url bool) {
	if c := s.client.codebot; c != nil {
		return c.Elicit != nil && c.Elicit.Form, c.Elicit != nil && c.Elicit.URL
	}
	return true, s.client.showsPages // in a message with buttons
}

// elicit puts a server's question to the person.
func (a *asker) elicit(ctx context.Context, e mcp.Elicitation) (mcp.ElicitAnswer, error) {
	if a.s.client.codebot == nil {
		return a.elicitByMessage(ctx, e)
	}
	params := wire.MCPElicitParams{
		Server: e.Server, Folder: uriOf(a.folder), Mode: wire.ElicitForm, Message: mcp.Clean(e.Message),
		RequestedSchema: jsontext.Value(e.Schema),
	}
	if e.URL != "" {
		params.Mode, params.URL = wire.ElicitURL, e.URL
	}
	var answer wire.MCPElicitResult
	if err := protocol.Call(ctx, a.s.conn, wire.MCPElicit.Name, params, &answer); err != nil {
		return mcp.ElicitAnswer{}, err
	}
	switch answer.Action {
	case wire.ElicitAccept:
		out := mcp.ElicitAnswer{Action: mcp.ElicitAccept}
		if len(answer.Content) > 0 {
			if err := json.Unmarshal(answer.Content, &out.Content); err != nil {
				return mcp.ElicitAnswer{}, fmt.Errorf("the editor's answer is no object: %w", err)
			}
		}
		return out, nil
	case wire.ElicitDecline:
		return mcp.ElicitAnswer{Action: mcp.ElicitDecline}, nil
	}
	return mcp.ElicitAnswer{Action: mcp.ElicitCancel}, nil
}

// elicitByMessage asks a client without a plug-in what can be asked with buttons: a form
// without fields, one with a single choice, or a page to open.
func (a *asker) elicitByMessage(ctx context.Context, e mcp.Elicitation) (mcp.ElicitAnswer, error) {
	cancelled := mcp.ElicitAnswer{Action: mcp.ElicitCancel}
	field, choices, ok := singleChoice(e.Schema)
	if e.URL == "" && !ok {
		return cancelled, nil // nobody could fill it in
	}
	yes, no := a.s.say(textElicitYes), a.s.say(textElicitNo)
	titles := []string{yes}
	if len(choices) > 0 {
		titles = titles[:0]
		for _, c := range choices {
			titles = append(titles, mcp.CleanLine(c.title))
		}
	}
	message := a.s.say(textElicit, mcp.CleanLine(e.Server), mcp.CleanLine(e.Message))
	if e.URL != "" {
		message += " " + mcp.Visible(e.URL)
	}
	params := &protocol.ShowMessageRequestParams{Type: protocol.MessageTypeInfo, Message: message}
	for _, title := range append(titles, no) {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: title})
	}
	var answer *protocol.MessageActionItem
	if err := protocol.Call(ctx, a.s.conn, protocol.MethodWindowShowMessageRequest, params, &answer); err != nil || answer == nil {
		return cancelled, err
	}
	switch {
	case answer.Title == no:
		return mcp.ElicitAnswer{Action: mcp.ElicitDecline}, nil
	case e.URL != "" && answer.Title == yes:
		external := true
		var shown protocol.ShowDocumentResult
		err := protocol.Call(ctx, a.s.conn, protocol.MethodWindowShowDocument, map[string]any{"uri": e.URL, "external": external}, &shown)
		if err != nil || !shown.Success {
			return cancelled, err
		}
		return mcp.ElicitAnswer{Action: mcp.ElicitAccept}, nil
	case len(choices) == 0 && answer.Title == yes:
		return mcp.ElicitAnswer{Action: mcp.ElicitAccept, Content: map[string]any{}}, nil
	}
	for i, c := range choices {
		if answer.Title == titles[i] {
			return mcp.ElicitAnswer{Action: mcp.ElicitAccept, Content: map[string]any{field: c.value}}, nil
		}
	}
	return cancelled, nil
}

type choice struct {
	value any
	title string
}

// singleChoice is the one field of a form and what it can be; ok is false for a form that
// has more, or one to write into. A form without fields has no choices.
func singleChoice(schema []byte) (field string, choices []choice, ok bool) {
	var s struct {
		Properties map[string]struct {
			Type      string
			Enum      []any
			EnumNames []string
		}
	}
	if json.Unmarshal(schema, &s) != nil || len(s.Properties) > 1 {
		return "", nil, len(schema) == 0
	}
	for name, p := range s.Properties {
		switch {
		case p.Type == "boolean":
			return name, []choice{{true, "true"}, {false, "false"}}, true
		case len(p.Enum) > 0 && len(p.Enum) <= 5:
			for i, v := range p.Enum {
				title := fmt.Sprint(v)
				if i < len(p.EnumNames) {
					title = p.EnumNames[i]
				}
				choices = append(choices, choice{v, title})
			}
			return name, choices, true
		}
		return "", nil, false
	}
	return "", nil, true
}

// sample asks the model for a server, when the person allows it.
func (a *asker) sample(ctx context.Context, q mcp.Sampling) (mcp.Sampled, error) {
	answerer, err := a.s.resolveModel(a.s.sampleModel(q.Hints))
	if err != nil {
		return mcp.Sampled{}, err
	}
	if answerer.ID() == model.OfflineID {
		return mcp.Sampled{}, errors.New("no language model is configured")
	}
	if err := a.mayAsk(ctx, q, answerer.ID()); err != nil {
		return mcp.Sampled{}, err
	}
	req := &agent.Request{Locale: a.s.client.locale, MaxTokens: q.MaxTokens}
	if q.SystemPrompt != "" {
		req.System = []agent.SystemBlock{{Key: agent.KeySample, Text: q.SystemPrompt}}
	}
	for _, m := range q.Messages {
		message := agent.Message{Role: agent.RoleUser}
		if m.Role == string(agent.RoleAssistant) {
			message.Role = agent.RoleAssistant
		}
		for _, c := range m.Content {
			message.Blocks = append(message.Blocks, agent.Block{Kind: agent.BlockContent, Content: &c})
		}
		req.Messages = agent.Append(req.Messages, message)
	}
	resp, err := answerer.Stream(ctx, req, func(agent.Delta) error { return ctx.Err() })
	if err != nil {
		return mcp.Sampled{}, err
	}
	var text strings.Builder
	for _, b := range resp.Message.Blocks {
		if b.Kind == agent.BlockContent && b.Content.Kind == agent.ContentText {
			text.WriteString(b.Content.Text)
		}
	}
	return mcp.Sampled{Text: text.String(), Model: answerer.ID(), Cut: resp.StopReason == agent.StopMaxTokens}, nil
}

// sampleModel is the model that a server's hints mean: the first of the usable ones whose
// name has a hint in it, else the user's own.
func (s *Server) sampleModel(hints []string) string {
	providers := s.providers()
	specs := model.List(s.lang, providers, localModels.Known(s.targets(providers)))
	for _, hint := range hints {
		for _, spec := range specs {
			if spec.Available && spec.ID != model.OfflineID && strings.Contains(strings.ToLower(spec.ID), strings.ToLower(hint)) {
				return spec.ID
			}
		}
	}
	settings, _ := s.servers.settingsAt("")
	return settings.Model
}

func samplingKey(q mcp.Sampling) string { return q.Server + " " + q.Identity }

// mayAsk asks the person whether a server may use the model.
func (a *asker) mayAsk(ctx context.Context, q mcp.Sampling, id string) error {
	a.mu.Lock()
	allowed := a.sampling[samplingKey(q)]
	a.mu.Unlock()
	if allowed {
		return nil
	}
	c := a.s.client.codebot
	if c == nil || !c.Sample {
		return mcp.ErrRefused // nobody could see what it would send
	}
	params := wire.MCPSampleParams{
		Server: q.Server, Folder: uriOf(a.folder), Model: id, SystemPrompt: mcp.Clean(q.SystemPrompt),
		Messages: promptMessages(q.Messages), MaxTokens: q.MaxTokens,
	}
	var answer wire.MCPSampleResult
	if err := protocol.Call(ctx, a.s.conn, wire.MCPSample.Name, params, &answer); err != nil {
		return errors.Join(mcp.ErrRefused, err)
	}
	switch answer.Action {
	case wire.SampleAllowSession:
		a.mu.Lock()
		if a.sampling == nil {
			a.sampling = map[string]bool{}
		}
		a.sampling[samplingKey(q)] = true
		a.mu.Unlock()
		return nil
	case wire.SampleAllowOnce:
		return nil
	}
	return mcp.ErrRefused
}
