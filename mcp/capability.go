package mcp

import (
	"strings"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/session/permission"
)

// Words by which a tool gives away that it does more than read. They only ever
// raise the risk: no word makes a tool harmless. Those of the first list of each
// pair count in a tool's name and as the first word of its description, those of
// the second, which are hardly ever nouns, anywhere in the description as well.
// "API", "list" and the like are in none: they say nothing about what is done.
var (
	execVerbs = wordSet(`exec eval evaluate invoke launch spawn shell bash command script terminal start stop
		trigger rollback schedule`)
	execAnywhere = wordSet(`execute executes run runs kill kills terminate terminates restart restarts reboot shutdown
		deploy deploys redeploy install installs uninstall`)
	writeVerbs = wordSet(`set put patch add append change move post send publish save clear reset grant pay buy
		order charge upload commit push approve reject close assign submit enable disable import export archive cancel
		subscribe unsubscribe copy new make register reply comment label lock unlock mark sync apply restore`)
	writeAnywhere = wordSet(`create creates update updates write writes edit edits delete deletes remove removes insert
		inserts modify modifies replace replaces rename renames merge merges drop drops truncate truncates purge wipe
		erase destroy destroys revoke transfer transfers purchase refund overwrite overwrites upsert destructive`)
	networkVerbs    = wordSet(`search fetch browse http https url web remote download crawl scrape request proxy`)
	networkAnywhere = wordSet(`browses crawls downloads fetches scrapes internet`)
)

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// judgement is what the host makes of a tool's own claims.
type judgement struct {
	capability  permission.Capability
	reason      string
	destructive bool
	trustedRead bool
}

// judge decides what a tool can do. The host's policy is that a tool it knows
// nothing of can do anything. Annotations and words say more precisely what is to
// be feared; only the readOnlyHint of a server whose annotations the user trusts
// makes it less.
func judge(cfg ServerConfig, tool *sdk.Tool) judgement {
	var notes sdk.ToolAnnotations
	if tool.Annotations != nil {
		notes = *tool.Annotations
	}
	destructive := isTrue(notes.DestructiveHint) || strings.Contains(tool.Description, markDestructive)
	// A project's file may not vouch for its own servers.
	trusted := cfg.TrustAnnotations && cfg.Origin.Scope != ScopeProject
	if trusted && notes.ReadOnlyHint && !destructive {
		return judgement{capability: permission.CapabilityRead, trustedRead: true}
	}
	j := judgement{
		capability: permission.CapabilityUnknown, reason: textReasonUnknown,
		destructive: destructive,
	}
	words := wordsOf(tool)
	switch {
	case words.any(execVerbs, execAnywhere):
		j.capability, j.reason = permission.CapabilityExec, textReasonExec
	case destructive || words.any(writeVerbs, writeAnywhere):
		j.capability, j.reason = permission.CapabilityWrite, textReasonWrite
	case isTrue(notes.OpenWorldHint) || words.any(networkVerbs, networkAnywhere):
		j.capability, j.reason = permission.CapabilityNetwork, textReasonNetwork
	}
	return j
}

func isTrue(b *bool) bool { return b != nil && *b }

// toolWords are the words a tool is judged by, in lower case.
type toolWords struct {
	strong []string // of the name, and the description's first
	weak   []string // of the rest of the description
}

func wordsOf(tool *sdk.Tool) toolWords {
	w := toolWords{strong: splitWords(tool.Name)}
	if rest := splitWords(tool.Description); len(rest) > 0 {
		w.strong = append(w.strong, rest[0], singular(rest[0]))
		w.weak = rest[1:]
	}
	return w
}

func (w toolWords) any(verbs, anywhere map[string]bool) bool {
	for _, s := range w.strong {
		if verbs[s] || anywhere[s] {
			return true
		}
	}
	for _, s := range w.weak {
		if anywhere[s] {
			return true
		}
	}
	return false
}

// singular undoes the third person of a description's first verb: "Sends".
func singular(verb string) string {
	for _, end := range []string{"shes", "ches", "sses", "xes"} {
		if strings.HasSuffix(verb, end) {
			return strings.TrimSuffix(verb, "es")
		}
	}
	return strings.TrimSuffix(verb, "s")
}

// splitWords returns the words of s in lower case: it cuts at whatever is no
// letter or digit and where camelCase turns (getURLFor: get, url, for).
func splitWords(s string) []string {
	var words []string
	runes := []rune(s)
	start := -1
	flush := func(end int) {
		if start >= 0 && start < end {
			words = append(words, strings.ToLower(string(runes[start:end])))
		}
		start = -1
	}
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush(i)
			continue
		}
		if start >= 0 && unicode.IsUpper(r) &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			flush(i)
		}
		if start < 0 {
			start = i
		}
	}
	flush(len(runes))
	return words
}
