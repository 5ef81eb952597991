package chat

import (
	"strconv"
	"strings"

	"github.com/codebot-ls/codebot-ls/server/wire"
)

// question is one request for permission. reply takes its answer and never blocks.
type question struct {
	wire.RequestPermissionParams
	reply chan wire.PermissionOutcome
}

// withdrawn says that the server no longer waits for an answer.
type withdrawn struct{ question *question }

// rejected is the answer where nobody can be asked.
const rejected = "reject_once"

// ask shows a question and answers it where no person can.
func (c *chat) ask(q *question) {
	call := c.calls.merge(q.ToolCall)
	c.screen.callHead(call)
	c.screen.question(q, call)
	switch {
	case c.Yes:
		c.reply(q, "allow_once", "--yes")
	case !c.Interactive:
		c.reply(q, rejected, c.screen.say(textNobody))
	default:
		c.open = q
		c.screen.choices(q.Options)
	}
}

// answer takes a line, or the end of the lines, as the answer to the open question.
func (c *chat) answer(line string, ok bool) {
	q := c.open
	id := choose(line, q.Options)
	if !ok {
		id = rejected
	}
	if id == "" {
		c.screen.note(textAnswerWith, len(q.Options))
		c.screen.choices(q.Options)
		return
	}
	c.open = nil
	c.reply(q, id, "")
}

func (c *chat) reply(q *question, id, why string) {
	c.screen.answered(id, why)
	q.reply <- wire.PermissionOutcome{Outcome: wire.OutcomeSelected, OptionID: id}
}

// choose returns the option that a line means: its number, its id, y for the first
// that allows and n or nothing for the first that rejects; "" when it means none.
func choose(line string, options []wire.PermissionOption) string {
	line = strings.ToLower(strings.TrimSpace(line))
	var prefix string
	switch line {
	case "y", "yes":
		prefix = "allow"
	case "n", "no", "":
		prefix = "reject"
	}
	for i, o := range options {
		if line == strconv.Itoa(i+1) || line == o.OptionID || prefix != "" && strings.HasPrefix(string(o.Kind), prefix) {
			return o.OptionID
		}
	}
	return ""
}
