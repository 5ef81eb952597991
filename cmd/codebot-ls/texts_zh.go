package main

import "github.com/codebot-ls/codebot-ls/session/lang"

var zh = lang.Catalog{
	textUsage: `codebot-ls 是一个编程助手，编辑器像运行语言服务器一样运行它。

用法：
  codebot-ls [serve] [--stdio] [--log-file FILE] [--trace]
        通过标准输入输出与编辑器使用 JSON-RPC 通信（默认）
  codebot-ls chat [--demo] [--model M] [--mode MODE] [--yes] [--no-wait]
                  [--trust-workspace] [--] [PROMPT]
        在终端中向助手发出提示
  codebot-ls mcp list | test NAME | call SERVER TOOL JSON | demo docs|deploy
        查看已配置的 MCP 服务器
  codebot-ls version
`,
	textChatUsage: `用法：codebot-ls chat [flags] [--] [PROMPT]

在当前文件夹中处理 PROMPT；如果没有给出，则每输入一行就处理一个提示，
输入 q 或空行结束。选项也可以写在 PROMPT 之后；-- 之后的内容都属于 PROMPT。

`,
	textMCPUsage: `用法：codebot-ls mcp list                      连接所有已配置的服务器，每个显示一行
      codebot-ls mcp test NAME                 连接一个服务器并显示它提供的内容
      codebot-ls mcp call SERVER TOOL [JSON]   调用工具，参数为一个对象
      codebot-ls mcp demo docs|deploy          在标准输入输出上充当演示服务器
`,

	textFlagStdio:   "使用标准输入输出通信；没有其他方式",
	textFlagLogFile: "将日志写入 `FILE` 而不是标准错误输出",
	textFlagTrace:   "记录每条消息，其中的机密会隐藏",
	textFlagVersion: "显示版本",
	textFlagDemo:    "添加演示用的 MCP 服务器 docs 和 deploy",
	textFlagTrust:   "运行此文件夹设置中的 MCP 服务器，仅此一次",
	textFlagModel:   "要使用的 `model`，代替设置中的模型",
	textFlagMode:    "权限 `mode`：default、accept_edits、plan 或 auto",
	textFlagYes:     "对所有问题都回答“允许一次”",
	textFlagNoWait:  "不等待仍在启动的 MCP 服务器",

	textNoCommand:     "没有命令 %q",
	textServeArgument: "serve 不接受参数 %q",
	textOpeningLog:    "打开日志文件失败：%v",
	textEndedEarly:    "服务端在收到结束通知之前就已结束",
	textFindingSelf:   "找不到本程序（它同时也是演示服务器）：%w",

	textNotUsable:      "服务器 %s 的状态为“%s”",
	textBadArguments:   "参数必须是一个 JSON 对象，例如 %s",
	textNoneConfigured: "没有服务器 %q：没有配置任何 MCP 服务器",
	textNoServer:       "没有服务器 %q；已有的服务器：%s",
	textBadSettings:    "没有服务器 %q：请先修正设置",

	textServer:    "服务器",
	textState:     "状态",
	textTransport: "传输方式",
	textProtocol:  "协议",
	textSource:    "来源",
	textCommand:   "命令",
	textVariables: "变量",
	textTool:      "工具",
	textError:     "错误",
	textHint:      "提示",
	textExitCode:  "退出码",
}
