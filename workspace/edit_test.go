package workspace

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

const commented = `// mine
{
  "model": "offline", // until the key comes
  "mcp_servers": {
    // reads files
    "files": {"command": "npx", "args": ["-y", "x"]}, // pinned
    /* asks the tracker */
    "github": {
      "url": "https://example.test/mcp", // the new one
      "headers": {
        "Authorization": "Bearer ${GH}", // read only
        "X-Team": "shop"
      },
    },
    // none below
  },
  "permissions": {"deny": ["bash(rm *)"]}
}
// end`

// Rewriting settings through a struct lost comments, order and keys that the program
// did not know (voocel/codebot, EditUserSettings).
func TestAnEditTouchesNothingButItsEntry(t *testing.T) {
	for name, c := range map[string]struct {
		before string
		edit   ServerEdit
		// replaced and with: the one difference between before and what is wanted.
		replaced, with string
	}{
		"disable on one line": {commented, DisableServer("files"),
			`["-y", "x"]}, // pinned`, `["-y", "x"], "disabled": true}, // pinned`},
		"disable over several lines with a trailing comma": {commented, DisableServer("github"),
			"      },\n    },", "      },\n      \"disabled\": true,\n    },"},
		"remove": {commented, RemoveServer("files"),
			`    "files": {"command": "npx", "args": ["-y", "x"]}, // pinned`, `    // pinned`},
		"remove the last": {commented, RemoveServer("github"), `    "github": {
      "url": "https://example.test/mcp", // the new one
      "headers": {
        "Authorization": "Bearer ${GH}", // read only
        "X-Team": "shop"
      },
    },
`, ""},
		"add behind the last": {commented, AddServer("a", []byte(`{"command":"b","args":["c"],"env":{}}`)), "    // none below\n", `    // none below
    "a": {
      "command": "b",
      "args": ["c"],
      "env": {}
    },
`},
		"update in place": {commented, UpdateServer("github", []byte(`{"headers":{"X-Team":"store","Authorization":"Bearer ${GH}"},"url":"https://example.test/mcp"}`)),
			`"X-Team": "shop"`, `"X-Team": "store"`},
		"update takes out and puts in": {commented, UpdateServer("github", []byte(`{"url":"https://example.test/mcp","headers":{"Authorization":"Bearer ${GH}"},"call_timeout_ms":5}`)),
			`", // read only
        "X-Team": "shop"
      },
`, `" // read only
      },
      "call_timeout_ms": 5,
`},
		"enable":                      {`{"mcp_servers": {"a": {"command": "x", "disabled": true}}}`, EnableServer("a"), `, "disabled": true`, ``},
		"enable what comes first":     {`{"mcp_servers": {"a": {"disabled": true, "command": "x"}}}`, EnableServer("a"), `"disabled": true, `, ``},
		"enable what is enabled":      {`{"mcp_servers": {"a": {"command": "x"}}}`, EnableServer("a"), ``, ``},
		"enable both halves":          {`{"mcp_servers": {"a": {"disabled": true, "command": "x", "disabled": false}}}`, EnableServer("a"), `{"disabled": true, "command": "x", "disabled": false}`, `{"command": "x"}`},
		"disable what says it is not": {`{"mcp_servers": {"a": {"command": "x", "disabled": false}}}`, DisableServer("a"), `false`, `true`},
		"remove the only one":         {"{\"mcp_servers\": {\n  \"a\": {\"command\": \"x\"}\n}}", RemoveServer("a"), "\n  \"a\": {\"command\": \"x\"}", ""},
		"remove both of one name":     {`{"mcp_servers": {"a": {"command": "x"}, "b": {"command": "z"}, "a": {"command": "y"}}}`, RemoveServer("a"), `"a": {"command": "x"}, "b": {"command": "z"}, "a": {"command": "y"}`, `"b": {"command": "z"}`},
		"the first servers":           {"{\n\t\"model\": \"offline\"\n}\n", AddServer("a", []byte(`{"command":"b"}`)), "\"\n}", "\",\n\t\"mcp_servers\": {\n\t\t\"a\": {\n\t\t\t\"command\": \"b\"\n\t\t}\n\t}\n}"},
		"null is as good as none":     {`{"mcp_servers": null}`, AddServer("a", []byte(`{"command":"b"}`)), `null`, `{"a": {"command": "b"}}`},
		"CR LF":                       {"{\r\n    \"mcp_servers\": {\r\n    }\r\n}\r\n", AddServer("a", []byte(`{"command":"b"}`)), "{\r\n    }", "{\r\n        \"a\": {\r\n            \"command\": \"b\"\r\n        }\r\n    }"},
		"a byte order mark":           {"\xEF\xBB\xBF{\"mcp_servers\": {\"a\": {\"command\": \"x\"}}}", DisableServer("a"), `"x"`, `"x", "disabled": true`},
		"no file":                     {"", AddServer("a", []byte(`{"command":"b"}`)), "", "{\n  \"mcp_servers\": {\n    \"a\": {\n      \"command\": \"b\"\n    }\n  }\n}\n"},
		"a name that needs escapes":   {`{"mcp_servers": {"a\"\u0062": {"command": "x"}}}`, DisableServer(`a"b`), `"x"`, `"x", "disabled": true`},
		"a tool off":                  {`{"mcp_servers": {"a": {"command": "x"}}}`, SetTool("a", "drop", false), `"x"`, `"x", "tools": {"deny": ["drop"]}`},
		"a second tool off":           {`{"mcp_servers": {"a": {"command": "x", "tools": {"allow": ["*"] /* all */, "deny": ["drop"]}}}}`, SetTool("a", "a*b", false), `["drop"]`, `["drop", "a\\*b"]`},
		"a tool off that is off":      {`{"mcp_servers": {"a": {"command": "x", "tools": {"deny": ["d*"]}}}}`, SetTool("a", "drop", false), ``, ``},
		"a tool on":                   {`{"mcp_servers": {"a": {"command": "x", "tools": {"deny": ["drop", "kill"]}}}}`, SetTool("a", "drop", true), `["drop", "kill"]`, `["kill"]`},
		"the last tool on":            {`{"mcp_servers": {"a": {"command": "x", "tools": {"deny": ["drop"]}}}}`, SetTool("a", "drop", true), `"deny": ["drop"]`, ``},
		"a tool on beside a list":     {`{"mcp_servers": {"a": {"command": "x", "tools": {"allow": ["get_*"]}}}}`, SetTool("a", "drop", true), `["get_*"]`, `["get_*", "drop"]`},
		"a comment at the end":        {"{\"mcp_servers\": {\n  \"a\": {\"command\": \"x\"} // last\n}}", AddServer("b", []byte(`{"command":"y"}`)), "\"} // last", "\"}, // last\n  \"b\": {\n    \"command\": \"y\"\n  }"},
	} {
		t.Run(name, func(t *testing.T) {
			want := strings.Replace(c.before, c.replaced, c.with, 1)
			got, err := c.edit.Apply(userFile, mcp.ScopeUser, []byte(c.before), lang.En)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// An edit that cannot be done says where and why, and what to do instead. A file that
// is not read is not written over: one client rewrote a file that it took for invalid
// without its servers (claude-code#9906, gemini-cli#25675).
func TestAnEditThatCannotBeDoneSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		before string
		edit   ServerEdit
		is     error
		says   string
	}{
		"bad file":             {`{"mcp_servers": {`, EnableServer("a"), ErrBadFile, "mend the file first"},
		"empty file":           {" ", EnableServer("a"), ErrBadFile, "empty"},
		"UTF-16":               {"\xFF\xFE{\x00}\x00", AddServer("a", []byte(`{"command":"x"}`)), ErrBadFile, "UTF-8"},
		"not UTF-8":            {"{\"model\": \"\xE9\"}", AddServer("a", []byte(`{"command":"x"}`)), ErrBadFile, "UTF-8"},
		"unknown":              {commented, EnableServer("z"), ErrUnknownServer, `"z"`},
		"taken":                {commented, AddServer("files", []byte(`{"command":"x"}`)), ErrServerExists, "another name"},
		"no object":            {commented, AddServer("a", []byte(`[]`)), ErrInvalidEntry, "an object, not a list"},
		"no JSON":              {commented, AddServer("a", []byte(`{"command"`)), ErrInvalidEntry, ""},
		"neither":              {commented, AddServer("a", []byte(`{}`)), ErrInvalidEntry, "neither"},
		"foreign":              {commented, UpdateServer("files", []byte(`{"command":["x"]}`)), ErrInvalidEntry, "list"},
		"a name of controls":   {commented, AddServer("a\u202eb", []byte(`{"command":"x"}`)), ErrInvalidEntry, "invisible"},
		"too large":            {commented, AddServer("a", []byte(`{"command":"`+strings.Repeat("x", maxSettingsBytes)+`"}`)), ErrInvalidEntry, "1024 KiB"},
		"too deep":             {commented, AddServer("a", []byte(`{"command":"x","y":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)+`}`)), ErrInvalidEntry, ""},
		"a tool off by a glob": {`{"mcp_servers": {"a": {"command": "x", "tools": {"deny": ["dr*"]}}}}`, SetTool("a", "drop", true), ErrInvalidEntry, `"dr*"`},
		"no object of servers": {`{"mcp_servers": 5}`, AddServer("a", []byte(`{"command":"x"}`)), nil, "mcp_servers is a number"},
		"no object of entry":   {`{"mcp_servers": {"a": []}}`, DisableServer("a"), nil, "mcp_servers.a is a list"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.edit.Apply(userFile, mcp.ScopeUser, []byte(c.before), lang.En)
			if err == nil {
				t.Fatalf("got %s", got)
			}
			if c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), userFile) {
				t.Errorf("got %q", err)
			}
			if strings.Contains(lang.ZhCN.Error(err), "mend the file") {
				t.Errorf("in Chinese it says %q", lang.ZhCN.Error(err))
			}
		})
	}
}

// Parse, edit, parse: only the wanted change; all comments are there; undone, it says
// what it said.
func FuzzServerEdit(f *testing.F) {
	for _, text := range []string{
		commented, "", "{}", `{"mcp_servers":{"a":{"command":"x"}}}`, "{/*a*/\"mcp_servers\"/*b*/:/*c*/{/*d*/\"a\"/*e*/:/*f*/{\"command\":\"x\"}/*g*/,/*h*/}/*i*/}//j",
		"{\"mcp_servers\": {\"a\": {\"command\": \"x\", // c\n\"disabled\": true // d\n}, \"a\": null}}", "\xEF\xBB\xBF{\r\n}",
		"{\"mcp_servers\": {\n\"a\": {\"url\": \"http://h\"}, /* x\n */ }}",
	} {
		for kind := range 5 {
			f.Add([]byte(text), "a", uint8(kind), []byte(`{"command":"y","args":["1","2"],"env":{"A":"b"}}`))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, name string, kind uint8, entry []byte) {
		edit := ServerEdit{name: name, kind: editKind(kind % 5)}
		if edit.kind >= editAdd {
			edit.entry = entry
		}
		got, err := edit.Apply(userFile, mcp.ScopeUser, text, lang.En)
		if err != nil {
			if got != nil {
				t.Errorf("an error and a text: %q", got)
			}
			return
		}
		before, _, _ := ParseSettings(userFile, mcp.ScopeUser, text, lang.En)
		after, _, ok := ParseSettings(userFile, mcp.ScopeUser, got, lang.En)
		if !ok {
			t.Fatalf("%q became a bad file: %q", text, got)
		}
		if kept := comments(text); !keeps(kept, comments(got), edit, text) {
			t.Errorf("comments %q of\n%s\nare lost in\n%s", kept, text, got)
		}
		old, now := strip(before.MCPServers), strip(after.MCPServers)
		want := maps.Clone(old)
		if want == nil {
			want = map[string]mcp.ServerConfig{}
		}
		switch edit.kind {
		case editRemove:
			delete(want, name)
		case editEnable, editDisable:
			c := want[name]
			c.Disabled = edit.kind == editDisable
			want[name] = c
		default:
			want[name] = now[name]
		}
		if len(now)+len(want) > 0 && !reflect.DeepEqual(now, want) {
			t.Errorf("%q\nbecame %q:\n%+v, want\n%+v", text, got, now, want)
		}
		before.MCPServers, after.MCPServers = nil, nil
		if !reflect.DeepEqual(before, after) {
			t.Errorf("%q\nbecame %q: something else changed", text, got)
		}
		if edit.kind == editAdd {
			undone, err := RemoveServer(name).Apply(userFile, mcp.ScopeUser, got, lang.En)
			if err != nil {
				t.Fatal(err)
			}
			if again, _, _ := ParseSettings(userFile, mcp.ScopeUser, undone, lang.En); len(old)+len(again.MCPServers) > 0 && !reflect.DeepEqual(strip(again.MCPServers), old) {
				t.Errorf("undone, %q says something else: %q", text, undone)
			}
		}
	})
}

// strip leaves out where entries stand; what is wrong with one may change with it.
func strip(servers map[string]mcp.ServerConfig) map[string]mcp.ServerConfig {
	out := make(map[string]mcp.ServerConfig, len(servers))
	for name, c := range servers {
		c.Origin = mcp.Origin{}
		out[name] = c
	}
	return out
}

// comments returns the comments of a text, in their order.
func comments(text []byte) []string {
	v, err := hujson.Parse(append(slices.Clone(text), '\n'))
	if err != nil {
		return nil
	}
	var out []string
	packed := v.Pack()
	for i := 0; i < len(packed); i++ {
		switch packed[i] {
		case '"':
			for i++; i < len(packed) && packed[i] != '"'; i++ {
				if packed[i] == '\\' {
					i++
				}
			}
		case '/':
			end := min(skipComment(packed, i)+1, len(packed))
			out = append(out, strings.TrimSpace(string(packed[i:end])))
			i = end - 1
		}
	}
	return out
}

// keeps reports whether got has the comments of want in their order. Those that
// were within what an edit took out may be gone.
func keeps(want, got []string, edit ServerEdit, text []byte) bool {
	i, missing := 0, 0
	for _, c := range want {
		j := slices.Index(got[i:], c)
		if j < 0 {
			missing++
			continue
		}
		i += j + 1
	}
	return missing == 0 || missing <= inside(text, edit)
}

// inside counts the comments within the members of the edit's name: of an entry that
// is removed or rewritten those may go. Of one that is switched they may not, unless
// they are within the member "disabled" itself.
func inside(text []byte, edit ServerEdit) int {
	v, err := hujson.Parse(append(slices.Clone(text), '\n'))
	if err != nil {
		return 0
	}
	count := 0
	for x := range v.All() {
		o, ok := x.Value.(*hujson.Object)
		if !ok {
			continue
		}
		for i := range o.Members {
			m := &o.Members[i]
			name := m.Name.Value.(hujson.Literal).String()
			switched := edit.kind == editEnable || edit.kind == editDisable
			if switched && name == "disabled" || !switched && name == edit.name {
				raw := append([]byte(nil), m.Name.AfterExtra...)
				raw = append(raw, m.Value.BeforeExtra...)
				val := hujson.Value{Value: m.Value.Value}
				raw = append(raw, val.Pack()...)
				count += len(comments(append(append([]byte("["), raw...), ']')))
			}
		}
	}
	return count
}
