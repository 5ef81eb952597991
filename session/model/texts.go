package model

// language is what the planner says to a person, in one language.
type language struct {
	intro        string // before the first call or answer
	calling      string // tool, arguments
	next         string // tool, arguments
	connecting   string // server, tool
	answered     string // tool, result
	failed       string // tool, error
	rejected     string // tool
	refused      string // tool, reason
	unfinished   string // steps not done
	missing      string // tool, parameters
	nothing      string // the prompt's step
	couldDo      string
	couldDoNone  string
	listed       string
	listedNone   string
	builtIn      string
	negated      string // step
	empty        string
	noResult     string
	serverFailed string // server, reason
	serverStarts string // server
}

var english = language{
	intro:        "(Offline planner: no language model is at work, tools are matched by their words.)",
	calling:      "Calling `%s` with `%s`.",
	next:         "Next: calling `%s` with `%s`.",
	connecting:   "The server `%s` is not connected yet: calling `%s`.",
	answered:     "`%s` answered:\n\n%s",
	failed:       "`%s` failed: %s",
	rejected:     "`%s` was rejected, so it did not run.",
	refused:      "`%s` was not allowed to run: %s",
	unfinished:   "Because of that I stopped here. Not done: %s",
	missing:      "`%s` would fit, but I could not find in the prompt what it needs: %s. Say it again with those.",
	nothing:      "I found no tool for: %s",
	couldDo:      "What could be done:",
	couldDoNone:  "No tools are available right now.",
	listed:       "These can be called:",
	listedNone:   "Nothing that is connected speaks of that. What there is:",
	builtIn:      "built-in",
	negated:      "As you said, I left out: %s",
	empty:        "The prompt has no text to work on.",
	noResult:     "(no output)",
	serverFailed: "The server `%s` is not available: %s",
	serverStarts: "The server `%s` is still starting; try again in a moment.",
}

var chinese = language{
	intro:        "(离线规划器：没有使用语言模型，仅按词语匹配工具。)",
	calling:      "调用 `%s`，参数 `%s`。",
	next:         "下一步：调用 `%s`，参数 `%s`。",
	connecting:   "服务器 `%s` 尚未连接：先调用 `%s`。",
	answered:     "`%s` 返回：\n\n%s",
	failed:       "`%s` 失败：%s",
	rejected:     "`%s` 已被拒绝，没有执行。",
	refused:      "`%s` 不允许执行：%s",
	unfinished:   "因此到此为止，未完成：%s",
	missing:      "`%s` 看起来合适，但在提示中找不到它需要的参数：%s。请补充后再试。",
	nothing:      "没有找到合适的工具：%s",
	couldDo:      "可以做的有：",
	couldDoNone:  "目前没有可用的工具。",
	listed:       "可以调用以下工具：",
	listedNone:   "已连接的工具中没有与之相关的。现有工具：",
	builtIn:      "内置",
	negated:      "按您的要求，没有执行：%s",
	empty:        "提示中没有可以处理的文字。",
	noResult:     "（无输出）",
	serverFailed: "服务器 `%s` 不可用：%s",
	serverStarts: "服务器 `%s` 仍在启动，请稍后再试。",
}
