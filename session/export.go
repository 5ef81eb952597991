package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// Markdown writes the conversation as a person reads it, without the compactions, in
// a language. Texts are as they were said: control characters are still in them.
func (l Log) Markdown(in lang.Lang) string {
	say := func(s string) string { return in.Text(zh, s) }
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", orElse(l.Title, say(textUntitled)))
	fmt.Fprintf(&b, "- %s: `%s`\n- %s: `%s`\n- %s: %s\n", say(textExportFolder), l.Header.Cwd, say(textExportModel), l.Model,
		say(textExportStarted), l.Header.Created.UTC().Format(time.RFC3339))
	history := agent.Repair(l.Messages)
	results := resultsOf(history)
	var role agent.Role
	for _, m := range history {
		for _, block := range m.Blocks {
			if block.Kind == agent.BlockToolResult || block.Kind == agent.BlockThinking {
				continue
			}
			if m.Role != role {
				role = m.Role
				fmt.Fprintf(&b, "\n## %s\n", say(map[agent.Role]string{agent.RoleUser: textExportUser, agent.RoleAssistant: textExportAgent}[role]))
			}
			if block.Kind == agent.BlockContent {
				if text := strings.TrimSpace(contentText(*block.Content)); text != "" {
					fmt.Fprintf(&b, "\n%s\n", text)
				}
				continue
			}
			note := l.notes[block.ID]
			fmt.Fprintf(&b, "\n**%s** (`%s`)\n\n%s", orElse(note.Title, block.Name), block.Name, fenced("json", string(block.Input)))
			result, ok := results[block.ID]
			if !ok {
				continue
			}
			head := textExportResult
			if result.IsError {
				head = textExportFailed
			}
			var texts []string
			for _, c := range result.Result {
				texts = append(texts, contentText(c))
			}
			fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n%s\n</details>\n", say(head), fenced("", strings.Join(texts, "\n")))
		}
	}
	return b.String()
}

// fenced is text as a block of code, however many backquotes are in it.
func fenced(kind, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + kind + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// exported is a conversation as JSON. The messages are the journal's.
type exported struct {
	SessionID string          `json:"sessionId"`
	Cwd       string          `json:"cwd"`
	Title     string          `json:"title"`
	Model     string          `json:"model"`
	Mode      string          `json:"mode"`
	Created   time.Time       `json:"created"`
	Parent    string          `json:"parent,omitzero"`
	Messages  []agent.Message `json:"messages"`
	// Tasks are what the sub-agents said, by the id of their task's call.
	Tasks map[string][]agent.Message `json:"tasks,omitempty"`
}

// JSON writes the conversation with everything that is in it, without the compactions.
func (l Log) JSON() (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	messages := agent.Repair(l.Messages)
	if messages == nil {
		messages = []agent.Message{}
	}
	tasks := map[string][]agent.Message{}
	for call, log := range l.children {
		tasks[call] = agent.Repair(log.messages)
	}
	err := enc.Encode(exported{
		SessionID: l.Header.ID, Cwd: l.Header.Cwd, Title: l.Title, Model: l.Model, Mode: string(l.Mode),
		Created: l.Header.Created, Parent: l.Header.Parent, Messages: messages, Tasks: tasks,
	})
	return b.String(), err
}
