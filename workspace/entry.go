package workspace

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/tailscale/hujson"
)

// readServers reads "mcp_servers". Every entry becomes one of the settings, also
// one that cannot be used: it is shown to the user, with the reason.
func (d *decoder) readServers(m member) {
	all, ok := d.object("mcp_servers", m.value)
	if !ok {
		return
	}
	d.settings.MCPServers = make(map[string]mcp.ServerConfig)
	for _, m := range d.members(all) {
		e := entryDecoder{decoder: d, name: m.name, entry: m}
		d.settings.MCPServers[m.name] = e.read()
	}
}

// entryDecoder reads one entry of "mcp_servers" and gathers its problems.
type entryDecoder struct {
	*decoder
	name     string
	entry    member
	config   mcp.ServerConfig
	problems []string
}

// read returns the entry. Its problems are diagnostics and, together,
// Origin.Problem.
func (e *entryDecoder) read() mcp.ServerConfig {
	if err := mcp.CheckName(e.name); err != nil {
		e.problem(e.entry.key, CodeInvalidEntry, e.lang.Error(err))
	}
	fields := e.fields()
	if len(e.problems) == 0 {
		// Only of an entry that was read whole: after "command must be a string" the
		// complaint that there is no command would mislead.
		e.check(fields)
	}
	line, column := e.lines.position(e.entry.key.StartOffset)
	e.config.Origin = mcp.Origin{
		Scope: e.scope, File: e.file, Line: line, Column: column,
		Problem:  strings.Join(e.problems, "; "),
		Approved: e.scope == mcp.ScopeUser,
	}
	return e.config
}

// check notes what mcp finds wrong with the entry, each at its field.
func (e *entryDecoder) check(fields []member) {
	err := e.config.Check()
	if err == nil {
		return
	}
	parts := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		parts = joined.Unwrap()
	}
	for _, err := range parts {
		at := e.entry.key
		var field *mcp.FieldError
		if errors.As(err, &field) {
			// "args[2]" and "env.A" are at args and env: near enough.
			name, _, _ := strings.Cut(field.Field, ".")
			name, _, _ = strings.Cut(name, "[")
			for _, m := range fields {
				if m.name == name {
					at = m.value
				}
			}
		}
		e.problem(at, CodeInvalidEntry, e.lang.Error(err))
	}
}

// fields reads the fields and returns them.
func (e *entryDecoder) fields() []member {
	fields, ok := e.entry.value.Value.(*hujson.Object)
	if !ok {
		e.problem(e.entry.value, CodeWrongType, e.say(msgType, e.word(msgTheEntry), e.word(nounObject), e.word(noun(e.entry.value))))
		return nil
	}
	members := e.members(fields)
	for _, m := range members {
		e.field(m)
	}
	return members
}

func (e *entryDecoder) field(m member) {
	index, known := serverFields()[m.name]
	switch {
	case e.foreign(m):
	case (m.name == "trust_annotations" || m.name == "sampling") && e.scope == mcp.ScopeProject:
		e.key(m, SeverityWarning, CodeUserScopeOnly, msgUserScope, m.name)
	case known:
		e.set(reflect.ValueOf(&e.config).Elem().Field(index), m)
	default:
		e.unknown(m, sortedKeys(serverFields()))
	}
}

// set stores the value of m in a field of the config. null is as good as absent.
func (e *entryDecoder) set(field reflect.Value, m member) {
	v := m.value
	if kind(v) == 'n' {
		return
	}
	switch to := field.Addr().Interface().(type) {
	case *string:
		if kind(v) != '"' {
			e.typeProblem(m.name, nounString, v)
			return
		}
		*to = text(v)
	case *bool:
		if k := kind(v); k != 't' && k != 'f' {
			e.typeProblem(m.name, nounBoolean, v)
			return
		}
		*to = kind(v) == 't'
	case *int:
		number, _ := v.Value.(hujson.Literal)
		n, err := strconv.ParseInt(string(number), 10, 32)
		if err != nil {
			e.typeProblem(m.name, nounInteger, v)
			return
		}
		*to = int(n)
	case *[]string:
		e.setStrings(to, m)
	case *map[string]string:
		e.setMap(to, m)
	case *mcp.ToolFilter:
		e.setTools(to, m)
	case *mcp.OAuth:
		e.setOAuth(to, m)
	default:
		// A field that mcp has and this decoder cannot read: a test sees to it that
		// there is none.
		e.problem(v, CodeNotImplemented, e.say(msgNotImplemented, m.name))
	}
}

func (e *entryDecoder) setStrings(to *[]string, m member) {
	list, ok := m.value.Value.(*hujson.Array)
	if !ok {
		e.typeProblem(m.name, nounStrings, m.value)
		return
	}
	for i := range list.Elements {
		v := &list.Elements[i]
		if kind(v) != '"' {
			e.typeProblem(fmt.Sprintf("%s[%d]", m.name, i), nounString, v)
			continue
		}
		*to = append(*to, text(v))
	}
}

func (e *entryDecoder) setTools(to *mcp.ToolFilter, m member) {
	object, ok := m.value.Value.(*hujson.Object)
	if !ok {
		e.typeProblem(m.name, nounObject, m.value)
		return
	}
	for _, m2 := range e.members(object) {
		list := map[string]*[]string{"allow": &to.Allow, "deny": &to.Deny}[m2.name]
		if list == nil {
			e.unknown(m2, []string{"allow", "deny"})
			continue
		}
		m2.name = m.name + "." + m2.name
		e.setStrings(list, m2)
	}
}

func (e *entryDecoder) setOAuth(to *mcp.OAuth, m member) {
	object, ok := m.value.Value.(*hujson.Object)
	if !ok {
		e.typeProblem(m.name, nounObject, m.value)
		return
	}
	fields := fieldsOf(reflect.TypeFor[mcp.OAuth]())
	for _, m2 := range e.members(object) {
		index, known := fields[m2.name]
		switch {
		case !known:
			e.unknown(m2, sortedKeys(fields))
		case m2.name == "private_key_file" && e.scope == mcp.ScopeProject:
			e.key(m2, SeverityWarning, CodeUserScopeOnly, msgUserScope, m.name+"."+m2.name)
		default:
			m2.name = m.name + "." + m2.name
			e.set(reflect.ValueOf(to).Elem().Field(index), m2)
		}
	}
}

func (e *entryDecoder) setMap(to *map[string]string, m member) {
	object, ok := m.value.Value.(*hujson.Object)
	if !ok {
		e.typeProblem(m.name, nounMap, m.value)
		return
	}
	for _, m2 := range e.members(object) {
		if kind(m2.value) != '"' {
			e.typeProblem(m.name+"."+m2.name, nounString, m2.value)
			continue
		}
		if *to == nil { // an empty object is the same as none
			*to = make(map[string]string)
		}
		(*to)[m2.name] = text(m2.value)
	}
}

// foreign reports whether m is how another program writes an entry, and says how
// it is written here. What such a key would have meant decides whether the entry
// can be used without it: "enabled": false must not start a server.
func (e *entryDecoder) foreign(m member) bool {
	switch m.name {
	case "transport":
		if kind(m.value) == '"' {
			e.problem(m.key, CodeForeignShape, e.say(msgForeignField, m.name, `"type"`))
			break
		}
		e.problem(m.key, CodeForeignShape, e.say(msgForeignTransprt))
	case "command":
		if kind(m.value) != '[' {
			return false
		}
		e.problem(m.value, CodeForeignShape, e.say(msgForeignCommand))
	case "type":
		use := foreignTypes[plain(stringOr(m.value))]
		if use == "" || use == stringOr(m.value) {
			return false
		}
		e.problem(m.value, CodeForeignShape, e.say(msgForeignType, stringOr(m.value), use))
	case "autoApprove", "alwaysAllow", "autoApproved":
		e.key(m, SeverityWarning, CodeForeignShape, msgForeignField, m.name, e.say(msgUseAllow, "mcp("+e.name+"/<tool>)"))
	default:
		use := foreignFields[m.name]
		if use == "" {
			return false
		}
		e.problem(m.key, CodeForeignShape, e.say(msgForeignField, m.name, e.word(use)))
	}
	return true
}

// foreignTypes maps the plain spelling of other programs' types to ours. "sse" is
// a type of its own, which mcp judges.
var foreignTypes = map[string]string{
	"streamablehttp": "http", "httpstream": "http", "streaminghttp": "http", "remote": "http", "http": "http",
	"local": "stdio", "command": "stdio", "process": "stdio", "stdio": "stdio",
}

// foreignFields maps other programs' keys, without which an entry would do
// something else than it says, to what is written here.
var foreignFields = map[string]string{
	"httpUrl": `"url"`, "serverUrl": `"url"`, "server_url": `"url"`, "uri": `"url"`, "endpoint": `"url"`,
	"environment": `"env"`, "http_headers": `"headers"`, "requestInit": `"headers"`,
	"bearer_token_env_var": `"headers": {"Authorization": "Bearer ${VAR}"}`,
	"env_vars":             `"env_from"`, "envFile": msgEnvOrFrom, "env_file": msgEnvOrFrom,
	"enabled": `"disabled"`, "workingDirectory": `"cwd"`, "working_directory": `"cwd"`,
}

func (e *entryDecoder) typeProblem(field, want string, v *hujson.Value) {
	e.problem(v, CodeWrongType, e.say(msgType, field, e.word(want), e.word(noun(v))))
}

// problem notes why the entry cannot be used, at v.
func (e *entryDecoder) problem(v *hujson.Value, c Code, message string) {
	e.problems = append(e.problems, message)
	e.at(v.StartOffset, v.EndOffset, SeverityError, c, msgServerProblem, e.name, message)
}

func stringOr(v *hujson.Value) string {
	if kind(v) != '"' {
		return ""
	}
	return text(v)
}

// serverFields maps the keys of an entry to the index of their field: what mcp
// declares is what a file may say.
var serverFields = sync.OnceValue(func() map[string]int { return fieldsOf(reflect.TypeFor[mcp.ServerConfig]()) })

// fieldsOf maps the keys of what is read into a struct to the index of their field.
func fieldsOf(t reflect.Type) map[string]int {
	out := make(map[string]int)
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			out[name] = i
		}
	}
	return out
}
