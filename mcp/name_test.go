package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"testing"
)

var validToolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// hashed returns head, cut to 55, with the hash of the pair.
func hashed(head, server, tool string) string {
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	return head[:min(len(head), 55)] + "_" + hex.EncodeToString(sum[:])[:8]
}

// Dots, slashes, other scripts and long names made model APIs refuse the request,
// and cleaned names met (openai/codex#8174, microsoft/vscode#243602,
// google-gemini/gemini-cli#602, continuedev/continue#5991).
func TestToolName(t *testing.T) {
	a49, a50, a70 := strings.Repeat("a", 49), strings.Repeat("a", 50), strings.Repeat("a", 70)
	for _, tc := range []struct{ server, tool, want string }{
		{"docs", "search", "mcp__docs__search"},
		{"git-hub", "create_issue", "mcp__git-hub__create_issue"},
		{"x", "y__z", "mcp__x__y__z"},
		{"x", "_y", "mcp__x___y"},
		{"x", "y_", "mcp__x__y_"},
		{"_x", "y", "mcp___x__y"},
		{"x__y", "z", hashed("mcp__x__y__z", "x__y", "z")},
		{"x_", "y", hashed("mcp__x___y", "x_", "y")},
		{"docs", "calendar.respond", hashed("mcp__docs__calendar_respond", "docs", "calendar.respond")},
		{"docs", "user/update", hashed("mcp__docs__user_update", "docs", "user/update")},
		{"my docs", "search", hashed("mcp__my_docs__search", "my docs", "search")},
		{"docs", "検索", hashed("mcp__docs____", "docs", "検索")},
		{"docs", "\xff", hashed("mcp__docs___", "docs", "\xff")},
		{"文档", "search", hashed("mcp______search", "文档", "search")},
		{"docs", a49 + "1234", "mcp__docs__" + a49 + "1234"}, // 64
		{"docs", a50 + "1234", hashed("mcp__docs__"+a50+"1234", "docs", a50+"1234")},
		{"docs", a70, hashed("mcp__docs__"+a70, "docs", a70)},
	} {
		if got := ToolName(tc.server, tc.tool); got != tc.want {
			t.Errorf("ToolName(%q, %q) = %q, want %q", tc.server, tc.tool, got, tc.want)
		}
	}
	if got := len(ToolName("docs", a49+"1234")); got != 64 {
		t.Errorf("the longest plain name has %d characters", got)
	}
}

func TestToolNamesOfDifferentToolsNeverMeet(t *testing.T) {
	long := strings.Repeat("a", 64)
	pairs := [][2]string{
		{"a", "a.b"}, {"a", "a_b"}, {"a", "a/b"}, {"x__y", "z"}, {"x", "y__z"}, {"x_", "y"}, {"x", "_y"}, {"x", "__y"},
		{"x__", "y"}, {"x_", "_y"}, {"s", long + "1"}, {"s", long + "2"}, {long + "1", "t"}, {long + "2", "t"},
		{"a.b", "c"}, {"a_b", "c"}, {"a", "b"}, {"A", "b"}, {"検", "索"}, {"索", "検"}, {"検索", ""}, {"", "検索"},
	}
	seen := make(map[string][2]string)
	for _, p := range pairs {
		name := ToolName(p[0], p[1])
		if other, met := seen[name]; met {
			t.Errorf("%q and %q are both %q", other, p, name)
		}
		seen[name] = p
	}
}

func FuzzToolName(f *testing.F) {
	f.Add("a__b", "c", "a", "b__c")
	f.Add("x_", "y", "x", "_y")
	f.Add("s", "a.b", "s", "a_b")
	f.Add("", "", "_", "\xff")
	f.Add(strings.Repeat("a", 80), "b", strings.Repeat("a", 80), "c")
	f.Fuzz(func(t *testing.T, s1, t1, s2, t2 string) {
		one, two := ToolName(s1, t1), ToolName(s2, t2)
		for _, name := range []string{one, two} {
			if !validToolName.MatchString(name) || !strings.HasPrefix(name, "mcp__") {
				t.Errorf("%q is no tool name", name)
			}
		}
		if one != ToolName(s1, t1) {
			t.Error("the same pair, another name")
		}
		// A NUL separates the pair within the hash; CheckName keeps it out.
		if strings.ContainsRune(s1+s2, 0) {
			return
		}
		if (s1 != s2 || t1 != t2) && one == two {
			t.Errorf("(%q, %q) and (%q, %q) are both %q", s1, t1, s2, t2, one)
		}
	})
}
