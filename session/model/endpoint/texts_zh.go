package endpoint

import "github.com/codebot-ls/codebot-ls/session/lang"

var zh = lang.Catalog{
	textAuth:        "%s：%s 不接受该密钥。请输入有效的密钥，或在 settings.json 中更正其提供方的 \"api_key\"",
	textNoKey:       "%s：%s 需要密钥，但没有配置。请输入密钥，或在 settings.json 中设置其提供方的 \"api_key\"",
	textQuota:       "%s：%s 上的账户额度已用完。请充值，或选择其他模型",
	textNotFound:    "%s：%s 没有这个模型。请选择其他模型，或在 settings.json 中更正 \"model\" 或 \"base_url\"",
	textTooLong:     "%s：对话超出了此模型的长度。请压缩对话，或开始新会话",
	textOverloaded:  "%s：%s 过载或限制了请求频率。请稍后再试，或选择其他模型",
	textUnreachable: "%s：无法连接 %s（%s）。请确认它正在运行，并且 settings.json 中其提供方的 \"base_url\" 正确",
	textCut:         "%s：%s 的回答中断了（%s）。已收到的部分已保留；请再发一次提示以继续",
	textCutNothing:  "%s：%s 的回答还没有任何内容就中断了（%s）。请再发一次提示",
	textModel:       "%s：%s 返回了错误。请重试，或选择其他模型",
	textPage:        "%s：%s 返回的是网页，因此不是模型的地址。请在 settings.json 中更正其提供方的 \"base_url\"",
	textRedirect:    "%s：%s 重定向到 %s。密钥不会发送到那里；如果那才是正确的地址，请将它写入 settings.json 中其提供方的 \"base_url\"",
	textProtocol:    "%s：%s 的应答不符合其提供方类型的协议。请在 settings.json 中更正 \"type\" 或 \"base_url\"",

	textProxy:  "%s：通往 %s 的代理服务器要求登录。请将用户名和密码写入 HTTPS_PROXY，或写入编辑器的代理设置",
	textTLS:    "%s：%s 的证书不受信任（%s）。请在 settings.json 中其提供方的 \"ca_file\" 写明贵公司证书的文件",
	textNotPEM: "%s 中没有 PEM 格式的证书",

	textRetry: "%s：%s；正在重新发送请求（第 %d 次，共 %d 次）",

	reasonEnd:      "连接提前结束",
	reasonIdle:     "%s 内没有收到任何内容",
	reasonNoAnswer: "%s 内没有应答",
	reasonRefused:  "连接被拒绝",
	reasonHost:     "找不到主机",
	reasonTimeout:  "超时",

	whyOverloaded:  "模型过载",
	whyRate:        "已达到请求频率上限",
	whyServer:      "提供方出错",
	whyUnreachable: "无法连接提供方",
	whyCut:         "回答中断",
}
