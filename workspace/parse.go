package workspace

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
	"github.com/tailscale/hujson"
)

// Bounds of a settings file, far above any real one. The parser is recursive, so
// depth must be bounded before it runs: a stack overflow cannot be recovered.
const (
	maxSettingsBytes = 1 << 20
	maxDepth         = 64
	maxDiagnostics   = 200 // of one file; nobody reads more
)

var (
	topKeys        = []string{"model", "fallback_model", "providers", "model_info", "mcp_servers", "permissions"}
	providerKeys   = []string{"type", "api", "base_url", "api_key", "models", "ca_file", "tool_references"}
	modelInfoKeys  = []string{"context_tokens", "max_tokens", "price_input", "price_output", "price_cached_read", "price_cached_write"}
	permissionKeys = []string{"mode", "allow", "ask", "deny"}
)

// ParseSettings reads the text of the settings file at the absolute path file. The
// text may have comments, trailing commas and a byte order mark. Messages are in the language l. ok is false when
// the file as a whole is bad; otherwise what is wrong is left out, each part by
// itself, and named in the diagnostics. What scope may not set is left out too.
//
// Values are kept as written. Whether a project's model is one the user configured
// and which entries are approved depends on more than one file and is not decided
// here.
func ParseSettings(file string, scope mcp.Scope, text []byte, l lang.Lang) (s Settings, diagnostics []Diagnostic, ok bool) {
	d := parse(file, scope, text, l)
	return d.settings, d.diagnostics, !d.bad
}

// decoder reads one file; its fields are the result.
type decoder struct {
	file  string
	scope mcp.Scope
	lang  lang.Lang // of the messages
	lines *lines

	settings    Settings
	diagnostics []Diagnostic
	bad         bool
	model       Diagnostic // where the model stands, for what is found out later
}

func parse(file string, scope mcp.Scope, text []byte, l lang.Lang) *decoder {
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	d := &decoder{file: file, scope: scope, lang: l, lines: newLines(text)}
	root, ok := d.tree(text)
	if !ok {
		d.bad = true
		d.diagnostics[len(d.diagnostics)-1].WholeFile = true
		return d
	}
	d.top(root)
	sortDiagnostics(d.diagnostics)
	return d
}

// tree parses text, or reports why it cannot be.
func (d *decoder) tree(text []byte) (*hujson.Object, bool) {
	switch {
	case bytes.HasPrefix(text, []byte("\xFF\xFE")), bytes.HasPrefix(text, []byte("\xFE\xFF")), bytes.IndexByte(text, 0) >= 0:
		d.at(0, 0, SeverityError, CodeEncoding, msgUTF16)
		return nil, false
	case len(text) > maxSettingsBytes:
		d.at(0, 0, SeverityError, CodeTooLarge, msgTooLarge, maxSettingsBytes>>10)
		return nil, false
	case !utf8.Valid(text):
		bad := invalidUTF8(text)
		d.at(bad, bad+1, SeverityError, CodeEncoding, msgNotUTF8)
		return nil, false
	case len(bytes.TrimSpace(text)) == 0:
		d.at(0, 0, SeverityError, CodeEmpty, msgEmpty)
		return nil, false
	}
	if at := tooDeep(text, maxDepth); at >= 0 {
		d.at(at, at+1, SeverityError, CodeTooLarge, msgTooDeep, maxDepth)
		return nil, false
	}
	// The grammar wants a line break after a line comment, also after the last.
	v, err := hujson.Parse(append(text[:len(text):len(text)], '\n'))
	if err != nil {
		at, why := d.syntax(err)
		d.at(at, at+1, SeverityError, CodeSyntax, msgSyntax, syntaxText(why))
		return nil, false
	}
	root, ok := v.Value.(*hujson.Object)
	if !ok {
		d.at(v.StartOffset, v.EndOffset, SeverityError, CodeWrongType, msgNotObject)
		return nil, false
	}
	return root, true
}

// syntax takes the place out of an error of the parser, which counts columns in
// bytes.
func (d *decoder) syntax(err error) (offset int, why string) {
	var line, column int
	why = strings.TrimPrefix(err.Error(), "hujson: ")
	if n, _ := fmt.Sscanf(why, "line %d, column %d:", &line, &column); n != 2 || line < 1 {
		return 0, why
	}
	_, why, _ = strings.Cut(why, ": ")
	if strings.HasPrefix(why, "invalid literal") {
		why = "invalid literal" // without what it is: it may be a key that lacks its quotes
	}
	if line > len(d.lines.starts) { // at the end, behind the line break that was added
		return len(d.lines.text), why
	}
	return d.lines.starts[line-1] + column - 1, why
}

// syntaxText is a finding of the parser that can be translated; one we do not know
// stays as it is.
func syntaxText(why string) lang.Message {
	for _, format := range syntaxFormats {
		before, after, filled := strings.Cut(format, "%s")
		what, ok := strings.CutPrefix(why, before)
		if what, ok2 := strings.CutSuffix(what, after); filled && ok && ok2 {
			return lang.Messagef(zh, format, what)
		}
		if why == format {
			return lang.MessageOf(zh, format)
		}
	}
	return lang.Plain(why)
}

// top reads the whole object.
func (d *decoder) top(root *hujson.Object) {
	for _, m := range d.members(root) {
		if d.scope == mcp.ScopeProject && (m.name == "providers" || m.name == "model_info" || m.name == "fallback_model") {
			d.key(m, SeverityWarning, CodeUserScopeOnly, msgUserScope, m.name)
			continue
		}
		switch m.name {
		case "model":
			d.readModel(m)
		case "fallback_model":
			if model, ok := d.modelID(m); ok {
				d.settings.FallbackModel = model
			}
		case "providers":
			d.readProviders(m)
		case "model_info":
			d.readModelInfo(m)
		case "mcp_servers":
			d.readServers(m)
		case "permissions":
			d.readPermissions(m)
		case "mcpServers", "mcp", "servers", "context_servers", "mcp-servers":
			d.key(m, SeverityError, CodeForeignShape, msgForeignServers, m.name)
		case "$schema": // for editors
		default:
			d.unknown(m, topKeys)
		}
	}
}

func (d *decoder) readModel(m member) {
	if model, ok := d.modelID(m); ok {
		d.settings.Model = model
		d.model = d.place(m.value.StartOffset, m.value.EndOffset)
	}
}

// modelID reads "<provider>/<model>" or "offline".
func (d *decoder) modelID(m member) (string, bool) {
	model, ok := d.str(m.name, m.value)
	if !ok {
		return "", false
	}
	if provider, name, slash := strings.Cut(model, "/"); model != "offline" && (!slash || provider == "" || name == "") {
		d.value(m, SeverityError, CodeInvalidValue, msgModelShape, m.name)
		return "", false
	}
	return model, true
}

func (d *decoder) readProviders(m member) {
	all, ok := d.object("providers", m.value)
	if !ok {
		return
	}
	d.settings.Providers = make(map[string]Provider)
	for _, m := range d.members(all) {
		if p, ok := d.readProvider(m); ok {
			d.settings.Providers[m.name] = p
		}
	}
}

func (d *decoder) readProvider(m member) (p Provider, ok bool) {
	if m.name == "" || strings.Contains(m.name, "/") {
		d.key(m, SeverityError, CodeInvalidEntry, msgProviderName)
		return p, false
	}
	fields, ok := d.object(d.say(msgProvider, m.name), m.value)
	if !ok {
		return p, false
	}
	good := true
	for _, f := range d.members(fields) {
		what := "providers." + m.name + "." + f.name
		ok := true
		switch f.name {
		case "type":
			p.Type, ok = d.str(what, f.value)
		case "api":
			p.API, ok = d.str(what, f.value)
			if ok && p.API != "chat_completions" && p.API != "responses" {
				d.value(f, SeverityError, CodeInvalidValue, msgProviderAPI, p.API)
				ok = false
			}
		case "tool_references":
			p.ToolReferences, ok = d.boolean(what, f.value)
		case "ca_file":
			p.CAFile, ok = d.str(what, f.value)
		case "base_url":
			p.BaseURL, ok = d.str(what, f.value)
		case "api_key":
			p.APIKey, ok = d.str(what, f.value)
		case "models":
			p.Models, ok = d.strs(what, f.value)
		default:
			d.unknown(f, providerKeys)
		}
		good = good && (ok || kind(f.value) == 'n')
	}
	if !good {
		return p, false // already said
	}
	if p.Type == "" && (m.name == "anthropic" || m.name == "openai") {
		p.Type = m.name
	}
	switch p.Type {
	case "anthropic", "openai":
		return p, true
	case "":
		d.key(m, SeverityError, CodeInvalidEntry, msgProviderNoType, m.name)
	default:
		d.key(m, SeverityError, CodeInvalidEntry, msgProviderType, m.name, p.Type)
	}
	return p, false
}

func (d *decoder) readPermissions(m member) {
	fields, ok := d.object("permissions", m.value)
	if !ok {
		return
	}
	for _, f := range d.members(fields) {
		if d.scope == mcp.ScopeProject && (f.name == "allow" || f.name == "mode") {
			d.key(f, SeverityWarning, CodeUserScopeOnly, msgUserScope, "permissions."+f.name)
			continue
		}
		switch f.name {
		case "mode":
			d.readMode(f)
		case "allow":
			d.settings.Permissions.Allow = d.readRules(f)
		case "ask":
			d.settings.Permissions.Ask = d.readRules(f)
		case "deny":
			d.settings.Permissions.Deny = d.readRules(f)
		default:
			d.unknown(f, permissionKeys)
		}
	}
}

func (d *decoder) readMode(m member) {
	mode, ok := d.str("permissions.mode", m.value)
	if !ok {
		return
	}
	switch mode := permission.Mode(mode); mode {
	case permission.ModeDefault, permission.ModeAcceptEdits, permission.ModePlan, permission.ModeAuto:
		d.settings.Permissions.Mode = mode
	default:
		d.value(m, SeverityError, CodeInvalidValue, msgMode, string(mode))
	}
}

// readRules reads a list of rules, leaving out each that is none.
func (d *decoder) readRules(m member) []string {
	list, ok := d.array("permissions."+m.name, m.value)
	if !ok {
		return nil
	}
	var rules []string
	for i := range list.Elements {
		e := &list.Elements[i]
		rule, ok := d.str(fmt.Sprintf("permissions.%s[%d]", m.name, i), e)
		if !ok {
			continue
		}
		if _, err := permission.ParseRule(rule); err != nil {
			d.at(e.StartOffset, e.EndOffset, SeverityError, CodeInvalidValue, msgRule, err)
			continue
		}
		rules = append(rules, rule)
	}
	return rules
}
