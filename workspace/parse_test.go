package workspace

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

const userFile, projectFile = "/home/u/.codebot/settings.json", "/p/.codebot/settings.json"

func parseUser(t *testing.T, text string) (Settings, []Diagnostic) {
	t.Helper()
	s, diags, ok := ParseSettings(userFile, mcp.ScopeUser, []byte(text), lang.En)
	if !ok {
		t.Fatalf("the file is bad: %v", diags)
	}
	return s, diags
}

// values returns the entries without where they stand, which is what an equality
// of entries means.
func values(servers map[string]mcp.ServerConfig) map[string]mcp.ServerConfig {
	out := maps.Clone(servers)
	for name, c := range out {
		c.Origin.Line, c.Origin.Column = 0, 0
		out[name] = c
	}
	return out
}

func TestSettingsSayEverything(t *testing.T) {
	s, diags := parseUser(t, `{
  // comments,
  "model": "local/qwen3", /* and trailing commas */
  "providers": {
    "local": {"type": "openai", "base_url": "http://127.0.0.1:11434/v1", "api_key": "${LOCAL_KEY:-none}", "models": ["qwen3"],},
    "anthropic": {"api_key": "keychain:anthropic"}
  },
  "mcp_servers": {
    "files": {"command": "npx", "args": ["-y", "x"], "env": {"A": "${A}"}, "env_from": ["B"], "cwd": "sub", "disabled": true, "connect_timeout_ms": 5},
    "web":   {"url": "https://example.test/mcp", "headers": {"Authorization": "Bearer ${T}"}, "call_timeout_ms": 60000, "trust_annotations": true},
  },
  "permissions": {"mode": "plan", "allow": ["read(**)"], "ask": ["bash(*)"], "deny": ["mcp(web/delete_*)"]},
}`)
	if len(diags) != 0 {
		t.Errorf("diagnostics of a good file: %v", diags)
	}
	origin := func(line, column int) mcp.Origin {
		return mcp.Origin{Scope: mcp.ScopeUser, File: userFile, Line: line, Column: column, Approved: true}
	}
	want := Settings{
		Model: "local/qwen3",
		Providers: map[string]Provider{
			"local":     {Type: "openai", BaseURL: "http://127.0.0.1:11434/v1", APIKey: "${LOCAL_KEY:-none}", Models: []string{"qwen3"}},
			"anthropic": {Type: "anthropic", APIKey: "keychain:anthropic"},
		},
		MCPServers: map[string]mcp.ServerConfig{
			"files": {Command: "npx", Args: []string{"-y", "x"}, Env: map[string]string{"A": "${A}"}, EnvFrom: []string{"B"}, Cwd: "sub", Disabled: true, ConnectTimeoutMs: 5, Origin: origin(9, 5)},
			"web":   {URL: "https://example.test/mcp", Headers: map[string]string{"Authorization": "Bearer ${T}"}, CallTimeoutMs: 60000, TrustAnnotations: true, Origin: origin(10, 5)},
		},
		Permissions: Permissions{Mode: permission.ModePlan, Allow: []string{"read(**)"}, Ask: []string{"bash(*)"}, Deny: []string{"mcp(web/delete_*)"}},
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
}

// A file whose meaning did not change parses to equal values, whatever was done to
// its looks: else every save restarts every server (Kilo-Org/kilocode#5817).
func TestSaveWithoutMeaningRestartsServers(t *testing.T) {
	base, _ := parseUser(t, `{"mcp_servers": {"a": {"command": "${HOME}/srv", "args": ["1"], "env": {"X": "1", "Y": "2"}}, "b": {"url": "http://x.test/"}}}`)
	for name, text := range map[string]string{
		"reordered":          `{"mcp_servers": {"b": {"url": "http://x.test/"}, "a": {"env": {"Y": "2", "X": "1"}, "args": ["1"], "command": "${HOME}/srv"}}}`,
		"commented":          "{\n// hello\n\"mcp_servers\": {\"a\": {\"command\": \"${HOME}/srv\", \"args\": [\"1\",], \"env\": {\"X\": \"1\", \"Y\": \"2\"}}, \"b\": {\"url\": \"http://x.test/\"},}}",
		"comment at the end": `{"mcp_servers": {"a": {"command": "${HOME}/srv", "args": ["1"], "env": {"X": "1", "Y": "2"}}, "b": {"url": "http://x.test/"}}} // no line break`,
		"bom":                "\xEF\xBB\xBF" + `{"mcp_servers": {"a": {"command": "${HOME}/srv", "args": ["1"], "env": {"X": "1", "Y": "2"}}, "b": {"url": "http://x.test/"}}}`,
		"defaults":           `{"mcp_servers": {"a": {"command": "${HOME}/srv", "args": ["1"], "env": {"X": "1", "Y": "2"}, "headers": {}, "env_from": [], "disabled": false, "cwd": null}, "b": {"url": "http://x.test/", "args": null}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := parseUser(t, text)
			if got, want := values(s.MCPServers), values(base.MCPServers); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

// What makes the whole file bad (so that its last good settings stay in force) and
// where it is said to be (gemini-cli#25675, copilot-cli#4323).
func TestBadFile(t *testing.T) {
	for name, c := range map[string]struct {
		text         string
		code         Code
		line, column int
		says         string
	}{
		"cut":          {"{\n  \"model\": \"offl", CodeSyntax, 2, 17, "JSON"},
		"missingComma": {"{\n  \"model\": \"offline\"\n  \"permissions\": {}\n}", CodeSyntax, 3, 3, "after object value"},
		"afterWide":    {"{\"模型😀\": tru}", CodeSyntax, 1, 10, "invalid"},
		"unquoted key": {"{\"api_key\": sk}", CodeSyntax, 1, 13, "not valid JSON: invalid literal"},
		"empty":        {"", CodeEmpty, 1, 1, "empty"},
		"blank":        {" \n\t", CodeEmpty, 1, 1, "empty"},
		"onlyComment":  {"// later", CodeSyntax, 1, 9, "EOF"},
		"list":         {"[]", CodeWrongType, 1, 1, "object"},
		"null":         {"null", CodeWrongType, 1, 1, "object"},
		"utf16le":      {"\xFF\xFE{\x00}\x00", CodeEncoding, 1, 1, "UTF-16"},
		"utf16be":      {"\xFE\xFF\x00{\x00}", CodeEncoding, 1, 1, "UTF-16"},
		"utf16noBOM":   {"{\x00}\x00", CodeEncoding, 1, 1, "UTF-16"},
		"latin1":       {"{\"model\": \"\xE9\"}", CodeEncoding, 1, 12, "UTF-8"},
		"deep":         {strings.Repeat("[", 1_000_000), CodeTooLarge, 1, 65, "deep"},
		"deepInKey":    {`{"x": ` + strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100) + "}", CodeTooLarge, 1, 322, "deep"},
		"large":        {"{" + strings.Repeat(" ", maxSettingsBytes) + "}", CodeTooLarge, 1, 1, "larger"},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags, ok := ParseSettings(userFile, mcp.ScopeUser, []byte(c.text), lang.En)
			if ok || len(diags) != 1 {
				t.Fatalf("ok = %v, diagnostics %v; want a bad file with one", ok, diags)
			}
			d := diags[0]
			if d.Code != c.code || d.Line != c.line || d.Column != c.column || !strings.Contains(d.Message, c.says) || d.Severity != SeverityError || d.File != userFile {
				t.Errorf("got %s [%s], want %d:%d %q [%s]", d, d.Code, c.line, c.column, c.says, c.code)
			}
		})
	}
}

// Brackets in strings and comments are no nesting.
func TestDepthCountsOnlyBrackets(t *testing.T) {
	many := strings.Repeat("[{", 100)
	s, diags := parseUser(t, "{ // "+many+"\n /* "+many+" */ \"model\": \"a/"+many+`\"`+many+"\"}")
	if len(diags) != 0 || s.Model != "a/"+many+`"`+many {
		t.Errorf("model %q, diagnostics %v", s.Model, diags)
	}
}

// What is wrong with a part of a file is named with its place and costs only that
// part. Each row is one problem in an otherwise good file.
func TestBadPartFailsAlone(t *testing.T) {
	for name, c := range map[string]struct {
		part string
		code Code
		at   string // the text the diagnostic points at
		says string
	}{
		"unknownKey":      {`"modle": "offline"`, CodeUnknownKey, `"modle"`, `did you mean "model"?`},
		"camelCase":       {`"mcp_server": {}`, CodeUnknownKey, `"mcp_server"`, `did you mean "mcp_servers"?`},
		"strange":         {`"colour": 1`, CodeUnknownKey, `"colour"`, `"colour" is ignored`},
		"modelType":       {`"model": 3`, CodeWrongType, `3`, "model must be a string, not a number"},
		"modelShape":      {`"model": "qwen3"`, CodeInvalidValue, `"qwen3"`, "<provider>/<model>"},
		"providersType":   {`"providers": []`, CodeWrongType, `[]`, "providers must be an object, not a list"},
		"providerType":    {`"providers": {"x": {"type": "cohere"}}`, CodeInvalidEntry, `"x"`, "cohere"},
		"providerNoType":  {`"providers": {"x": {}}`, CodeInvalidEntry, `"x"`, "type is missing"},
		"providerSlash":   {`"providers": {"x/y": {"type": "openai"}}`, CodeInvalidEntry, `"x/y"`, `"/"`},
		"providerKeyType": {`"providers": {"x": {"type": "openai", "api_key": ["sk-very-secret"]}}`, CodeWrongType, `["sk-very-secret"]`, "providers.x.api_key must be a string, not a list"},
		"mode":            {`"permissions": {"mode": "yolo"}`, CodeInvalidValue, `"yolo"`, "accept_edits"},
		"rule":            {`"permissions": {"deny": ["nonsense", "bash(rm *)"]}`, CodeInvalidValue, `"nonsense"`, "rule"},
		"ruleType":        {`"permissions": {"deny": [1]}`, CodeWrongType, `1`, "permissions.deny[0] must be a string"},
		"rulesType":       {`"permissions": {"deny": "bash(rm *)"}`, CodeWrongType, `"bash(rm *)"`, "permissions.deny must be a list"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "{\n  " + c.part + ",\n  \"mcp_servers\": {\"good\": {\"command\": \"srv\"}}\n}"
			s, diags := parseUser(t, text)
			checkDiagnostic(t, text, diags, c.code, c.at, c.says)
			if s.MCPServers["good"].Command != "srv" {
				t.Errorf("the good entry is lost: %+v", s.MCPServers)
			}
			for _, d := range diags {
				if strings.Contains(d.Message, "sk-very-secret") {
					t.Errorf("a secret in a message: %s", d)
				}
			}
		})
	}
}

// Entries as other programs write them are errors that name the field, and leave
// the others alone: claude-code#6204, mcphub.nvim#149, xum#1555.
func TestForeignOrBadEntryFailsAlone(t *testing.T) {
	for name, c := range map[string]struct {
		entry string
		code  Code
		at    string
		says  string
	}{
		"nestedTransport": {`{"transport": {"type": "http", "url": "http://x.test", "headers": {}}}`, CodeForeignShape, `"transport"`, "directly into the entry"},
		"transportName":   {`{"command": "srv", "transport": "stdio"}`, CodeForeignShape, `"transport"`, `use "type"`},
		"commandList":     {`{"command": ["npx", "-y", "x"]}`, CodeForeignShape, `["npx", "-y", "x"]`, "args"},
		"commandLine":     {`{"command": "npx -y x"}`, CodeInvalidEntry, `"npx -y x"`, "args"},
		"streamableHttp":  {`{"type": "streamableHttp", "url": "http://x.test"}`, CodeForeignShape, `"streamableHttp"`, `use "http"`},
		"streamable-http": {`{"type": "streamable-http", "url": "http://x.test"}`, CodeForeignShape, `"streamable-http"`, `use "http"`},
		"local":           {`{"type": "local", "command": "srv"}`, CodeForeignShape, `"local"`, `use "stdio"`},
		"remote":          {`{"type": "remote", "url": "http://x.test"}`, CodeForeignShape, `"remote"`, `use "http"`},
		"enabled":         {`{"command": "srv", "enabled": false}`, CodeForeignShape, `"enabled"`, `"disabled"`},
		"httpUrl":         {`{"httpUrl": "http://x.test"}`, CodeForeignShape, `"httpUrl"`, `"url"`},
		"environment":     {`{"command": "srv", "environment": {"A": "b"}}`, CodeForeignShape, `"environment"`, `"env"`},
		"neither":         {`{}`, CodeInvalidEntry, `"bad"`, "command"},
		"both":            {`{"command": "srv", "url": "http://x.test"}`, CodeInvalidEntry, `"srv"`, "url"},
		"unknownType":     {`{"type": "pigeon", "command": "srv"}`, CodeInvalidEntry, `"pigeon"`, "pigeon"},
		"noEntry":         {`"npx"`, CodeWrongType, `"npx"`, "must be an object, not a string"},
		"argNumber":       {`{"command": "srv", "args": ["-p", 80]}`, CodeWrongType, `80`, "args[1] must be a string, not a number"},
		"argsString":      {`{"command": "srv", "args": "-p"}`, CodeWrongType, `"-p"`, "args must be a list of strings, not a string"},
		"envNumber":       {`{"command": "srv", "env": {"PORT": 80}}`, CodeWrongType, `80`, "env.PORT must be a string, not a number"},
		"envList":         {`{"command": "srv", "env": ["A=b"]}`, CodeWrongType, `["A=b"]`, "env must be an object of strings, not a list"},
		"disabledString":  {`{"command": "srv", "disabled": "yes"}`, CodeWrongType, `"yes"`, "disabled must be true or false"},
		"timeoutFraction": {`{"command": "srv", "connect_timeout_ms": 1.5}`, CodeWrongType, `1.5`, "connect_timeout_ms must be a whole number"},
		"timeoutHuge":     {`{"command": "srv", "call_timeout_ms": 99999999999}`, CodeWrongType, `99999999999`, "call_timeout_ms must be a whole number"},
		"timeoutNegative": {`{"command": "srv", "call_timeout_ms": -1}`, CodeInvalidEntry, `-1`, "call_timeout_ms"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "{\"mcp_servers\": {\n  \"bad\": " + c.entry + ",\n  \"good\": {\"command\": \"srv\"}\n}}"
			s, diags := parseUser(t, text)
			checkDiagnostic(t, text, diags, c.code, c.at, c.says)
			bad, ok := s.MCPServers["bad"]
			if !ok || !strings.Contains(bad.Origin.Problem, c.says) {
				t.Errorf("the entry's row does not say why: %+v", bad)
			}
			if bad.Origin.Line != 2 || bad.Origin.Column != 3 {
				t.Errorf("the entry stands at %d:%d, want 2:3", bad.Origin.Line, bad.Origin.Column)
			}
			if good := s.MCPServers["good"]; good.Command != "srv" || good.Origin.Problem != "" {
				t.Errorf("the good entry: %+v", good)
			}
		})
	}
}

// Keys that do not change what an entry does are ignored with a warning.
func TestHarmlessKeyKeepsEntry(t *testing.T) {
	for name, c := range map[string]struct {
		field string
		code  Code
		says  string
	}{
		"typo":        {`"arg": ["x"]`, CodeUnknownKey, `did you mean "args"?`},
		"camelCase":   {`"connectTimeoutMs": 5`, CodeUnknownKey, `did you mean "connect_timeout_ms"?`},
		"unknown":     {`"icon": "x.png"`, CodeUnknownKey, `"icon" is ignored`},
		"autoApprove": {`"autoApprove": ["x"]`, CodeForeignShape, "mcp(srv/<tool>)"},
		"tools":       {`"tools": {"denny": ["x"]}`, CodeUnknownKey, `did you mean "deny"?`},
	} {
		t.Run(name, func(t *testing.T) {
			s, diags := parseUser(t, `{"mcp_servers": {"srv": {"command": "x", `+c.field+`}}}`)
			if len(diags) != 1 || diags[0].Code != c.code || diags[0].Severity != SeverityWarning || !strings.Contains(diags[0].Message, c.says) {
				t.Errorf("diagnostics %v", diags)
			}
			if e := s.MCPServers["srv"]; e.Command != "x" || e.Origin.Problem != "" {
				t.Errorf("entry %+v", e)
			}
		})
	}
}

func TestForeignServersKeyIsNamed(t *testing.T) {
	for _, key := range []string{"mcpServers", "servers", "mcp"} {
		text := `{"` + key + `": {"a": {"command": "x"}}}`
		s, diags := parseUser(t, text)
		checkDiagnostic(t, text, diags, CodeForeignShape, `"`+key+`"`, `"mcp_servers"`)
		if len(s.MCPServers) != 0 {
			t.Errorf("%s was read: %+v", key, s.MCPServers)
		}
	}
}

func TestDuplicateKeyIsNamedAndTheLastCounts(t *testing.T) {
	text := "{\"mcp_servers\": {\n\"a\": {\"command\": \"first\"},\n\"a\": {\"command\": \"x\", \"command\": \"second\"}\n}}"
	s, diags := parseUser(t, text)
	if len(diags) != 2 || diags[0].Code != CodeDuplicateKey || diags[0].Line != 3 || diags[0].Column != 1 || !strings.Contains(diags[0].Message, "line 2") ||
		diags[1].Line != 3 || diags[1].Column != 23 {
		t.Errorf("diagnostics %v", diags)
	}
	if got := s.MCPServers["a"]; got.Command != "second" || got.Origin.Line != 3 {
		t.Errorf("entry %+v", got)
	}
}

// A project's file sets nothing that would reach the user's keys, choose the
// endpoint or loosen a permission (CVE-2026-21852).
func TestProjectScopeSetsOnlyWhatItMay(t *testing.T) {
	s, diags, ok := ParseSettings(projectFile, mcp.ScopeProject, []byte(`{
  "model": "a/b",
  "providers": {"anthropic": {"type": "anthropic", "base_url": "http://evil.test", "api_key": "${ANTHROPIC_API_KEY}"}},
  "mcp_servers": {"a": {"command": "x", "trust_annotations": true}},
  "permissions": {"mode": "auto", "allow": ["bash(*)"], "ask": ["read(**)"], "deny": ["edit(**)"]}
}`), lang.En)
	if !ok {
		t.Fatal("bad file")
	}
	if s.Providers != nil || s.Permissions.Mode != "" || s.Permissions.Allow != nil || s.MCPServers["a"].TrustAnnotations {
		t.Errorf("a project set %+v", s)
	}
	if s.MCPServers["a"].Command != "x" || s.MCPServers["a"].Origin.Approved || s.MCPServers["a"].Origin.Scope != mcp.ScopeProject ||
		!slices.Equal(s.Permissions.Ask, []string{"read(**)"}) || !slices.Equal(s.Permissions.Deny, []string{"edit(**)"}) || s.Model != "a/b" {
		t.Errorf("what a project may set is lost: %+v", s)
	}
	if len(diags) != 4 {
		t.Errorf("want 4 diagnostics, got %v", diags)
	}
	for _, d := range diags {
		if d.Code != CodeUserScopeOnly {
			t.Errorf("unexpected %s", d)
		}
	}
}

// Every field of an entry can be read from a file.
func TestEveryFieldOfAnEntryIsRead(t *testing.T) {
	sample := map[reflect.Type]string{
		reflect.TypeFor[string](): `"stdio"`, reflect.TypeFor[bool](): `true`, reflect.TypeFor[int](): `7`,
		reflect.TypeFor[mcp.ToolFilter](): `{"allow": ["x"]}`, reflect.TypeFor[mcp.OAuth](): `{"client_id": "x"}`, reflect.TypeFor[[]string](): `["x"]`, reflect.TypeFor[map[string]string](): `{"k": "v"}`,
	}
	for name, index := range serverFields() {
		field := reflect.TypeFor[mcp.ServerConfig]().Field(index)
		s, _ := parseUser(t, fmt.Sprintf(`{"mcp_servers": {"a": {%q: %s}}}`, name, sample[field.Type]))
		if reflect.ValueOf(s.MCPServers["a"]).Field(index).IsZero() {
			t.Errorf("%s (%s) was not read: the decoder must learn its type", name, field.Type)
		}
	}
}

// However much is wrong, a file yields a bounded list in bounded time, also all on
// one line.
func TestFloodOfProblemsIsBounded(t *testing.T) {
	_, diags := parseUser(t, `{"mcp_servers": {`+strings.Repeat(`"é":1,`, 100_000)+`}}`)
	if len(diags) != maxDiagnostics {
		t.Errorf("%d diagnostics, want %d", len(diags), maxDiagnostics)
	}
}

func TestPositionsCountUTF16(t *testing.T) {
	text := "a😀é\n\n中b"
	l := newLines([]byte(text))
	for _, off := range []int{len(text), 0, 5, 1, 8, 10, 7, 9} { // in no order: the memory must not matter
		line, column := l.position(off)
		before := text[:off]
		wantLine := 1 + strings.Count(before, "\n")
		wantColumn := 1 + len(utf16.Encode([]rune(before[strings.LastIndexByte(before, '\n')+1:])))
		if line != wantLine || column != wantColumn {
			t.Errorf("offset %d is %d:%d, want %d:%d", off, line, column, wantLine, wantColumn)
		}
	}
}

func TestSuggest(t *testing.T) {
	for word, want := range map[string]string{
		"Model": "model", "mcpservers": "mcp_servers", "permission": "permissions", "provider": "providers",
		"x": "", "mode": "model", "servers_of_mcp": "", strings.Repeat("m", 5000): "",
	} {
		if got := suggest(word, topKeys); got != want {
			t.Errorf("suggest(%.20q) = %q, want %q", word, got, want)
		}
	}
}

func FuzzParseSettings(f *testing.F) {
	for _, s := range []string{
		`{"model": "a/b", "mcp_servers": {"x": {"command": "y", "env": {"A": "1"}}}, "permissions": {"deny": ["bash(x *)"]}}`,
		"{\"a\": [1, -2e9, true, null, \"\\ud800\"], // c\n}", "/* */", "\xEF\xBB\xBF{}", `{"providers": {"": {}, "a": null}}`,
		`{"mcp_servers": {"": {"type": 1}, "a": null, "b": {"transport": {}, "command": []}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, scope := range []mcp.Scope{mcp.ScopeUser, mcp.ScopeProject} {
			s, diags, ok := ParseSettings(userFile, scope, text, lang.En)
			if !ok && len(diags) == 0 {
				t.Error("a bad file without a word why")
			}
			for _, d := range diags {
				if d.Line < 1 || d.Column < 1 || d.EndLine < d.Line || d.EndLine == d.Line && d.EndColumn < d.Column || d.Message == "" || d.Code == "" {
					t.Errorf("impossible diagnostic %+v", d)
				}
			}
			if scope == mcp.ScopeProject && (s.Providers != nil || s.Permissions.Allow != nil || s.Permissions.Mode != "") {
				t.Errorf("a project set %+v", s)
			}
		}
	})
}

// checkDiagnostic fails unless diags is one that covers exactly the text at.
func checkDiagnostic(t *testing.T, text string, diags []Diagnostic, code Code, at, says string) {
	t.Helper()
	if len(diags) != 1 {
		t.Fatalf("want one diagnostic, got %v", diags)
	}
	d := diags[0]
	if d.Code != code || !strings.Contains(d.Message, says) {
		t.Errorf("got %s [%s], want %q [%s]", d, d.Code, says, code)
	}
	rows := strings.Split(text, "\n")
	if d.Line != d.EndLine || rows[d.Line-1][d.Column-1:d.EndColumn-1] != at {
		t.Errorf("%d:%d-%d:%d does not cover %s", d.Line, d.Column, d.EndLine, d.EndColumn, at)
	}
}
