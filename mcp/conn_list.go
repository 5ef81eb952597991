package mcp

import (
	"context"
	"errors"
	"fmt"

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

// counts is how many prompts and resources a server offers; -1 where that could
// not be learned.
type counts struct{ prompts, resources int }

// count asks a session for what its capabilities declare. A server that declares
// and then does not know the method has none.
func count(ctx context.Context, s *sdk.ClientSession) counts {
	var c counts
	caps := s.InitializeResult().Capabilities
	if caps == nil {
		return c
	}
	if caps.Prompts != nil {
		all, _, err := pages(ctx, func(ctx context.Context, cursor string) ([]*sdk.Prompt, string, error) {
			res, err := s.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return res.Prompts, res.NextCursor, nil
		})
		c.prompts = counted(len(all), err)
	}
	if caps.Resources != nil {
		all, _, err := pages(ctx, func(ctx context.Context, cursor string) ([]*sdk.Resource, string, error) {
			res, err := s.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return res.Resources, res.NextCursor, nil
		})
		c.resources = counted(len(all), err)
	}
	return c
}

func counted(n int, err error) int {
	switch {
	case err == nil:
		return n
	case isMethodNotFound(err):
		return 0
	}
	return -1
}

func isMethodNotFound(err error) bool {
	wire, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && wire.Code == jsonrpc.CodeMethodNotFound
}
