package mcp

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxListPages and maxListItems bound one listing (codebase-memory-mcp#1247: a
	// cursor that never advances).
	maxListPages = 100
	maxListItems = 10_000
)

// pages reads a paged list to its end. next returns one page and the cursor of the
// following one, empty for none; an empty cursor is the end, as older servers mean
// it. A cursor that comes again and too many pages end the list with what there is,
// and note says so for the log. An error loses the list.
func pages[T any](ctx context.Context, next func(ctx context.Context, cursor string) ([]T, string, error)) (all []T, note string, err error) {
	seen := make(map[string]bool)
	cursor := ""
	for range maxListPages {
		items, following, err := next(ctx, cursor)
		if err != nil {
			return nil, "", err
		}
		all = append(all, items...)
		switch {
		case following == "":
			return all, "", nil
		case seen[following]:
			return all, fmt.Sprintf(textCursorRepeats, following), nil
		case len(all) > maxListItems:
			return all[:maxListItems], fmt.Sprintf(textListTooLong, maxListItems), nil
		}
		seen[following] = true
		cursor = following
	}
	return all, fmt.Sprintf(textTooManyPages, maxListPages), nil
}

// listTools reads all tools of a session: each name once, in the server's order.
func listTools(ctx context.Context, s *sdk.ClientSession) (tools []*sdk.Tool, notes []string, err error) {
	all, note, err := pages(ctx, func(ctx context.Context, cursor string) ([]*sdk.Tool, string, error) {
		res, err := s.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return res.Tools, res.NextCursor, nil
	})
	if err != nil {
		return nil, nil, err
	}
	if note != "" {
		notes = append(notes, note)
	}
	names := make(map[string]bool, len(all))
	twice := 0
	for _, t := range all {
		if t == nil || t.Name == "" {
			continue
		}
		if names[t.Name] {
			twice++
			continue
		}
		names[t.Name] = true
		tools = append(tools, t)
	}
	if twice > 0 {
		notes = append(notes, fmt.Sprintf(textToolsTwice, twice))
	}
	return tools, notes, nil
}

// offers are the prompts and resources of a server.
type offers struct {
	prompts   []*sdk.Prompt
	resources []*sdk.Resource
	templates []*sdk.ResourceTemplate
}

// same reports whether two offers are the same.
func (o offers) same(p offers) bool { return reflect.DeepEqual(o, p) }

// listOffers asks a session for what its capabilities declare. A server that declares and
// then does not know the method has none; of a list that fails the one before stays, and
// the error says which failed.
func listOffers(ctx context.Context, s *sdk.ClientSession, before offers) (offers, error) {
	var o offers
	var errs [3]error
	caps := s.InitializeResult().Capabilities
	if caps == nil {
		return o, nil
	}
	if caps.Prompts != nil {
		all, _, err := pages(ctx, func(ctx context.Context, cursor string) ([]*sdk.Prompt, string, error) {
			res, err := s.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return res.Prompts, res.NextCursor, nil
		})
		o.prompts, errs[0] = listed(all, err, before.prompts, func(p *sdk.Prompt) bool { return p != nil && p.Name != "" })
	}
	if caps.Resources != nil {
		all, _, err := pages(ctx, func(ctx context.Context, cursor string) ([]*sdk.Resource, string, error) {
			res, err := s.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return res.Resources, res.NextCursor, nil
		})
		o.resources, errs[1] = listed(all, err, before.resources, func(r *sdk.Resource) bool { return r != nil && r.URI != "" })
		templates, _, err := pages(ctx, func(ctx context.Context, cursor string) ([]*sdk.ResourceTemplate, string, error) {
			res, err := s.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return res.ResourceTemplates, res.NextCursor, nil
		})
		o.templates, errs[2] = listed(templates, err, before.templates, func(t *sdk.ResourceTemplate) bool { return t != nil && t.URITemplate != "" })
	}
	for _, err := range errs {
		if err != nil {
			return o, err // one is enough to say
		}
	}
	return o, nil
}

// listed is a list without what is of no use, or the one before and why where it failed.
func listed[T any](all []T, err error, before []T, good func(T) bool) ([]T, error) {
	switch {
	case err == nil:
		return slices.DeleteFunc(all, func(t T) bool { return !good(t) }), nil
	case isMethodNotFound(err):
		return nil, nil
	}
	return before, err
}

func isMethodNotFound(err error) bool {
	wire, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && wire.Code == jsonrpc.CodeMethodNotFound
}
