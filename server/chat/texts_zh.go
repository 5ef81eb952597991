package chat

import "github.com/codebot-ls/codebot-ls/session/lang"

var zh = lang.Catalog{
	textError:       "错误：",
	textInterrupted: "已中断",

	textStartingServer:  "启动服务端失败：%w",
	textAskingServers:   "查询 MCP 服务器失败：%w",
	textStartingSession: "新建会话失败：%w",
	textServerEnded:     "服务端已结束",
	textServerEndedBy:   "服务端已结束：%w",
	textServerStays:     "服务端在 %v 内没有结束",
	textToolFailed:      "%[2]s 的 %[1]s 报告失败",
	textStillStarting:   "服务器 %s 仍在启动：%w",

	textSession:    "模型 %s，模式 %s，文件夹 %s",
	textMode:       "模式 %s",
	textType:       "请输入提示；输入 q 或空行结束",
	textGoingOn:    "%v 后仍在启动，先不等待：%s",
	textCancelling: "正在取消；再按一次 Ctrl-C 则不再等待",
	textCancelled:  "已取消",
	textEndedEarly: "这一轮提前结束：%s",

	textWithHint:     "%s：%s",
	textWithReason:   "%w：%s",
	textProviderSays: "%s（提供方的说明：%s）",

	textServers:   "MCP 服务器",
	textNoServers: "尚未配置 MCP 服务器；--demo 会带来两个",
	textNotRead:   "没有生效的 MCP 服务器；请先修正设置",
	textTotal:     "合计：已连接 %d 个，失败 %d 个，工具 %d 个",
	textUntrusted: "项目中的条目；请在编辑器中授权，或使用 --trust-workspace",
	textAnd:       "；",
	textHint:      "：%s",
	textTool:      "1 个工具",
	textTools:     "%d 个工具",
	textLine:      "还有 1 行",
	textLines:     "还有 %d 行",

	textMayRun:     "允许运行 %s 吗？",
	textYourAnswer: "您的回答（y、n 或数字）：",
	textAnswerWith: "请输入 1 到 %d 之间的数字，或 y、n",
	textAnswer:     "回答：",
	textBecause:    "%s（%s）",
	textNobody:     "没有人可以询问；--yes 表示允许",
	textWithdrawn:  "问题已撤回",

	textPending:    "等待中",
	textInProgress: "进行中",
	textCompleted:  "完成",
	textFailed:     "失败",
}
