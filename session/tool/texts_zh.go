package tool

import "github.com/codebot-ls/codebot-ls/session/lang"

var zh = lang.Catalog{
	textLabelBash:  "执行命令",
	textLabelFetch: "获取网页",
	textFetch:      "获取 %s",
	textLabelEdit:  "编辑文件",
	textLabelGlob:  "查找文件",
	textLabelGrep:  "搜索文本",
	textLabelLs:    "列出文件夹",
	textLabelRead:  "读取文件",
	textLabelWrite: "写入文件",

	textLabelOutput: "读取命令的输出",
	textLabelStop:   "结束命令",
	textOutput:      "继续读取任务 %d `%s`",
	textStop:        "结束任务 %d `%s`",
	textRunOn:       "在后台执行 `%s`",

	textRun:           "执行 `%s`",
	textEdit:          "编辑 %s",
	textWrite:         "写入 %s",
	textList:          "列出 %s",
	textFind:          "查找文件 %s",
	textFindIn:        "在 %[2]s 中查找文件 %[1]s",
	textSearch:        "搜索 %s",
	textSearchIn:      "在 %[2]s 中搜索 %[1]s",
	textSearchBelow:   "在 %[2]s 下搜索 %[1]s",
	textSearchInBelow: "在 %[3]s 下的 %[2]s 中搜索 %[1]s",
	textRead:          "读取 %s",
	textReadLines:     "读取 %s（第 %d-%d 行）",
	textReadFrom:      "读取 %s（从第 %d 行起）",
}
