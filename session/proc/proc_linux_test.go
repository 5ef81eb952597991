package proc

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// alive reports whether a process is there and not only waiting to be reaped.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func awaitGone(t *testing.T, pids []int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for _, pid := range pids {
		for alive(pid) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d is still there", pid)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// script starts children of every kind and says their numbers, one a line.
const script = `sleep 600 & echo $!
setsid sh -c 'echo $$; exec sleep 600' &
(setsid sh -c '(trap "" HUP; echo $$; sleep 600 & echo $!; wait)' &)
`

// children is how many script starts.
const children = 4

// pids reads what script says, and ends what is left of it when the test has ended.
func pids(t *testing.T, r *bufio.Reader) []int {
	t.Helper()
	var all []int
	for len(all) < children {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("read %v so far: %v", all, err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pid)
	}
	t.Cleanup(func() {
		for _, pid := range all {
			if alive(pid) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	})
	return all
}

func launch(t *testing.T, o Options, after string) (*Group, []int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", script+after)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Start(cmd, o)
	if err != nil {
		t.Fatal(err)
	}
	return g, pids(t, bufio.NewReader(out))
}

// A server that starts a browser which makes itself a session leaves it behind: the group
// does not hold it (microsoft/playwright-mcp's orphans are such).
func TestWhatIsHeldEndsThoughItLeftTheGroup(t *testing.T) {
	g, all := launch(t, Options{Hold: true}, "")
	g.Wait()
	awaitGone(t, all)
}

// Without it only the group goes.
func TestWhatIsNotHeldStaysWhenItLeftTheGroup(t *testing.T) {
	g, all := launch(t, Options{NoTerminal: true}, "")
	g.Wait()
	awaitGone(t, all[:1])
	for _, pid := range all[1:] {
		if !alive(pid) {
			t.Errorf("process %d was ended", pid)
		}
	}
}

// A kill -9 leaves no time to end anything: the guard does it, also what is held.
func TestAKilledParentLeavesNothingBehind(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CODEBOT_TEST_HELPER=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	all := pids(t, bufio.NewReader(out))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	awaitGone(t, all)
}

// beKilled is the process that TestAKilledParentLeavesNothingBehind kills.
func beKilled() {
	cmd := exec.Command("sh", "-c", script+"exec sleep 600")
	cmd.Stdout = os.Stdout
	g, err := Start(cmd, Options{Hold: true})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	g.Wait()
}

func TestMain(m *testing.M) {
	if os.Getenv("CODEBOT_TEST_HELPER") == "1" {
		beKilled()
		return
	}
	os.Exit(m.Run())
}
