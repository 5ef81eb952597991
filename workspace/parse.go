package workspace

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/codebot-ls/codebot-ls/mcp"
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
	topKeys        = []string{"model", "providers", "mcp_servers", "permissions"}
	providerKeys   = []string{"type", "base_url", "api_key", "models"}
	permissionKeys = []string{"mode", "allow", "ask", "deny"}
)

// ParseSettings reads the text of the settings file at the absolute path file. The
// text may have comments, trailing commas and a byte order mark. ok is false when
// the file as a whole is bad; otherwise what is wrong is left out, each part by
// itself, and named in the diagnostics. What scope may not set is left out too.
//
// Values are kept as written. Whether a project's model is one the user configured
// and which entries are approved depends on more than one file and is not decided
// here.
func ParseSettings(file string, scope mcp.Scope, text []byte) (s Settings, diagnostics []Diagnostic, ok bool) {
	d := parse(file, scope, text)
	return d.settings, d.diagnostics, !d.bad
}

// decoder reads one file; its fields are the result.
type decoder struct {
	file  string
	scope mcp.Scope
	lines *lines

	settings    Settings
	diagnostics []Diagnostic
	bad         bool
	model       Diagnostic // where the model stands, for what is found out later
}

func parse(file string, scope mcp.Scope, text []byte) *decoder {
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	d := &decoder{file: file, scope: scope, lines: newLines(text)}
	root, ok := d.tree(text)
	if !ok {
		d.bad = true
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
		d.at(at, at+1, SeverityError, CodeSyntax, msgSyntax, why)
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
	if line > len(d.lines.starts) { // at the end, behind the line break that was added
		return len(d.lines.text), why
	}
	return d.lines.starts[line-1] + column - 1, why
}

// top reads the whole object.
func (d *decoder) top(root *hujson.Object) {
	for _, m := range d.members(root) {
		if d.scope == mcp.ScopeProject && m.name == "providers" {
			d.key(m, SeverityWarning, CodeUserScopeOnly, msgUserScope, m.name)
			continue
		}
		switch m.name {
		case "model":
			d.readModel(m)
		case "providers":
			d.readProviders(m)
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
	model, ok := d.str("model", m.value)
	if !ok {
		return
	}
	if provider, name, slash := strings.Cut(model, "/"); model != "offline" && (!slash || provider == "" || name == "") {
		d.value(m, SeverityError, CodeInvalidValue, msgModelShape)
		return
	}
	d.settings.Model = model
	d.model = d.place(m.value.StartOffset, m.value.EndOffset)
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
	fields, ok := d.object("provider "+quote(m.name), m.value)
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

// member is one key of an object and its value.
type member struct {
	name       string
	key, value *hujson.Value
}

// members returns the members of o in the order of the file, of a key that is
// there twice the last, as JSON parsers do.
func (d *decoder) members(o *hujson.Object) []member {
	out := make([]member, 0, len(o.Members))
	at := make(map[string]int, len(o.Members))
	for i := range o.Members {
		m := member{text(&o.Members[i].Name), &o.Members[i].Name, &o.Members[i].Value}
		if first, twice := at[m.name]; twice {
			line, _ := d.lines.position(out[first].key.StartOffset)
			d.key(m, SeverityWarning, CodeDuplicateKey, msgDuplicate, m.name, line)
			out[first] = m
			continue
		}
		at[m.name] = len(out)
		out = append(out, m)
	}
	return out
}

// str, strs, object and array return the value as that, or report that it is
// something else. null is as good as absent: not ok, and nothing to report.

func (d *decoder) str(what string, v *hujson.Value) (string, bool) {
	if kind(v) != '"' {
		d.wrongType(what, nounString, v)
		return "", false
	}
	return text(v), true
}

func (d *decoder) strs(what string, v *hujson.Value) ([]string, bool) {
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		d.wrongType(what, nounStrings, v)
		return nil, false
	}
	var out []string
	for i := range list.Elements {
		e := &list.Elements[i]
		if kind(e) != '"' {
			d.elementType(fmt.Sprintf("%s[%d]", what, i), e)
			ok = false
			continue
		}
		out = append(out, text(e))
	}
	return out, ok
}

func (d *decoder) object(what string, v *hujson.Value) (*hujson.Object, bool) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		d.wrongType(what, nounObject, v)
	}
	return o, ok
}

func (d *decoder) array(what string, v *hujson.Value) (*hujson.Array, bool) {
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		d.wrongType(what, nounArray, v)
	}
	return a, ok
}

func (d *decoder) wrongType(what, want string, v *hujson.Value) {
	if kind(v) != 'n' {
		d.at(v.StartOffset, v.EndOffset, SeverityError, CodeWrongType, msgType, what, want, noun(v))
	}
}

// elementType reports an element of a list or map of strings; there null is wrong too.
func (d *decoder) elementType(what string, v *hujson.Value) {
	d.at(v.StartOffset, v.EndOffset, SeverityError, CodeWrongType, msgType, what, nounString, noun(v))
}

func (d *decoder) unknown(m member, known []string) {
	if near := suggest(m.name, known); near != "" {
		d.key(m, SeverityWarning, CodeUnknownKey, msgUnknownNear, m.name, near)
		return
	}
	d.key(m, SeverityWarning, CodeUnknownKey, msgUnknown, m.name)
}

// key and value report something of a member, at its key or its value.

func (d *decoder) key(m member, s Severity, c Code, format string, args ...any) {
	d.at(m.key.StartOffset, m.key.EndOffset, s, c, format, args...)
}

func (d *decoder) value(m member, s Severity, c Code, format string, args ...any) {
	d.at(m.value.StartOffset, m.value.EndOffset, s, c, format, args...)
}

func (d *decoder) at(start, end int, s Severity, c Code, format string, args ...any) {
	if len(d.diagnostics) >= maxDiagnostics {
		return
	}
	diag := d.place(start, end)
	diag.Severity, diag.Code, diag.Message = s, c, fmt.Sprintf(format, args...)
	d.diagnostics = append(d.diagnostics, diag)
}

// place is a diagnostic that says nothing yet.
func (d *decoder) place(start, end int) Diagnostic {
	p := Diagnostic{File: d.file}
	p.Line, p.Column = d.lines.position(start)
	p.EndLine, p.EndColumn = d.lines.position(end)
	return p
}

func kind(v *hujson.Value) hujson.Kind { return v.Value.Kind() }

// text is the value of a string literal.
func text(v *hujson.Value) string { return v.Value.(hujson.Literal).String() }

func noun(v *hujson.Value) string {
	switch kind(v) {
	case '{':
		return nounObject
	case '[':
		return nounArray
	case '"':
		return nounString
	case '0':
		return nounNumber
	case 'n':
		return nounNull
	default:
		return nounBoolean
	}
}

func quote(s string) string { return fmt.Sprintf("%q", s) }

func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// tooDeep returns the offset of the first bracket that is deeper than limit, or -1.
// It does not check the text otherwise.
func tooDeep(text []byte, limit int) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			if depth++; depth > limit {
				return i
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			i = skipComment(text, i)
		}
	}
	return -1
}

// skipComment returns the offset of the last byte of the comment at i, or i when
// there is none.
func skipComment(text []byte, i int) int {
	for _, c := range [...]struct{ open, close string }{{"//", "\n"}, {"/*", "*/"}} {
		if !bytes.HasPrefix(text[i:], []byte(c.open)) {
			continue
		}
		end := bytes.Index(text[i+2:], []byte(c.close))
		if end < 0 {
			return len(text)
		}
		return i + 2 + end + len(c.close) - 1
	}
	return i
}

// sortedKeys returns the keys of m in order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
