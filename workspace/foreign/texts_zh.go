package foreign

import "github.com/codebot-ls/codebot-ls/session/lang"

var zh = lang.Catalog{
	noteLeftOut:  "未包含：%s",
	noteInput:    "请设置变量 %s：%s 启动时会询问它",
	noteVariable: "%s 在这里不是变量：请写出它代表的内容",
	noteEnvFile:  "不会读取 %s：请在 \"env\" 或 \"env_from\" 中列出其中的变量",
	noteBare:     "它既没有 command 也没有 url",

	problemShape: "%s 不是由服务器组成的对象",
	problemLarge: "大于 %d MB",
	problemFile:  "%s：%w",
}
