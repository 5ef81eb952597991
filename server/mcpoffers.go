package server

import (
	"context"
	"encoding/base64"

	"go.lsp.dev/jsonrpc2"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// chosen are the places that a filter means, and the server's name to look for in them;
// empty for all.
func (s *Server) chosen(server string, folder *string) ([]place, error) {
	if server != "" {
		at, err := s.servers.find(server, folder)
		return []place{at}, err
	}
	places := s.servers.places()
	if folder == nil {
		return places, nil
	}
	root, _ := pathOf(*folder)
	var of []place
	for _, at := range places {
		if at.root == root {
			of = append(of, at)
		}
	}
	return of, nil
}

func (s *Server) mcpResources(_ context.Context, p wire.MCPListParams) (wire.MCPResourcesResult, error) {
	places, err := s.chosen(p.Server, p.Folder)
	result := wire.MCPResourcesResult{Resources: []wire.MCPResource{}, Templates: []wire.MCPResourceTemplate{}}
	if err != nil {
		return result, err
	}
	for _, at := range places {
		resources, templates := at.manager.Resources()
		for _, r := range resources {
			if p.Server == "" || r.Server == p.Server {
				result.Resources = append(result.Resources, wire.MCPResource{
					Server: r.Server, Folder: uriOf(at.root), Name: mcp.CleanLine(r.Name), Title: mcp.CleanLine(r.Title),
					Description: mcp.Clean(r.Description), MimeType: mcp.CleanLine(r.MIME), Size: r.Size, Address: r.Address,
				})
			}
		}
		for _, t := range templates {
			if p.Server == "" || t.Server == p.Server {
				result.Templates = append(result.Templates, wire.MCPResourceTemplate{
					Server: t.Server, Folder: uriOf(at.root), Name: mcp.CleanLine(t.Name), Title: mcp.CleanLine(t.Title),
					Description: mcp.Clean(t.Description), MimeType: mcp.CleanLine(t.MIME), Template: t.Template,
				})
			}
		}
	}
	return result, nil
}

func (s *Server) mcpReadResource(ctx context.Context, p wire.MCPReadResourceParams) (wire.MCPReadResourceResult, error) {
	at, err := s.servers.find(p.Server, p.Folder)
	if err != nil {
		return wire.MCPReadResourceResult{}, err
	}
	rpc.Release(ctx)
	contents, err := at.manager.ReadResource(ctx, p.Server, p.Address, p.Subscribe)
	if err != nil {
		return wire.MCPReadResourceResult{}, err
	}
	result := wire.MCPReadResourceResult{Contents: []wire.EmbeddedResource{}}
	for _, c := range contents {
		r := wire.EmbeddedResource{URI: c.Address, MimeType: mcp.CleanLine(c.MIME)}
		if c.Blob != nil {
			blob := base64.StdEncoding.EncodeToString(c.Blob)
			r.Blob = &blob
		} else {
			text := mcp.Clean(c.Text)
			r.Text = &text
		}
		result.Contents = append(result.Contents, r)
	}
	return result, nil
}

func (s *Server) mcpPrompts(_ context.Context, p wire.MCPListParams) (wire.MCPPromptsResult, error) {
	places, err := s.chosen(p.Server, p.Folder)
	result := wire.MCPPromptsResult{Prompts: []wire.MCPPrompt{}}
	if err != nil {
		return result, err
	}
	for _, at := range places {
		for _, prompt := range at.manager.Prompts() {
			if p.Server == "" || prompt.Server == p.Server {
				result.Prompts = append(result.Prompts, wire.MCPPrompt{
					Command: prompt.Command, Server: prompt.Server, Folder: uriOf(at.root), Name: prompt.Name,
					Title: mcp.CleanLine(prompt.Title), Description: mcp.Clean(prompt.Description), Arguments: promptArguments(prompt.Arguments),
				})
			}
		}
	}
	return result, nil
}

func promptArguments(arguments []mcp.PromptArgument) []wire.PromptArgument {
	out := []wire.PromptArgument{}
	for _, a := range arguments {
		out = append(out, wire.PromptArgument{Name: a.Name, Title: mcp.CleanLine(a.Title), Description: mcp.CleanLine(a.Description), Required: a.Required})
	}
	return out
}

func (s *Server) mcpGetPrompt(ctx context.Context, p wire.MCPGetPromptParams) (wire.MCPGetPromptResult, error) {
	at, err := s.servers.find(p.Server, p.Folder)
	if err != nil {
		return wire.MCPGetPromptResult{}, err
	}
	rpc.Release(ctx)
	description, messages, err := at.manager.GetPrompt(ctx, p.Server, p.Name, p.Arguments)
	if err != nil {
		return wire.MCPGetPromptResult{}, err
	}
	return wire.MCPGetPromptResult{Description: mcp.Clean(description), Messages: promptMessages(messages)}, nil
}

// promptMessages are messages of servers for people: one content each.
func promptMessages(messages []mcp.PromptMessage) []wire.MCPPromptMessage {
	out := []wire.MCPPromptMessage{}
	for _, m := range messages {
		for _, block := range blocksOf(m.Content) {
			out = append(out, wire.MCPPromptMessage{Role: m.Role, Content: block})
		}
	}
	return out
}

func (s *Server) mcpComplete(ctx context.Context, p wire.MCPCompleteParams) (wire.MCPCompleteResult, error) {
	if (p.Prompt == "") == (p.Template == "") {
		return wire.MCPCompleteResult{}, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "one of prompt and template is wanted")
	}
	at, err := s.servers.find(p.Server, p.Folder)
	if err != nil {
		return wire.MCPCompleteResult{}, err
	}
	rpc.Release(ctx)
	values, more, err := at.manager.Complete(ctx, p.Server, mcp.CompleteRef{Prompt: p.Prompt, Template: p.Template}, p.Argument, p.Value, p.Given)
	if values == nil {
		values = []string{}
	}
	return wire.MCPCompleteResult{Values: values, HasMore: more}, err
}
