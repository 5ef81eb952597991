package toolsearch

import (
	"slices"
	"testing"
)

var tools = []Tool{
	{"mcp__git__createIssue", "Open a new issue in a repository", "title body labels"},
	{"mcp__git__list_issues", "List issues", "state assignee"},
	{"mcp__mail__send", "Send a message to a person", "to subject body"},
	{"mcp__zh__天气查询", "查询城市的天气预报", "城市"},
	{"mcp__zh__send", "发送邮件", "收件人"},
}

func TestToolsAreFoundByWhatAModelWrites(t *testing.T) {
	for _, c := range []struct {
		query string
		limit int
		want  []int
	}{
		{"create issue", 0, []int{0, 1}},
		{"issues", 0, []int{1}},
		{"subject", 0, []int{2}},
		{"SEND message", 0, []int{2, 4}},
		{"send", 1, []int{2}},
		{"天气", 0, []int{3}},
		{"查询北京天气", 0, []int{3}},
		{"邮件 send", 0, []int{4, 2}},
		{"select:mcp__mail__send, LIST_ISSUES,none", 0, []int{2, 1}},
		{"select:send", 1, []int{2, 4}},
		{"/^mcp__git__/", 0, []int{0, 1}},
		{"/weather|天气/", 0, []int{3}},
		{"nothing at hand", 0, nil},
		{"?!", 0, nil},
	} {
		got, err := Find(tools, c.query, c.limit)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q finds %v, %v, want %v", c.query, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "  ", "/(/"} {
		if got, err := Find(tools, bad, 0); err == nil {
			t.Errorf("%q finds %v", bad, got)
		}
	}
}
