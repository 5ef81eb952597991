package chat

import (
	"context"
	"errors"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// turn runs one prompt and shows what happens until it is answered. The first
// interrupt cancels the turn, the second stops waiting for it.
func (c *chat) turn(ctx context.Context, prompt string) (int, error) {
	type answer struct {
		result wire.SessionPromptResult
		err    error
	}
	answered := make(chan answer, 1)
	callCtx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	go func() {
		var a answer
		a.err = c.client.call(callCtx, wire.SessionPrompt.Name, wire.SessionPromptParams{
			SessionID: c.session, Prompt: []wire.ContentBlock{wire.TextBlock(prompt)},
		}, &a.result)
		answered <- a
	}()
	c.calls = calls{}
	interrupted := false
	for {
		var lines <-chan string
		if c.open != nil {
			lines = c.lines // a line now is the answer to the question
		}
		select {
		case a := <-answered:
			c.handleEvents() // all updates of a turn precede its answer
			c.screen.endText()
			if a.err != nil {
				return exitFailed, promptFailure(a.err)
			}
			return c.stopped(a.result), nil
		case <-c.client.ready():
			c.handleEvents()
		case line, ok := <-lines:
			c.answer(line, ok)
		case <-c.Interrupts:
			if interrupted {
				return exitInterrupted, errInterrupted
			}
			interrupted = true
			c.screen.note(textCancelling)
			if err := c.client.notify(ctx, wire.SessionCancel.Name, wire.SessionCancelParams{SessionID: c.session}); err != nil {
				return exitFailed, err
			}
		case <-ctx.Done():
			return exitInterrupted, errInterrupted
		}
	}
}

// stopped tells why a turn ended when that is worth telling.
func (c *chat) stopped(r wire.SessionPromptResult) int {
	switch r.StopReason {
	case wire.StopEndTurn:
		return exitOK
	case wire.StopCancelled:
		c.screen.note(textCancelled)
		return exitInterrupted
	default:
		c.screen.note(textEndedEarly, r.StopReason)
		return exitFailed
	}
}

// promptFailure turns the error of a prompt into words, with the way out.
func promptFailure(err error) error {
	var coded *jsonrpc2.Error
	if !errors.As(err, &coded) {
		return err
	}
	var data struct {
		Hint            string `json:"hint"`
		ProviderMessage string `json:"providerMessage"`
	}
	if len(coded.Data) > 0 && protocol.Unmarshal(coded.Data, &data) == nil {
		switch {
		case data.Hint != "":
			return lang.Errorf(zh, textWithHint, coded.Message, data.Hint)
		case data.ProviderMessage != "":
			return lang.Errorf(zh, textProviderSays, coded.Message, data.ProviderMessage)
		}
	}
	return errors.New(coded.Message)
}

// handleEvents shows everything that has arrived and reports whether anything was
// shown.
func (c *chat) handleEvents() bool {
	shown := false
	for _, e := range c.client.take() {
		switch e := e.(type) {
		case wire.SessionUpdateParams:
			if e.SessionID == c.session {
				c.update(e.Update.Value)
				shown = true
			}
		case wire.MCPDidChangeStatusParams:
			for _, row := range c.servers.apply(e) {
				if !c.settling {
					c.screen.serverRow(row, 0)
					shown = true
				}
			}
		case protocol.PublishDiagnosticsParams:
			for _, f := range c.findings.apply(e) {
				c.screen.finding(f)
				shown = true
			}
		case wire.StatusResult:
			c.introduced = true
		case *question:
			c.ask(e)
			shown = true
		case withdrawn:
			if c.open == e.question {
				c.open = nil
				c.screen.note(textWithdrawn)
				shown = true
			}
		case message:
			c.screen.message(e)
			shown = true
		}
	}
	return shown
}

func (c *chat) update(u wire.SessionUpdateVariant) {
	switch u := u.(type) {
	case *wire.AgentMessageChunk:
		c.screen.text(u.Content)
	case *wire.AgentThoughtChunk:
		c.screen.thought(u.Content)
	case *wire.ToolCallStart:
		// ToolCall has the same members as an update of it.
		c.call(wire.ToolCallUpdate(u.ToolCall))
	case *wire.ToolCallProgress:
		c.call(u.ToolCallUpdate)
	case *wire.PlanUpdate:
		c.screen.plan(u.Entries)
	case *wire.CurrentModeUpdate:
		c.screen.note(textMode, u.CurrentModeID)
	}
}

// call shows a tool call: its head once it is more than announced, its result at
// its end.
func (c *chat) call(u wire.ToolCallUpdate) {
	call := c.calls.merge(u)
	switch u.Status {
	case wire.ToolInProgress:
		c.screen.callHead(call)
	case wire.ToolCompleted, wire.ToolFailed:
		c.screen.callHead(call)
		c.screen.callResult(call)
	}
}
