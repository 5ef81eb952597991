package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// offered is what the server declares and lists with -fault offers, besides tools.
var offered = struct{ prompts, resources, templates []any }{
	prompts: []any{
		map[string]any{"name": "review", "title": "Review", "description": "Looks at a file", "arguments": []any{
			map[string]any{"name": "path", "description": "the file", "required": true}, map[string]any{"name": "tone"},
		}},
		map[string]any{"name": "plain"},
	},
	resources: []any{
		map[string]any{"uri": "note://one", "name": "one", "title": "The first", "mimeType": "text/markdown", "size": 9},
		map[string]any{"uri": "note://picture", "name": "picture", "mimeType": "image/png"},
	},
	templates: []any{map[string]any{"uriTemplate": "note://{name}", "name": "note"}},
}

// onOffers answers what a server with prompts and resources is asked; it reports whether
// that was it.
func (s *server) onOffers(m message) bool {
	if !s.has("offers") {
		return false
	}
	var p struct {
		Name, URI string
		Arguments map[string]string
		Argument  struct{ Name, Value string }
		Context   struct{ Arguments map[string]string }
	}
	_ = json.Unmarshal(m.Params, &p)
	switch m.Method {
	case "prompts/list":
		s.mu.Lock()
		s.offerLists++
		n := s.offerLists
		s.mu.Unlock()
		if fails, _ := strconv.Atoi(s.faults["offers-fail"]); n <= fails {
			s.fail(m.ID, -32603, "the prompts are not ready")
			break
		}
		s.answer(m.ID, map[string]any{"prompts": offered.prompts})
		if s.has("notify-on-offers") {
			s.notify("notifications/prompts/list_changed", map[string]any{})
			s.notify("notifications/resources/list_changed", map[string]any{})
		}
	case "prompts/get":
		switch {
		case p.Name == "plain":
			s.answer(m.ID, map[string]any{"messages": []any{said("user", "say pong")}})
		case p.Arguments["path"] == "":
			s.fail(m.ID, -32602, "path is missing")
		default:
			s.answer(m.ID, map[string]any{"description": "A review", "messages": []any{
				said("user", fmt.Sprintf("review %s, %s", p.Arguments["path"], p.Arguments["tone"])), said("assistant", "which lines?"),
			}})
		}
	case "resources/list":
		s.answer(m.ID, map[string]any{"resources": offered.resources})
	case "resources/templates/list":
		s.answer(m.ID, map[string]any{"resourceTemplates": offered.templates})
	case "resources/read":
		switch {
		case p.URI == "note://picture":
			s.answer(m.ID, map[string]any{"contents": []any{map[string]any{"uri": p.URI, "mimeType": "image/png", "blob": "iVBORw0="}}})
		case strings.HasPrefix(p.URI, "note://"):
			s.answer(m.ID, map[string]any{"contents": []any{map[string]any{"uri": p.URI, "mimeType": "text/markdown", "text": fmt.Sprintf("%s of %d", p.URI, os.Getpid())}}})
		default:
			s.fail(m.ID, -32002, "Resource not found")
		}
	case "resources/subscribe", "resources/unsubscribe":
		s.mu.Lock()
		if s.subscribed == nil {
			s.subscribed = map[string]bool{}
		}
		s.subscribed[p.URI] = m.Method == "resources/subscribe"
		s.mu.Unlock()
		s.answer(m.ID, map[string]any{})
	case "completion/complete":
		values := []string{}
		for _, v := range []string{"server.go", "session.go", "tool.go"} {
			if strings.HasPrefix(v, p.Argument.Value) {
				values = append(values, p.Context.Arguments["tone"]+v)
			}
		}
		s.answer(m.ID, map[string]any{"completion": map[string]any{"values": values, "hasMore": p.Argument.Value == ""}})
	default:
		return false
	}
	return true
}

// touch tells who follows a resource that it changed, and returns whether anybody does.
func (s *server) touch(uri string) bool {
	s.mu.Lock()
	followed := s.subscribed[uri]
	s.mu.Unlock()
	if followed {
		s.notify("notifications/resources/updated", map[string]any{"uri": uri})
	}
	return followed
}

func said(role, text string) any {
	return map[string]any{"role": role, "content": map[string]any{"type": "text", "text": text}}
}
