package model

import "github.com/codebot-ls/codebot-ls/session/lang"

var zh = lang.Catalog{
	textOfflineName: "离线规划器（没有语言模型）",
	textBadID:       "模型 %q 不是 <provider>/<model> 的形式：请从列表中选择，或使用 \"offline\"",
	textNoProvider:  "模型 %q 需要提供方 %q，但它不在 ~/.codebot/settings.json 的 \"providers\" 中：请在那里添加，或选择 \"offline\"",
	textUnusable:    "%s 无法使用：%s",
	textType:        "类型 %q 未知：应为 \"anthropic\"，或用于任何兼容服务的 \"openai\"",
	textNoKey:       "没有密钥：请在 ~/.codebot/settings.json 中设置其提供方的 \"api_key\"，或设置环境变量 %s",
	textCAFile:      "其 \"ca_file\" 无法使用：%v",
	textNoModels:    "不知道有哪些模型：请在 ~/.codebot/settings.json 中提供方 %q 的 \"models\" 里写明",
	textNotThere:    "%s 没有应答：请启动它，或更正 \"base_url\"",
	textNoList:      "%s 有应答，但不是模型的端点：请更正 \"base_url\"",
}
