package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/codebot-ls/codebot-ls/mcp"
)

// scenarios is what is done once the server is connected, which alone lists everything
// it has. Those about logins end with one call and are not listed.
var scenarios = map[string]func(context.Context, *client, given) error{
	"initialize":                          connected,
	"request-metadata":                    connected,
	"json-schema-ref-no-deref":            connected,
	"tools_call":                          calls(call{"add_numbers", `{"a":5,"b":3}`}),
	"elicitation-sep1034-client-defaults": calls(call{"test_client_elicitation_defaults", `{}`}),
	"sse-retry":                           calls(call{"test_reconnection", `{}`}),
	"sep-2322-client-request-state":       tries("test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"),
	"json-schema-2020-12-preservation":    echoSchema,
	"http-standard-headers":               oneOfEach,
	"http-custom-headers":                 toldCalls,
	"http-invalid-tool-headers":           everyTool,
}

type call struct{ tool, args string }

func connected(context.Context, *client, given) error { return nil }

// calls are calls that have to succeed.
func calls(list ...call) func(context.Context, *client, given) error {
	return func(ctx context.Context, c *client, _ given) error {
		for _, one := range list {
			if err := c.call(ctx, one.tool, json.RawMessage(one.args)); err != nil {
				return fmt.Errorf("%s: %w", one.tool, err)
			}
		}
		return nil
	}
}

// tries are calls some of which are meant to fail: what counts is what the server sees.
func tries(tools ...string) func(context.Context, *client, given) error {
	return func(ctx context.Context, c *client, _ given) error {
		for _, tool := range tools {
			if err := c.call(ctx, tool, nil); err != nil {
				slog.Info("refused", "tool", tool, "error", err)
			}
		}
		return nil
	}
}

// toldCalls are the calls that the suite asks for.
func toldCalls(ctx context.Context, c *client, g given) error {
	for _, one := range g.ToolCalls {
		if err := c.call(ctx, one.Name, one.Arguments); err != nil {
			slog.Info("refused", "tool", one.Name, "error", err)
		}
	}
	return nil
}

// everyTool calls what is left after tools that break the rules were dropped.
func everyTool(ctx context.Context, c *client, _ given) error {
	for _, tool := range c.manager.Listed() {
		if err := c.call(ctx, tool.Original(), json.RawMessage(`{"region":"us-west1"}`)); err != nil {
			slog.Info("refused", "tool", tool.Original(), "error", err)
		}
	}
	return nil
}

// oneOfEach asks for one tool, one resource and one prompt.
func oneOfEach(ctx context.Context, c *client, _ given) error {
	if tools := c.manager.Listed(); len(tools) > 0 {
		if err := c.call(ctx, tools[0].Original(), nil); err != nil {
			return err
		}
	}
	if resources, _ := c.manager.Resources(); len(resources) > 0 {
		if _, err := c.manager.ReadResource(ctx, name, resources[0].Address, false); err != nil {
			return err
		}
	}
	if prompts := c.manager.Prompts(); len(prompts) > 0 {
		if _, _, err := c.manager.GetPrompt(ctx, name, prompts[0].Name, nil); err != nil {
			return err
		}
	}
	return nil
}

// echoSchema sends the schema of a tool back, as the Manager got it.
func echoSchema(ctx context.Context, c *client, _ given) error {
	for _, tool := range c.manager.Listed() {
		if tool.Original() != "json_schema_2020_12_tool" {
			continue
		}
		args, err := json.Marshal(map[string]any{"schema": tool.TheirSchema()})
		if err != nil {
			return err
		}
		return c.call(ctx, "json_schema_echo", args)
	}
	return fmt.Errorf("%s has no json_schema_2020_12_tool", mcp.CleanLine(name))
}
