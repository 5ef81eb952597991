package model

import "strings"

// The word table of the offline planner: what tools are named after, in English
// and Chinese. It is about tools in general; nothing in it is made for one server
// or one prompt.

// role is what a word mostly is in a request.
type role uint8

const (
	roleNoun role = iota
	roleVerb
)

// effect is what a verb does to the world.
type effect uint8

const (
	effectUnknown effect = iota
	effectReads
	effectChanges
)

// concept is a group of words with one meaning. A word may be in several.
type concept struct {
	id     string
	role   role
	effect effect
}

// lexicon maps stems of English words and whole Chinese words to concepts.
type lexicon struct {
	en, zh map[string][]*concept
	// zhMax is the length in runes of the longest Chinese word.
	zhMax int
}

// words is the one lexicon, built once and never changed.
var words = buildLexicon()

func buildLexicon() *lexicon {
	l := &lexicon{en: map[string][]*concept{}, zh: map[string][]*concept{}}
	for _, group := range []struct {
		table  string
		role   role
		effect effect
	}{
		{readingVerbs, roleVerb, effectReads},
		{changingVerbs, roleVerb, effectChanges},
		{otherVerbs, roleVerb, effectUnknown},
		{nouns, roleNoun, effectUnknown},
	} {
		for line := range strings.SplitSeq(strings.TrimSpace(group.table), "\n") {
			id, rest, _ := strings.Cut(line, ":")
			en, zh, _ := strings.Cut(rest, "|")
			c := &concept{strings.TrimSpace(id), group.role, group.effect}
			for _, w := range strings.Fields(en) {
				l.en[stem(w)] = append(l.en[stem(w)], c)
			}
			for _, w := range strings.Fields(zh) {
				l.zh[w] = append(l.zh[w], c)
				l.zhMax = max(l.zhMax, len([]rune(w)))
			}
		}
	}
	for w := range zhWhole {
		l.zhMax = max(l.zhMax, len([]rune(w)))
	}
	for w := range zhFunction {
		l.zhMax = max(l.zhMax, len([]rune(w)))
	}
	return l
}

// Each line is "concept: English words | Chinese words".

const readingVerbs = `
search: search find seek lookup locate query hunt look consult browse explore discover google ask dig learn know | 搜索 搜 搜一下 搜搜 搜寻 搜尋 查找 查 查一下 查下 查查 查一查 查询 查詢 查阅 找 找一下 找找 找找看 查查看 搜搜看 翻翻看 找一找 找出 找到 寻找 检索 檢索 翻 翻翻 翻一下 翻阅 查证 查明 搜一搜 问一下 问问 咨询 了解 了解一下 查到 知道
grep: grep match contain occurrence mention | 匹配 包含 出现 提到
list: list ls dir enumerate show display index | 列出 列一下 列举 列 罗列 显示 展示 列表 枚举 一览
read: read open view show display cat print see look load | 读取 读 读一下 阅读 打开 查看 看 看看 看一下 看下 看一看 瞧瞧 显示 加载 浏览 打印
get: get fetch retrieve obtain grab pull receive give print | 获取 取得 取 得到 拿 拿到 取回 抓取 拉取 提取 给我看 打印
check: check verify inspect examine validate confirm see review look monitor watch | 检查 检验 查看 核实 确认 验证 审查 监控 核对 看看 看一下 盯一下
count: count number many | 统计 计数 数一下 数量
compare: compare diff difference | 比较 对比 比对 差异
calculate: calculate compute evaluate | 计算 算 算一下 算出 求
sum: sum add plus total addition | 求和 加 加上 相加 之和 的和 总和 加起来 加法 总计
subtract: subtract minus | 减 减去 相减 减法
multiply: multiply | 乘 乘以 相乘 乘法
divide: divide division quotient | 除 除以 相除 除法
echo: echo repeat say parrot | 回显 复述 重复 复读 回声 跟读
translate: translate translation | 翻译 译成 译
summarize: summarize summary summarise digest | 总结 概括 摘要 归纳 概述
analyze: analyze analyse analysis profile diagnose | 分析 诊断 剖析
explain: explain describe clarify | 解释 说明 描述 阐述 介绍 讲解
convert: convert transform format parse encode decode | 转换 转成 转化 格式化 解析 编码 解码
ping: ping reach probe health | 探测 连通 健康
download: download | 下载
subscribe: subscribe follow | 订阅 关注
simulate: simulate emulate | 模拟 仿真
sample: sample | 采样 抽样
filter: filter select choose pick | 筛选 过滤 选择 挑选 选取
sort: sort order rank | 排序 排列 排名
take: screenshot capture snapshot | 截图 截屏 快照 捕获
navigate: navigate visit goto | 导航 访问 前往
think: think reason plan | 思考 推理 规划
`

const changingVerbs = `
create: create make new generate produce mkdir init initialize initialise establish | 创建 建立 新建 生成 建 产生 新增 初始化 建一个 创建一个 開 建立一个
write: write save store put record overwrite | 写入 写 写到 写进 保存 存 存储 储存 记录 覆盖 写一个
edit: edit modify change alter revise fix patch adjust correct rewrite | 编辑 修改 更改 改 改一下 修复 修正 调整 订正 改写 变更 改成
replace: replace substitute swap | 替换 替换成 置换 换成 代替
update: update upgrade refresh bump renew | 更新 升级 刷新 续期
add: add append insert attach include | 添加 增加 加入 追加 插入 附加 新增 加一个
delete: delete remove erase drop destroy purge discard wipe trash rm uninstall clean cleanup clear prune unlink | 删除 删掉 删 移除 去掉 清除 销毁 擦除 清空 卸载 清理 清掉 丢弃 抹掉
move: move mv relocate transfer | 移动 移到 挪 挪到 转移 迁移 搬 搬到
rename: rename | 重命名 改名 更名
copy: copy cp duplicate clone | 复制 拷贝 克隆 抄
deploy: deploy deployment release publish ship rollout roll redeploy launch live production prod golive deliver | 部署 发布 上线 发版 发布上线 推上线 推到线上 推送上线 投产 交付 重新部署 发布到 部署到 推到生产 发上去 上线一下 发到生产 发到生产环境 发到线上 放到生产 放到线上 弄上线 搞上线 发一版 发个版 发布一版 推到生产环境
rollback: rollback revert undo restore | 回滚 回退 撤销 还原 恢复 撤回
start: start launch trigger kick begin initiate boot fire activate invoke resume | 启动 触发 开始 发起 启用 激活 开启 拉起 恢复运行 跑起来
stop: stop halt kill terminate abort end shutdown quit cancel pause suspend | 停止 停掉 终止 中止 结束 关闭 杀掉 杀死 取消 暂停 关掉 停
restart: restart reboot reload | 重启 重新启动 重载 重新加载
enable: enable activate toggle switch | 启用 开启 打开开关 切换
disable: disable deactivate mute | 禁用 停用 关闭 屏蔽
send: send post email mail message notify dispatch submit forward reply tweet | 发送 发 发给 发出 寄 通知 提交 转发 回复 推送 投递 发一条 发一封 发消息
upload: upload push | 上传 推送 推上去
merge: merge combine join | 合并 合入 结合
commit: commit checkin | 提交 提交代码
push: push | 推送 推上去
assign: assign allocate | 分配 指派 指定
close: close resolve | 关闭 关掉 解决
approve: approve accept grant permit allow | 批准 同意 通过审核 授权 准许 允许
reject: reject decline deny refuse | 拒绝 驳回 否决
install: install setup provision configure config set | 安装 装 装一下 配置 设置 设定 部署环境
schedule: schedule book reserve arrange plan | 安排 预约 预订 预定 排期 定时
buy: buy purchase order pay charge | 购买 买 下单 支付 付款 收费
import: import ingest | 导入 引入
export: export dump backup archive | 导出 备份 归档 转储
compress: compress zip gzip pack | 压缩 打包
extract: extract unzip unpack decompress | 解压 解压缩 解包
lock: lock freeze | 锁定 加锁 冻结
unlock: unlock unfreeze | 解锁 解冻
scale: scale resize autoscale | 扩容 缩容 伸缩 调整大小
migrate: migrate migration | 迁移
click: click press tap type fill hover drag | 点击 点一下 单击 按下 输入 填写 填入 拖动
`

const otherVerbs = `
run: run execute perform exec do | 运行 执行 跑 跑一下 执行一下 运行一下 实行
build: build compile make | 构建 编译 打包 构建一下
test: test | 测试 测一下 测 检测
connect: connect attach link hook | 连接 连上 接入 连一下 链接到 连到
disconnect: disconnect detach | 断开 断连
login: login signin authenticate | 登录 登陆 认证
logout: logout signout | 登出 退出登录
use: use | 使用 用 调用
report: report tell inform announce share feedback say | 告诉 告诉我 告知 汇报 报告 反馈 说说 说一下 讲讲 说明 通知我 告诉下我 跟我说 告诉大家 回报 回复我
`

const nouns = `
document: doc document documentation manual handbook guide wiki reference knowledgebase kb readme docs | 文档 文件资料 资料 手册 指南 说明书 知识库 文献 文档库 帮助文档 参考
file: file | 文件 档案 檔案 文档文件
directory: directory folder dir path subdirectory | 目录 文件夹 資料夾 路径 子目录
tree: tree hierarchy structure | 树 目录树 树形 层级 结构
content: content text body | 内容 正文 文本 文字
code: code source codebase | 代码 源码 源代码 程式碼 代码库
line: line row | 行
project: project app application service repo repository workspace codebase component package module | 项目 專案 应用 应用程序 服务 仓库 代码仓库 工程 工作区 组件 模块 软件包
server: server host machine node | 服务器 主机 机器 节点 服务端
issue: issue ticket bug task todo story | 问题 议题 工单 缺陷 任务 待办 故障单
pullrequest: pr pull merge mr | 拉取请求 合并请求
branch: branch | 分支
commitnoun: commit revision changeset | 提交记录 修订
history: history log changelog | 历史 记录 日志 历史记录 更新日志
log: log trace | 日志 运行日志
status: status state progress health condition | 状态 情况 进度 进展 状况 态 运行状态 正常 活着 在运行 运行中 在跑 挂了 在线 宕机
result: result outcome output response answer | 结果 输出 结论 答案 返回 反馈结果
version: version release | 版本 版本号 哪一版 哪版 第几版
user: user member person people account contact customer | 用户 成员 人员 账号 账户 联系人 客户 人
team: team group organization org | 团队 小组 组织 群组 部门
message: message chat note comment | 消息 信息 留言 评论 聊天 备注 短信
email: email mail inbox | 邮件 邮箱 电子邮件 收件箱
channel: channel room thread | 频道 房间 话题
database: database db | 数据库 資料庫 库
table: table | 表 表格 数据表
query: query sql statement | 查询语句 语句
record: record entry row item | 条目 条 项 数据项
data: data dataset | 数据 数据集
schema: schema model | 模式 架构 结构定义 模型
config: config configuration setting preference option | 配置 设置 选项 参数 首选项
environment: environment env variable | 环境 环境变量 变量
weather: weather forecast temperature climate | 天气 气温 预报 天气预报 温度 气候
city: city town location place | 城市 地点 位置 地方
time: time date clock day today now timezone | 时间 日期 时刻 今天 现在几点 几点 时区
calendar: calendar event meeting appointment schedule | 日历 日程 会议 活动 约会 事件
web: web website site page internet online url link | 网页 网站 页面 网络 互联网 网址 链接 网上
image: image picture photo icon | 图片 图像 照片 图标 图
audio: audio sound music song | 音频 声音 音乐 歌曲
video: video movie film clip | 视频 影片 电影
media: media | 媒体
price: price cost quote stock | 价格 费用 报价 股票 股价
order: order purchase invoice bill | 订单 发票 账单
product: product item goods | 产品 商品 货物
news: news article post blog headline | 新闻 文章 帖子 博客 头条
memory: memory | 记忆 内存
graph: graph entity relation node edge | 图谱 实体 关系 知识图谱
number: number integer | 数字 整数 数
size: size | 大小 尺寸
permission: permission access role policy | 权限 访问权 角色
policy: policy rule strategy | 策略 政策 规则 规定 方针
key: key secret token password credential | 密钥 秘钥 令牌 密码 凭据
container: container docker pod | 容器
cluster: cluster kubernetes k8s | 集群
pipeline: pipeline workflow ci job build | 流水线 工作流 作业 构建任务
process: process | 进程 过程 流程
alert: alert alarm incident | 告警 警报 事故 报警
metric: metric monitoring performance | 指标 监控指标 性能
network: network request http api endpoint | 网络 请求 接口 端点
resource: resource | 资源
prompt: prompt template | 提示词 模板
shell: shell bash terminal command console script cmd | 终端 命令行 脚本 命令
function: function method symbol class | 函数 方法 符号 类
error: error failure exception warning problem | 错误 失败 异常 警告 报错
name: name title label | 名称 名字 标题 标签
list: list collection | 清单 名单 列表
pattern: pattern glob wildcard regex regexp | 模式匹配 通配符 正则 正则表达式
info: info information detail metadata | 信息 详情 详细信息 元数据 细节 属性
hidden: hidden | 隐藏
small: small tiny little mini | 小 迷你 微型
large: large big huge | 大 巨大
feature: feature flag | 特性 开关
translation: translation language | 译文 语言
map: map route direction | 地图 路线 导航
flight: flight airline ticket | 航班 机票 航空
hotel: hotel accommodation | 酒店 住宿 宾馆
payment: payment transaction | 支付 交易 付款
thought: thought reasoning | 思路 想法
note: note memo notebook | 笔记 便签 备忘录
backup: backup | 备份
test: test | 测试 单元测试 用例
dependency: dependency library | 依赖 依赖库 库依赖
context: context | 上下文 背景
worker: worker agent | 代理 工作者
annotation: annotation annotated | 注解 标注 批注
structured: structured | 结构化
`

// Words that carry no topic of their own.

var enFunction = set(`the a an this that these those my our your his her its their some any all each every both current
of for about on in to from with at by into onto under inside within regarding concerning over via through using against per according as than like out up off down
and or but nor so if whether while because before after until once since
is are was were be been being am do does did done has have had having can could would will shall should may might must
i me we us you he she it they them him mine ours yours myself
please kindly just now then also too first next finally again already maybe perhaps really actually currently simply quickly right away
want wants need needs wish help let lets go ahead whatever would'd like love hey hi hello thanks thank sure yes yeah yep alright ok okay mind able care wonder
what which who whom whose where when why how there here called named titled
not no never without don't s re ve ll d m t
one more else only still yet back here's up-to-date`)

var enDeterminer = set(`the a an this that these those my our your his her its their some any all each every another current`)

var enPronoun = set(`it this that them these those me us him her everything`)

var enPreposition = set(`of for about on in to from with at by into onto under inside within regarding concerning over via through using against per according`)

// enTopicMarker are the words behind which a search's topic stands.
var enTopicMarker = set(`for about on regarding concerning mentioning describing covering saying`)

var enQuestion = set(`what which who whom whose where when why how`)

var enAux = set(`is are was were do does did has have had am`)

var enModal = set(`can could would will`)

// enAdvice begin a question for advice, which nothing is done for.
var enAdvice = set(`should shall may might must`)

// enSay are verbs of a source: "what do the docs say about".
var enSay = set(`say says said state states stated mention mentions mentioned describe describes described cover covers recommend recommends know explain explains work works mean means`)

// enNounToo are verbs that stand as often for a thing: they open a new step only
// when an object follows.
var enNounToo = set(`search build test release report update move copy list start stop use change query log display upload download push commit review monitor watch
show order record store set book plan sample filter sort match print view open load fix patch post mail email message note count number value sum merge import export clone ship deploy publish launch roll live production prod times total format index link hook lock dump archive pack`)

var zhFunction = set(`的 了 吗 呢 吧 啊 呀 嘛 哦 嗯 请 请你 请您 帮 帮我 帮忙 帮助我 我 你 您 我们 咱们 你们 一下 下 把 将 给 给我 对 对于 在 里 里面 里头 中 里边 上 上面 内 当中 之中 其中
关于 有关 针对 有 是 和 与 或 及 以及 并 并且 然后 接着 再 之后 后 先 首先 最后 随后 而后 现在 目前 当前 这个 那个 这 那 此 该 本 哪些 哪个 哪 什么 啥 怎么 怎样 如何 怎么样 多少 几 哪里 哪儿 为什么 为何 是否 有没有 或者 之前 以前 的时候
能 能否 能不能 可以 可否 可不可以 能够 麻烦 劳烦 劳驾 请问 想 想要 要 需要 我想 我要 希望 一个 一些 一份 一条 一次 一张 一幅 一篇 所有 全部 全 个 些 份 从 到 为 以 让 也 都 就 会 应该 该怎么 不要 别 不 没 没有 去 来 进行 做 它 他们 它们 其
相关 方面 部分 等 等等 时 时候 完 完成 完成后 好 好了 成功 成 顺便 同时 一起 尽快 马上 立刻 立即 赶紧 谢谢 你好 您好 嗨 中的 里的 上的 所 被 由 于 自己 用来 使得 出来 起来 过 着 地 得 之 而 但 但是 如果 因为 所以 还 还有 另外 此外 并告 以后 才 又 是什么 打算 通过 根据 按照 依据 利用 借助 咱 呗 啦 只 仅 出去 正在`)

// zhWhole are words that begin or end like a small word and are none: they are
// kept in one piece.
var zhWhole = set(`发布会 上海 中国 中心 中文 上级 下级 里程碑 对象 对话 会话 等级 等待 来源 来自 去年 地址 地区 得分 过期 着色 需求 应急 能源 就绪 以太 为主 那么 也许 都会 好友 时长 从属 之一 一致 一般 其实 本地 本月 部门 给定 将来 把手 再见 所有者 完整 全局 全球 个性 个体 些许 好看 好听 好用 好吃 好玩 好写 难看 请求 请假 想象 要求 要点`)

// zhSay are what a source does in a question: "文档里是怎么说的".
var zhSay = set(`说 写 讲 规定 描述 介绍 提到 说明 记载 记录 要求 写着 提及 讲到`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
