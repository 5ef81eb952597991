package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/mcp/toolschema"
	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// Prompt is a prompt that a server offers. Texts are the server's own, not cleaned.
type Prompt struct {
	Server string
	// Command is the name of the slash command that runs it: a function of the pair, as
	// ToolName is.
	Command                  string
	Name, Title, Description string
	Arguments                []PromptArgument
}

// PromptArgument is one argument of a prompt.
type PromptArgument struct {
	Name, Title, Description string
	Required                 bool
}

// Resource is a thing that a server lets be read, by its address (a URI).
type Resource struct {
	Server, Address                string
	Name, Title, Description, MIME string
	// Size in bytes; nil when the server does not say.
	Size *int64
}

// ResourceTemplate makes addresses of resources (RFC 6570).
type ResourceTemplate struct {
	Server, Template               string
	Name, Title, Description, MIME string
}

// ResourceContent is a part of what a resource holds: Text, or Blob where that is not nil.
type ResourceContent struct {
	Address, MIME string
	Text          string
	Blob          []byte
}

// ForAgent is the content as the agent gets it.
func (c ResourceContent) ForAgent() []agent.Content {
	return resourceOf(&sdk.ResourceContents{URI: c.Address, MIMEType: c.MIME, Text: c.Text, Blob: c.Blob})
}

// PromptMessage is one message of a filled prompt. Role is "user" or "assistant".
type PromptMessage struct {
	Role    string
	Content []agent.Content
}

// CompleteRef says what is completed: an argument of a prompt, or a variable of a
// template. One of the two is set.
type CompleteRef struct{ Prompt, Template string }

// Prompts returns the prompts of all usable servers, sorted by server name, then in the
// server's own order. It asks no server.
func (m *Manager) Prompts() []Prompt {
	var all []Prompt
	views := m.views()
	for _, name := range slices.Sorted(maps.Keys(views)) {
		for _, p := range views[name].offers.prompts {
			prompt := Prompt{Server: name, Command: ToolName(name, p.Name), Name: p.Name, Title: p.Title, Description: p.Description}
			for _, a := range p.Arguments {
				if a != nil && a.Name != "" {
					prompt.Arguments = append(prompt.Arguments, PromptArgument{a.Name, a.Title, a.Description, a.Required})
				}
			}
			all = append(all, prompt)
		}
	}
	return all
}

// Resources returns the resources and templates of all usable servers, in the order of
// Prompts. It asks no server.
func (m *Manager) Resources() ([]Resource, []ResourceTemplate) {
	var resources []Resource
	var templates []ResourceTemplate
	views := m.views()
	for _, name := range slices.Sorted(maps.Keys(views)) {
		for _, r := range views[name].offers.resources {
			resource := Resource{Server: name, Address: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIME: r.MIMEType}
			if r.Size > 0 {
				resource.Size = &r.Size
			}
			resources = append(resources, resource)
		}
		for _, t := range views[name].offers.templates {
			templates = append(templates, ResourceTemplate{name, t.URITemplate, t.Name, t.Title, t.Description, t.MIMEType})
		}
	}
	return resources, templates
}

// ReadResource reads a resource. With subscribe, [Options.OnResource] is told of its
// changes from then on, also over a reconnect, until a read without it. Errors are an
// [*ActionError] when the server cannot be asked, else the server's own.
func (m *Manager) ReadResource(ctx context.Context, server, address string, subscribe bool) ([]ResourceContent, error) {
	c, lv, err := m.ask(ctx, server)
	if err != nil {
		return nil, err
	}
	res, err := lv.session.ReadResource(ctx, &sdk.ReadResourceParams{URI: address})
	if err != nil {
		return nil, c.refusal(ctx, address, err)
	}
	c.follow(ctx, lv, address, subscribe)
	var out []ResourceContent
	for _, content := range res.Contents {
		if content != nil {
			out = append(out, ResourceContent{Address: content.URI, MIME: content.MIMEType, Text: content.Text, Blob: content.Blob})
		}
	}
	return out, nil
}

// ReadRequest describes the reading of a resource to the gate: a tool of the server's that
// says it only reads. ok is false for a server that is not in the settings.
func (m *Manager) ReadRequest(server string) (req permission.Request, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, err := m.find(server)
	if err != nil {
		return req, false
	}
	read := &sdk.Tool{Name: "resources/read", Title: m.say(textReadResource), Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}
	tool := NewMCPTool(nil, server, e.cfg, read)
	tool.lang = m.opts.Lang
	return tool.PermissionRequest(nil), true
}

// GetPrompt fills a prompt by the server's own name of it.
func (m *Manager) GetPrompt(ctx context.Context, server, name string, arguments map[string]string) (description string, messages []PromptMessage, err error) {
	c, lv, err := m.ask(ctx, server)
	if err != nil {
		return "", nil, err
	}
	res, err := lv.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: arguments})
	if err != nil {
		return "", nil, c.refusal(ctx, name, err)
	}
	for _, message := range res.Messages {
		if message != nil {
			messages = append(messages, PromptMessage{Role: string(message.Role), Content: pieces(message.Content)})
		}
	}
	return res.Description, messages, nil
}

// Complete suggests values; more says that there are others. A server that cannot has
// none.
func (m *Manager) Complete(ctx context.Context, server string, of CompleteRef, argument, value string, given map[string]string) (values []string, more bool, err error) {
	c, lv, err := m.ask(ctx, server)
	if err != nil {
		return nil, false, err
	}
	if lv.init.Capabilities == nil || lv.init.Capabilities.Completions == nil {
		return nil, false, nil
	}
	ref := &sdk.CompleteReference{Type: "ref/prompt", Name: of.Prompt}
	if of.Template != "" {
		ref = &sdk.CompleteReference{Type: "ref/resource", URI: of.Template}
	}
	params := &sdk.CompleteParams{Ref: ref, Argument: sdk.CompleteParamsArgument{Name: argument, Value: value}}
	if len(given) > 0 {
		params.Context = &sdk.CompleteContext{Arguments: given}
	}
	res, err := lv.session.Complete(ctx, params)
	if err != nil {
		return nil, false, c.refusal(ctx, argument, err)
	}
	return res.Completion.Values, res.Completion.HasMore, nil
}

// refusal is the error of a request that is no call of a tool. ctx's own stays what it is.
func (c *connection) refusal(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if f, ok := faultOf(err); ok {
		return CallError(what, lang.Errorf(nil, "%v", c.httpMessage(f)))
	}
	return CallError(what, err)
}

// follow makes a session tell of changes of a resource, or no longer. A server that
// cannot is none the worse: the next read is as good.
func (c *connection) follow(ctx context.Context, lv *live, address string, on bool) {
	was := c.followed.set(address, on)
	caps := lv.init.Capabilities
	if was == on || caps == nil || caps.Resources == nil || !caps.Resources.Subscribe {
		return
	}
	var err error
	if on {
		err = lv.session.Subscribe(ctx, &sdk.SubscribeParams{URI: address})
	} else {
		err = lv.session.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: address})
	}
	if err != nil {
		c.log.add("warning", LogClient, c.say(textFollow, address, c.theirs(err)))
	}
}

// followAgain subscribes in a new session to what was followed in the one before.
func (c *connection) followAgain(ctx context.Context, lv *live) {
	addresses := c.followed.all()
	caps := lv.init.Capabilities
	if caps == nil || caps.Resources == nil || !caps.Resources.Subscribe {
		return
	}
	for _, address := range addresses {
		if err := lv.session.Subscribe(ctx, &sdk.SubscribeParams{URI: address}); err != nil {
			c.log.add("warning", LogClient, c.say(textFollow, address, c.theirs(err)))
		}
	}
}

// followed are the addresses of resources whose changes are told.
type followed struct {
	mu        sync.Mutex
	addresses map[string]bool // guarded by mu
}

// set says whether an address is followed, and returns whether it was.
func (f *followed) set(address string, on bool) (was bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	was = f.addresses[address]
	if on {
		if f.addresses == nil {
			f.addresses = map[string]bool{}
		}
		f.addresses[address] = true
	} else {
		delete(f.addresses, address)
	}
	return was
}

func (f *followed) all() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.addresses))
}

// rawObject is a value of the SDK's as JSON, an object; nil when it is none.
func rawObject(v any) json.RawMessage {
	raw, err := toolschema.Encode(v)
	if err != nil || len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	return raw
}
