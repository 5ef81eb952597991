package server

import "github.com/codebot-ls/codebot-ls/session/lang"

var zh = lang.Catalog{
	textNoServer:   "没有名为 %q 的 MCP 服务器",
	textAmbiguous:  "有 %d 个服务器都名为 %q",
	textUserServer: "%s 是用户自己设置中的服务器，无需授权",
	textDenied:     "禁止规则 %[1]s 不允许调用 %[3]s 的 %[2]s",
	textNotOpen:    "没有已打开的会话 %q",
	textNoFolder:   "%q 既不是文件 URI，也不是绝对路径",

	hintFolder:      "请给出该服务器所在行的文件夹。",
	hintServers:     "codebot/mcp/status 会列出服务器；可在 settings.json 的 \"mcp_servers\" 中添加。",
	hintAmbiguous:   "请指明文件夹；用户的服务器请用空的文件夹。",
	hintProjectOnly: "只有项目设置文件中的条目才需要授权。",
	hintDenied:      "如需允许，请修改 settings.json 中的 \"permissions\"。",
	hintLoad:        "请加载该会话，或新建一个会话。",
	hintBusy:        "请等待回答，或取消当前这一轮。",
	hintInUse:       "请先在另一个窗口中关闭该会话。",
	hintNoSession:   "请列出会话，或新建一个会话。",
	hintMode:        "可用的模式有 default、accept_edits、plan 和 auto。",
	hintConsent:     "请重新显示该服务器的授权内容，并对新的哈希授权。",
	hintModel:       "codebot/models 会列出模型，以及某个模型不可用的原因。",

	textElicit:     "MCP 服务器 %s 询问：%s",
	textElicitYes:  "是",
	textElicitNo:   "否",
	textNoTool:     "MCP 服务器 %s 没有工具 %q：codebot/mcp/tools 列出全部工具",
	textTrustUntil: "文件夹的信任期限只能是 \"session\"，不能是 %q",

	hintNotInFile:   "它不在任何设置文件中，没有可修改的内容。",
	hintFileChanged: "如果文件有未保存的更改，请先保存；查看文件现在的内容后再重试。",
	hintBadFile:     "请修复设置文件后重试。",
	hintEntry:       "请修正该条目，或换一个名称后重试。",
	hintNotWritten:  "请确认文件及其文件夹可以写入，或手动修改文件。",

	textQuestion:       "codebot 请求运行 %s",
	textQuestionTitle:  "：%s",
	textQuestionReason: "（%s）",

	textServers:     "MCP 服务器",
	textBadFile:     "设置文件 `%s` 无法使用，上次有效的内容继续生效。",
	textNotWatching: "系统无法通知设置文件的变化（%s），改为每秒检查一次。",
	textNone:        "尚未配置 MCP 服务器。",
	textTable:       "| 服务器 | 状态 | 工具 | |",
	textWaits:       "等待您的授权",

	textDefault:          "默认",
	textDefaultMeans:     "可读取文件夹；编辑、执行命令或访问外部之前会询问。",
	textAcceptEdits:      "接受编辑",
	textAcceptEditsMeans: "直接编辑文件夹内的文件；执行其他操作之前会询问。",
	textPlan:             "计划",
	textPlanMeans:        "只读取和规划；拒绝一切会产生影响的操作。",
	textAuto:             "自动",
	textAutoMeans:        "直接运行工具，不再询问；deny 和 ask 规则所指的操作以及受保护的文件夹除外。",

	textListResources: "列出 MCP 服务器可供读取的内容",
	textReadResource:  "读取 %[2]s 的 %[1]s",
	textProblems:      "查看编辑器中的问题",
	textProblemsOf:    "查看 %s 的问题",
	textConnect:       "连接 MCP 服务器",
	textConnectServer: "连接 MCP 服务器 %s",
	textConnectReason: "会启动 MCP 服务器",

	textModel:      "模型",
	textNoKeptKey:  "没有名为 %q 的密钥：请输入",
	textNoProvider: "没有提供方 %q：现有 %s",
	textBadKey:     "密钥为空或含有换行",
	textKeyNotKept: "无法保存密钥：%w",
	textNoAddress:  "base_url 不是 http 或 https 地址",
	textOfField:    "%s：%v",
	textAnd:        "；",
}
