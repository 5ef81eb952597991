package model_test

import (
	"context"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model"
)

// Who compacts without a model gets what was asked and called, and no tool runs
// because of words in the conversation.
func TestTheOfflineModelSummarises(t *testing.T) {
	req := &agent.Request{
		System: []agent.SystemBlock{{Key: agent.KeySummary, Text: "Summarise."}},
		Messages: history("## User\n部署当前项目\n并报告结果\n\n## Assistant\n好的\n\n## Call of mcp__deploy__trigger\n{\"service\":\"shop\"}\n\n## Result of mcp__deploy__trigger\nok\n\n## User\n" +
			strings.Repeat("长", 1000)),
	}
	r, err := model.NewOffline().Stream(context.Background(), req, new(heard).emit)
	if err != nil || len(r.Message.Blocks) != 1 {
		t.Fatalf("%+v %v", r, err)
	}
	got := r.Message.Blocks[0].Content.Text
	for _, want := range []string{"离线规划器", "- User: 部署当前项目 并报告结果\n- Call of mcp__deploy__trigger: {\"service\":\"shop\"}\n- User: 长"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if len([]rune(got)) > 500 || strings.Contains(got, "好的") {
		t.Errorf("%q", got)
	}
}
