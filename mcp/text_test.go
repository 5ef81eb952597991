package mcp

import (
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/lang/langtest"
)

func TestEveryTextIsTranslated(t *testing.T) {
	langtest.Check(t, zh, "text.go", "manager_text.go")
}

// Entries are checked, and values expanded, where no language is known: what is
// wrong with them is said in one later.
func TestProblemsOfAnEntryInChinese(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{ServerConfig{Type: "ftp"}.Check(), `type: 未知的类型 "ftp"：请使用 "stdio"、"http" 或 "sse"`},
		{ServerConfig{Command: "x", ConnectTimeoutMs: -1, CallTimeoutMs: -1}.Check(), "connect_timeout_ms: 不能是负数\ncall_timeout_ms: 不能是负数"},
		{expansionOf(ServerConfig{Command: "x", Env: map[string]string{"A": "${B}"}}), "env.A: B 未设置：请在环境中设置它，或写成 ${B:-default}"},
		{CheckName(" "), "服务器的名称不能为空"},
	} {
		if got := lang.ZhCN.Error(test.err); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func expansionOf(c ServerConfig) error {
	_, err := c.Expanded(Vars{})
	return err
}

// The model's words for a failed call stay English, whatever the person reads.
func TestAFailedCallInTwoLanguages(t *testing.T) {
	for _, test := range []struct {
		err    error
		en, zh string
	}{
		{errors.New("bro\x1bken"), "MCP error: bro\x1bken", "MCP 错误：bro\x1bken"},
		{&jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Unknown tool: x"}, "MCP error: unknown tool 'x'", "MCP 错误：未知的工具 'x'"},
		{lang.Errorf(zh, textBadArguments, "x"), "MCP error: the arguments of x are not a JSON object", "MCP 错误：x 的参数不是 JSON 对象"},
		{&jsonrpc.Error{Message: textAnswerCut}, "MCP error: " + textAnswerCut, "MCP 错误：连接在应答到达之前断开；请求可能已被执行"},
	} {
		err := CallError("x", test.err)
		if en, zh := err.Error(), lang.ZhCN.Error(err); en != Clean(test.en) || zh != Clean(test.zh) {
			t.Errorf("%q and %q, want %q and %q", en, zh, test.en, test.zh)
		}
	}
}

func TestRowsComeInTheManagersLanguage(t *testing.T) {
	m := NewManager(Options{Lang: lang.ZhCN})
	defer func() { _ = m.Close(t.Context()) }()
	errs := m.StartAll(t.Context(), map[string]ServerConfig{"a": {Command: "x y"}, "b": {Command: "no-such-program-here", Origin: Origin{Approved: true}}})
	rows, _ := m.Status()
	if len(rows) != 2 || len(errs) != 2 {
		t.Fatalf("rows %v, errors %v", rows, errs)
	}
	for i, want := range []StatusError{
		{Message: `command: 这是一整条命令行：请只把程序写在 "command" 中，其余部分写入 "args"`, Hint: "请修正设置文件中的条目"},
		{Message: `找不到命令 "no-such-program-here"：PATH 为空`, Hint: `请安装该命令，或写出它的绝对路径，或在条目的 "env" 中设置 PATH`},
	} {
		if e := rows[i].Error; e == nil || e.Message != want.Message || e.Hint != want.Hint {
			t.Errorf("%s: %+v, want %+v", rows[i].Name, e, want)
		}
	}
	if got := rows[0].State.In(lang.ZhCN); got != "失败" {
		t.Errorf("the state is %q", got)
	}
	_, err := m.Start(t.Context(), "c")
	if action, ok := errors.AsType[*ActionError](err); !ok || action.Message != `没有名为 "c" 的服务器` || action.Hint != "已有的服务器：a, b" {
		t.Errorf("starting an unknown server: %+v", err)
	}
}
