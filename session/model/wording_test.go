package model

import (
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// Wordings that were written down before the planner was tried on them, with what
// it should make of each; "" is no call at all.
func TestWordings(t *testing.T) {
	for _, group := range []struct {
		sets  [][]agent.ToolSpec
		cases [][2]string
	}{
		{[][]agent.ToolSpec{builtIns, filesystem, everything}, [][2]string{
			{`List the files in /tmp/x`, `mcp__filesystem__list_directory {"path":"/tmp/x"}`},
			{`what files are in the src directory?`, `mcp__filesystem__list_directory {"path":"src"}`},
			{`list_directory /tmp`, `mcp__filesystem__list_directory {"path":"/tmp"}`},
			{`show me a directory tree of src`, `mcp__filesystem__directory_tree {"path":"src"}`},
			{`Use read_text_file on /tmp/a.txt`, `mcp__filesystem__read_text_file {"path":"/tmp/a.txt"}`},
			{`What directories am I allowed to use?`, `mcp__filesystem__list_allowed_directories {}`},
			{`使用 filesystem 服务器读取 /tmp/a.txt`, `mcp__filesystem__read_text_file {"path":"/tmp/a.txt"}`},
			{`列出 /tmp/x 里的文件`, `ls {"path":"/tmp/x"}`},
			{`显示 src 的目录树`, `mcp__filesystem__directory_tree {"path":"src"}`},
			{`创建一个目录 /tmp/new`, `mcp__filesystem__create_directory {"path":"/tmp/new"}`},
			{`在 /tmp/x 中搜索 *.txt 文件`, `mcp__filesystem__search_files {"path":"/tmp/x","pattern":"*.txt"}`},
			{`获取 go.mod 的文件信息`, `mcp__filesystem__get_file_info {"path":"go.mod"}`},
			{`write 'hello' to a.txt`, `mcp__filesystem__write_file {"path":"a.txt","content":"hello"}`},
			{`Create a file called b.txt containing 'hi there'`, `mcp__filesystem__write_file {"path":"b.txt","content":"hi there"}`},
			{`rename a.txt to b.txt`, `mcp__filesystem__move_file {"source":"a.txt","destination":"b.txt"}`},
			{`echo 'ping'`, `mcp__everything__echo {"message":"ping"}`},
			{`Please echo back the message: hello there`, `mcp__everything__echo {"message":"hello there"}`},
			{`say hello with echo`, `mcp__everything__echo {"message":"hello"}`},
			{`use everything to echo hi`, `mcp__everything__echo {"message":"hi"}`},
			{`请用 echo 工具回显 hello`, `mcp__everything__echo {"message":"hello"}`},
			{`Add 2 and 3`, `mcp__everything__get-sum {"a":2,"b":3}`},
			{`what is 2 plus 3?`, `mcp__everything__get-sum {"a":2,"b":3}`},
			{`compute the sum of 10 and 20`, `mcp__everything__get-sum {"a":10,"b":20}`},
			{`计算 2 和 3 的和`, `mcp__everything__get-sum {"a":2,"b":3}`},
			{`2 + 3 = ?`, `mcp__everything__get-sum {"a":2,"b":3}`},
			{`把 7 和 8 相加`, `mcp__everything__get-sum {"a":7,"b":8}`},
			{`print the environment variables`, `mcp__everything__get-env {}`},
			{`打印环境变量`, `mcp__everything__get-env {}`},
			{`show me the tiny image`, `mcp__everything__get-tiny-image {}`},
			{`get a tiny image`, `mcp__everything__get-tiny-image {}`},
			{`给我一张小图片`, `mcp__everything__get-tiny-image {}`},
			{`start a long running operation with duration 5 and steps 2`, `mcp__everything__trigger-long-running-operation {"duration":5,"steps":2}`},
			{`get annotated message of type error`, `mcp__everything__get-annotated-message {"messageType":"error"}`},
		}},
		{[][]agent.ToolSpec{builtIns}, [][2]string{
			{`read the README`, `read {"path":"README"}`},
			{`open README.md`, `read {"path":"README.md"}`},
			{`show README.md`, `read {"path":"README.md"}`},
			{`cat main.go`, `read {"path":"main.go"}`},
			{`what is in README.md?`, `read {"path":"README.md"}`},
			{`ls`, `ls {}`},
			{`list all files here`, `ls {}`},
			{`what files are here?`, `ls {}`},
			{`what's in this folder?`, `ls {}`},
			{`list the current directory`, `ls {}`},
			{`find *.md files`, `glob {"pattern":"*.md"}`},
			{`find the file main.go`, `glob {"pattern":"main.go"}`},
			{`where is main.go?`, `glob {"pattern":"main.go"}`},
			{`search for 'func main' in the code`, `grep {"pattern":"func main"}`},
			{`grep TODO`, `grep {"pattern":"TODO"}`},
			{`search for TODO in src`, `grep {"pattern":"TODO","path":"src"}`},
			{`run the tests with ` + "`" + `go test ./...` + "`" + ``, `bash {"command":"go test ./..."}`},
			{`execute ls -la`, `bash {"command":"ls -la"}`},
			{`run ` + "`" + `ls` + "`" + ` and then read README.md`, `bash {"command":"ls"}; read {"path":"README.md"}`},
			{`看看 README.md`, `read {"path":"README.md"}`},
			{`读一下 README.md 的内容`, `read {"path":"README.md"}`},
			{`查看当前目录有哪些文件`, `ls {}`},
			{`列出所有文件`, `ls {}`},
			{`有哪些文件？`, `ls {}`},
			{`在代码中查找 main 函数`, `grep {"pattern":"main 函数"}`},
			{`查找包含 TODO 的文件`, `grep {"pattern":"TODO"}`},
			{`运行命令 ` + "`" + `ls` + "`" + ``, `bash {"command":"ls"}`},
			{`跑一下 go test ./...`, `bash {"command":"go test ./..."}`},
			{`创建文件 a.txt，内容为 “你好”`, `write {"path":"a.txt","content":"你好"}`},
			{`在 src 里搜索 TODO`, `grep {"pattern":"TODO","path":"src"}`},
			{`delete a.txt`, ``},
			{`Run the command: go vet ./...`, `bash {"command":"go vet ./..."}`},
		}},
		{[][]agent.ToolSpec{builtIns, github, weather, database}, [][2]string{
			{`create an issue titled 'Bug' in repo ann/shop`, `mcp__github__create_issue {"repo":"ann/shop","title":"Bug"}`},
			{`What's the forecast for London tomorrow?`, `mcp__weather__get_forecast {"city":"London"}`},
			{`伦敦天气怎么样`, `mcp__weather__get_forecast {"city":"伦敦"}`},
			{`明天上海的天气预报`, `mcp__weather__get_forecast {"city":"上海"}`},
			{`Are there weather alerts in CA?`, `mcp__weather__get_alerts {"state":"CA"}`},
			{`list open issues in ann/shop`, `mcp__github__list_issues {"repo":"ann/shop","state":"open"}`},
			{`search repositories for mcp servers`, `mcp__github__search_repositories {"query":"mcp servers"}`},
			{`delete branch old-stuff from ann/shop`, `mcp__github__delete_branch {"repo":"ann/shop","branch":"old-stuff"}`},
			{`drop the table users`, `mcp__db__drop_table {"table":"users"}`},
			{`删除表 users`, `mcp__db__drop_table {"table":"users"}`},
			{`show all tables`, `mcp__db__list_tables {}`},
			{`query the database: ` + "`" + `select * from users` + "`" + ``, `mcp__db__execute_sql {"sql":"select * from users"}`},
			{`search github for 'mcp go'`, `mcp__github__search_repositories {"query":"mcp go"}`},
			{`搜索仓库 mcp`, `mcp__github__search_repositories {"query":"mcp"}`},
		}},
		{[][]agent.ToolSpec{builtIns, docs, deploy}, [][2]string{
			{`What is the API version?`, `mcp__docs__get_version {}`},
			{`which version of the API do the docs describe?`, `mcp__docs__get_version {}`},
			{`API 版本是多少`, `mcp__docs__get_version {}`},
			{`查看 API 版本`, `mcp__docs__get_version {}`},
			{`What's the deploy status of billing-api?`, `mcp__deploy__status {"service":"billing-api"}`},
			{`billing-api 的部署状态`, `mcp__deploy__status {"service":"billing-api"}`},
			{`deploy api-gateway and tell me the status`, `mcp__deploy__trigger {"service":"api-gateway"}; mcp__deploy__status {"service":"api-gateway"}`},
			{`Search the docs for deployment rollback`, `mcp__docs__search {"query":"deployment rollback"}`},
			{`查一下部署回滚的文档`, `mcp__docs__search {"query":"部署回滚"}`},
			{`search for documentation about deploying the project`, `mcp__docs__search {"query":"deploying the project"}`},
			{`部署 billing 服务`, `mcp__deploy__trigger {"service":"billing"}`},
			{`deploy service billing`, `mcp__deploy__trigger {"service":"billing"}`},
			{`deploy the billing service`, `mcp__deploy__trigger {"service":"billing"}`},
		}},
	} {
		for _, c := range group.cases {
			if got := strings.Join(calls(t, request(c[0], group.sets...)), "; "); got != c[1] {
				t.Errorf("%s:\n got %s\nwant %s", c[0], got, c[1])
			}
		}
	}
}

func TestSearchWordings(t *testing.T) {
	for _, p := range []string{
		"Find out what the docs say on worktree cleanup",
		"Any documentation on how worktrees get cleaned up?",
		"Could you please check in the docs how worktree cleanup works?",
		"Have a look at the documentation for worktree cleanup policy",
		"worktree cleanup policy in docs?",
		"docs search: worktree cleanup policy",
		"Get me the worktree cleanup policy from the docs",
		"Show me what the docs have on worktree cleanup",
		"I need to know the worktree cleanup policy. Can you search the documentation?",
		"where in the docs is the worktree cleanup policy described?",
		"query the documentation about cleaning up worktrees",
		"Browse docs for worktree retention rules",
		"Read up on the worktree cleanup policy in the docs",
		"How do I clean up worktrees? search docs",
		"look up worktree cleanup policy docs",
		"please searchthe docs for worktree cleanup policy",
		"What's the docs' worktree cleanup policy?",
		"文档里怎么说 worktree 的清理策略？",
		"麻烦搜一下文档中 worktree 的清理规则",
		"worktree 清理策略，文档里有写吗？",
		"请检索文档：worktree 清理策略",
		"我想知道文档中对 worktree 清理策略的规定",
		"看一下文档里 worktree 怎么清理",
		"帮忙在文档里找 worktree 清理相关的说明",
		"搜索一下关于 worktree 清理策略的文档",
		"文档中 worktree 清理的策略是啥",
		"请问文档里的worktree清理策略是什么？",
		"给我查查 worktree 清理策略",
		"翻一下文档，找到 worktree 清理策略",
		"查文档 worktree 清理策略",
		"你能查一下文档里 worktree 清理策略吗",
		"用 docs 搜 worktree 清理策略",
	} {
		if got := calls(t, request(p, builtIns, docs, deploy)); len(got) != 1 || !strings.HasPrefix(got[0], "mcp__docs__search ") || !strings.Contains(got[0], "worktree") {
			t.Errorf("%q: %q", p, got)
		}
	}
}

func TestDeployWordings(t *testing.T) {
	for _, p := range []string{
		"Go ahead and deploy this project",
		"Please release this project and tell me the outcome",
		"Let's ship this",
		"Deploy whatever I'm working on",
		"Start the deployment of the current project",
		"Start deployment",
		"do a deploy of this project",
		"deploy now",
		"Please deploy the current app and summarize the result",
		"Can we deploy the current project? Tell me how it went.",
		"publish this project",
		"Time to ship! Deploy the current project.",
		"Get the current project out to production",
		"I'd like you to deploy the current project and report back on the result",
		"Deploy current project, report result",
		"Make a deployment for this project",
		"launch the current project, then give me the result",
		"Perform a deployment of the current project and report the outcome",
		"Would you deploy the current project for me?",
		"The current project needs to be deployed. Report the result.",
		"deploythe current project and report the result",
		"把当前的项目部署上去，然后把结果告诉我",
		"麻烦部署下当前项目，结果告诉我一声",
		"请上线当前项目，并汇报结果",
		"现在部署这个项目吧",
		"将当前项目部署到生产环境，然后告诉我结果",
		"给当前项目来一次部署",
		"我要部署当前项目",
		"当前项目帮我部署一下",
		"开始部署当前项目",
		"部署当前项目，部署完告诉我结果",
		"启动当前项目的部署并回报结果",
		"请对当前项目执行部署操作",
		"帮忙发布一下当前工程，完事说一声",
		"当前项目需要部署，请执行并告诉我结果",
		"能不能把当前项目发布一下？结果告诉我",
		"触发部署",
		"把项目发一版，告诉我结果",
		"帮我把当前仓库上线了",
		"部署一下当前项目看看结果",
		"请 部署 当前 项目 并 告诉 我 结果",
	} {
		if got := calls(t, request(p, builtIns, docs, deploy)); len(got) != 1 || got[0] != `mcp__deploy__trigger {"service":"shop-api"}` {
			t.Errorf("%q: %q", p, got)
		}
	}
}

func TestMetaWordings(t *testing.T) {
	for _, p := range []string{
		"What can you do regarding docs and deployment?",
		"Which documentation and deployment operations can you run?",
		"Could you list the doc and deploy actions you're able to perform?",
		"Give me the list of documentation and deployment actions available",
		"What docs and deployment commands do I have?",
		"What actions related to documentation and deployment are possible?",
		"Please tell me what documentation & deployment tools you've got",
		"Are there any docs or deploy tools?",
		"What kind of documentation and deployment work can you do?",
		"Show available docs and deploy tools",
		"Which actions for documentation and deployments can you currently perform?",
		"what deployment and documentation things are you able to do",
		"List every docs/deploy action",
		"Tell me about your documentation and deployment tools",
		"How can you help with docs and deployments?",
		"目前你能做哪些文档和部署方面的操作？",
		"文档和部署，你能执行哪些操作",
		"可用的文档和部署工具有哪些？",
		"你支持什么文档和部署操作",
		"能执行的文档、部署操作都有什么？",
		"请列出文档和部署的可用操作",
		"告诉我你可以进行哪些文档操作和部署操作",
		"文档和部署类的工具都有哪些",
		"你现在会哪些文档和部署操作？",
		"当前可以执行的文档和部署操作有哪些",
		"请问你能帮我做哪些文档和部署相关的事？",
		"文档和部署相关的能力介绍一下",
		"我可以让你执行哪些文档和部署操作？",
		"有什么文档和部署操作是你能执行的",
		"你现在可以执行哪些文档和部署 操作",
	} {
		text, call, _ := stream(t, request(p, builtIns, docs, deploy, weather))
		if call != nil {
			t.Errorf("%q: called %s", p, call.Name)
		}
		for _, want := range []string{"mcp__docs__search", "mcp__docs__get_version", "mcp__deploy__trigger", "mcp__deploy__status", "(readOnly)", "(destructive)"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q: no %s", p, want)
			}
		}
	}
}
