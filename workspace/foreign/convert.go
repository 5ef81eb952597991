package foreign

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/secret"
)

// hidden stands in the place of a secret that is not shown.
const hidden = "…"

// types maps what other programs call a transport to ours, without hyphens and capitals.
// What a command or a url implies is left out.
var types = map[string]string{
	"sse": "sse", "streamablehttp": "", "httpstream": "", "http": "", "remote": "", "stdio": "", "local": "",
}

// converter makes one entry.
type converter struct {
	lang   lang.Lang
	client string
	entry  map[string]any
	notes  []string
}

func (p Place) convert(l lang.Lang, name string, from map[string]any) Server {
	c := converter{lang: l, client: p.Client, entry: map[string]any{}}
	for _, key := range slices.Sorted(maps.Keys(from)) {
		if from[key] != nil && !c.take(key, from[key]) {
			c.note(noteLeftOut, key)
		}
	}
	if c.entry["command"] == nil && c.entry["url"] == nil {
		c.note(noteBare)
	}
	s := Server{Name: name, Client: p.Client, File: p.File, Notes: c.notes}
	s.Entry, s.Shown = encoded(c.entry), encoded(masked(c.entry))
	return s
}

func encoded(entry map[string]any) json.RawMessage {
	raw, err := json.Marshal(entry)
	if err != nil {
		panic(err) // made of what JSON and TOML can say
	}
	return raw
}

func (c *converter) note(format string, args ...any) {
	if n := c.lang.Sprintf(zh, format, args...); !slices.Contains(c.notes, n) {
		c.notes = append(c.notes, n)
	}
}

// take brings one key over; false when it has no meaning here.
func (c *converter) take(key string, value any) bool {
	switch key {
	case "command":
		if list, ok := c.list(value); ok && len(list) > 0 { // program and arguments in one
			c.entry["command"] = list[0]
			c.add("args", list[1:])
			return true
		}
		return c.set("command", value)
	case "args":
		list, ok := c.list(value)
		c.add("args", list)
		return ok
	case "cwd", "workingDirectory", "working_directory":
		return c.set("cwd", value)
	case "url", "httpUrl", "serverUrl", "server_url", "uri", "endpoint":
		return c.set("url", value)
	case "env", "environment":
		return c.merge("env", value)
	case "headers", "http_headers":
		return c.merge("headers", value)
	case "requestInit":
		init, _ := value.(map[string]any)
		return c.merge("headers", init["headers"])
	case "env_http_headers":
		names, ok := value.(map[string]any)
		headers := map[string]any{}
		for header, name := range names {
			headers[header] = fmt.Sprintf("${%v}", name)
		}
		return c.merge("headers", headers) && ok
	case "bearer_token_env_var":
		return c.merge("headers", map[string]any{"Authorization": fmt.Sprintf("Bearer ${%v}", value)})
	case "env_vars":
		list, ok := c.list(value)
		c.add("env_from", list)
		return ok
	case "envFile", "env_file":
		c.note(noteEnvFile, fmt.Sprint(value))
		return true
	case "disabled":
		return c.off(value == true)
	case "enabled":
		return c.off(value == false)
	case "startup_timeout_sec":
		return c.milliseconds("connect_timeout_ms", value, 1000)
	case "startup_timeout_ms":
		return c.milliseconds("connect_timeout_ms", value, 1)
	case "tool_timeout_sec":
		return c.milliseconds("call_timeout_ms", value, 1000)
	case "oauth":
		return c.oauth(value)
	case "clientId", "clientSecret", "oauthPort": // ECA has them in the entry itself
		return c.oauth(map[string]any{key: value})
	case "type", "transport":
		kind, ok := value.(string)
		ours, known := types[strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(kind, "-", ""), "_", ""))]
		if ours != "" {
			c.entry["type"] = ours
		}
		return ok && known
	}
	return false
}

func (c *converter) set(key string, value any) bool {
	text, ok := value.(string)
	if ok && text != "" {
		c.entry[key] = c.variables(text)
	}
	return ok
}

// oauth brings the client of a login over, however its keys are spelt there.
func (c *converter) oauth(value any) bool {
	given, ok := value.(map[string]any)
	ours, _ := c.entry["oauth"].(map[string]any)
	if ours == nil {
		ours = map[string]any{}
	}
	for key, value := range given {
		switch strings.ToLower(strings.ReplaceAll(key, "_", "")) {
		case "clientid":
			ours["client_id"] = c.variables(fmt.Sprint(value))
		case "clientsecret":
			ours["client_secret"] = c.variables(fmt.Sprint(value))
		case "callbackport", "oauthport":
			switch port := value.(type) {
			case float64: // of JSON
				ours["callback_port"] = int(port)
			case int64: // of TOML
				ours["callback_port"] = int(port)
			default:
				ok = false
			}
		case "scope":
			ours["scopes"] = strings.Fields(fmt.Sprint(value))
		case "scopes":
			list, isList := c.list(value)
			ours["scopes"], ok = list, ok && isList
		default:
			c.note(noteLeftOut, "oauth."+key)
		}
	}
	if len(ours) > 0 {
		c.entry["oauth"] = ours
	}
	return ok
}

func (c *converter) off(disabled bool) bool {
	if disabled {
		c.entry["disabled"] = true
	}
	return true
}

func (c *converter) milliseconds(key string, value any, unit float64) bool {
	var n float64
	switch v := value.(type) {
	case float64:
		n = v
	case int64:
		n = float64(v)
	}
	n = math.Round(n * unit)
	if n <= 0 || n > math.MaxInt32 {
		return false
	}
	c.entry[key] = int64(n)
	return true
}

// list reads a list of strings, numbers among them.
func (c *converter) list(value any) ([]string, bool) {
	items, ok := value.([]any)
	var list []string
	for _, item := range items {
		list = append(list, c.variables(fmt.Sprint(item)))
	}
	return list, ok
}

func (c *converter) add(key string, list []string) {
	before, _ := c.entry[key].([]string)
	if list = append(slices.Clip(before), list...); len(list) > 0 {
		c.entry[key] = list
	}
}

// merge adds to an object of strings.
func (c *converter) merge(key string, value any) bool {
	from, ok := value.(map[string]any)
	if !ok {
		return false
	}
	to, _ := c.entry[key].(map[string]string)
	if to == nil {
		to = map[string]string{}
	}
	for name, v := range from {
		if v != nil {
			to[name] = c.variables(fmt.Sprint(v))
		}
	}
	if len(to) > 0 {
		c.entry[key] = to
	}
	return true
}

// variable is one of another program's.
var variable = regexp.MustCompile(`\$\{([A-Za-z]+):([^}:]+)(:-[^}]*)?\}|\$\{([A-Za-z][A-Za-z/_.]*)\}|\{(env|file):([^}]+)\}`)

// variables writes variables as they are written here.
func (c *converter) variables(text string) string {
	return variable.ReplaceAllStringFunc(text, func(at string) string {
		m := variable.FindStringSubmatch(at)
		kind, name := m[1]+m[5], m[2]+m[6]
		switch {
		case kind == "env":
			return "${" + name + m[3] + "}"
		case kind == "input":
			name = strings.ToUpper(notWord.ReplaceAllString(name, "_"))
			c.note(noteInput, name, c.client)
			return "${" + name + "}"
		case m[4] == "workspaceFolder", m[4] == "userHome", m[4] != "" && m[4] == strings.ToUpper(m[4]):
			return at
		}
		c.note(noteVariable, at)
		return at
	})
}

var notWord = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// masked is an entry without what is secret in it. What is taken from a variable is none.
func masked(entry map[string]any) map[string]any {
	entry = maps.Clone(entry)
	for _, key := range []string{"env", "headers"} {
		values, _ := entry[key].(map[string]string)
		if values == nil {
			continue
		}
		values = maps.Clone(values)
		for name, value := range values {
			if secret.Named(name) && !strings.Contains(value, "${") {
				values[name] = hidden
			}
		}
		entry[key] = values
	}
	if oauth, ok := entry["oauth"].(map[string]any); ok {
		if value, _ := oauth["client_secret"].(string); value != "" && !strings.Contains(value, "${") {
			oauth = maps.Clone(oauth)
			oauth["client_secret"] = hidden
			entry["oauth"] = oauth
		}
	}
	if args, ok := entry["args"].([]string); ok {
		args = slices.Clone(args)
		for i, arg := range args {
			if flag, value, ok := strings.Cut(arg, "="); ok && secret.Certain(flag) && !strings.Contains(value, "${") {
				args[i] = flag + "=" + hidden
			} else if i > 0 && strings.HasPrefix(args[i-1], "-") && secret.Certain(args[i-1]) && !strings.Contains(args[i-1], "=") && !strings.Contains(arg, "${") {
				args[i] = hidden
			}
		}
		entry["args"] = args
	}
	if address, ok := entry["url"].(string); ok {
		if u, err := url.Parse(address); err == nil {
			query := u.Query()
			for name, values := range query {
				if secret.Named(name) && !strings.Contains(strings.Join(values, ""), "${") {
					query.Set(name, hidden)
					u.RawQuery = query.Encode()
				}
			}
			if _, ok := u.User.Password(); ok {
				u.User = url.UserPassword(u.User.Username(), hidden)
			}
			if u.RawQuery != "" || u.User != nil {
				entry["url"] = u.String()
			}
		}
	}
	return entry
}
