package session

import "github.com/codebot-ls/codebot-ls/session/lang"

var zh = lang.Catalog{
	textBusy:        "会话正忙：已有提示正在处理，请取消它或等待结束",
	textClosed:      "会话已关闭",
	textUnknownMode: "未知的模式",
	textEmptyPrompt: "提示内容为空",
	textIdle:        "没有正在运行的轮次可供追加，请作为新的提示发送",
	textBadID:       "不是有效的会话 ID",
	textNoSession:   "没有这个会话",
	textInUse:       "会话已在另一个窗口中打开，请先在那里关闭",
	textBadCursor:   "游标不属于此列表",
	textNoMessage:   "会话中没有这条消息",
	textEmptyTitle:  "标题为空",
	textUntitled:    "无标题",
	textSearchTools: "查找工具",

	textCompacting:    "正在总结对话较早的部分，使其继续放得进模型的上下文窗口。",
	textCompacted:     "对话已压缩：从约 %d 个 token 减至约 %d 个。",
	textNotSummarised: "未能总结对话较早的部分：%v",

	textKeepContent:     "保留 %s 的内容以便恢复：%w",
	textRestore:         "恢复 %s：%w",
	textConflictRead:    "无法读取：%v",
	textConflictLost:    "原内容过大，没有保留",
	textConflictUnsaved: "编辑器中有未保存的改动",
	textConflictGone:    "此后已被删除",
	textConflictChanged: "此后被其他程序改动过",
	textFork:            "%s（副本）",

	textExportUser:    "用户",
	textExportAgent:   "codebot 助手",
	textExportFolder:  "文件夹",
	textExportModel:   "模型",
	textExportStarted: "开始时间",
	textExportResult:  "结果",
	textExportFailed:  "失败",

	textNew:          "新建会话：%w %q",
	textRelative:     "新建会话：文件夹 %q 不是绝对路径",
	textMakeFolder:   "创建会话文件夹失败：%w",
	textLock:         "锁定会话 %s 失败：%w",
	textOpen:         "打开会话 %s 失败：%w",
	textList:         "列出会话失败：%w",
	textJournal:      "会话记录 %s：%w",
	textJournalWrite: "会话记录 %s：%w；请清理磁盘空间或检查文件夹权限",
	textNoJournal:    "首行不是会话记录的内容：%w",
	textFirstLine:    "首行是 %q，不是会话记录",
	textNewer:        "由更新的版本写入（格式 %d，此版本只能读取 %d）",
	textEmpty:        "文件为空",
	textOtherSession: "属于另一个会话 %q",
}
