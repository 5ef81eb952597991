//go:build unix

package tool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

func (b *bench) does(name string, args any) string {
	b.t.Helper()
	r, err := b.call(name, args)
	if err != nil {
		b.t.Fatalf("%s %v: %v", name, args, err)
	}
	var all []string
	for _, c := range r.Content {
		all = append(all, c.Text)
	}
	return strings.Join(all, "\n")
}

// starts starts a job and returns once it has printed something, however slow the machine.
func (b *bench) starts(job int, command, prints string) {
	b.t.Helper()
	got := b.does("bash", m{"command": command, "background": true})
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(got, prints); {
		if time.Now().After(deadline) {
			b.t.Fatalf("it printed %q, not %q", got, prints)
		}
		got += b.does("bash_output", m{"job": job, "wait_seconds": 10})
	}
	has(b.t, got, fmt.Sprintf("[job %d runs", job))
}

func has(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q has no %q", text, w)
		}
	}
}

// A server in the background is read while it runs, each line once, and ended with all
// that it started.
func TestACommandInTheBackgroundIsReadAndEnded(t *testing.T) {
	b := newBench(t)
	begun := b.does("bash", m{"command": "echo ready; sleep 600 & echo $! >child; echo $$ >pid; wait", "background": true})
	has(t, begun, "ready", "[job 1 runs, for ", "bash_output reads on")
	has(t, b.does("bash_output", m{"job": 1}), "(no new output)", "[job 1 runs")
	has(t, b.does("bash_stop", m{"job": 1}), "[job 1 was stopped]")
	gone(t, filepath.Join(b.root, "child"))
	gone(t, filepath.Join(b.root, "pid"))
	has(t, b.does("bash_stop", m{"job": 1}), "(no new output)", "[job 1 was stopped]")
	b.fails("bash_output", m{"job": 2}, "there is no job 2: jobs end with the editor, so one of before a restart is gone; there are now: job 1 was stopped")
}

// What a job prints comes as soon as it is there, and each part once; its end is told by
// the next call whatever it is.
func TestNewsOfAJobAreNotMissed(t *testing.T) {
	b := newBench(t)
	if err := syscall.Mkfifo(b.root+"/go", 0o600); err != nil {
		t.Fatal(err)
	}
	has(t, b.does("bash", m{"command": "echo one; read -r line <go; echo two $line; read -r line <go; exit 3", "background": true}), "one", "job 1 runs")
	// Open for both, it waits for nobody; what is written is there until it is read.
	pipe, err := os.OpenFile(b.root+"/go", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	tell := func(text string) {
		t.Helper()
		if _, err := pipe.WriteString(text + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	tell("x")
	got := b.does("bash_output", m{"job": 1, "wait_seconds": 60})
	has(t, got, "two x", "job 1 runs")
	if strings.Contains(got, "one") {
		t.Errorf("read twice: %q", got)
	}
	tell("y")
	deadline := time.Now().Add(10 * time.Second)
	for {
		// Another command tells of the end.
		got := b.does("bash", m{"command": "echo mine"})
		if strings.Contains(got, "job 1") {
			has(t, got, "mine\n", "[job 1 ended with exit code 3; bash_output has what it printed]")
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the end was not told")
		}
	}
	if got := b.does("bash", m{"command": "echo mine"}); got != "mine" {
		t.Errorf("told twice: %q", got)
	}
	has(t, b.does("bash_output", m{"job": 1}), "(no new output)", "[job 1 ended with exit code 3]")
}

// A command that ends in its first moments is no job: its answer is that of any other.
func TestACommandThatFailsAtOnceIsNoJob(t *testing.T) {
	b := newBench(t)
	r, err := b.call("bash", m{"command": "echo no such port >&2; exit 4", "background": true})
	if err != nil || text(r) != "no such port\n[exit code 4]\n[it ended at once, so there is no job]" || !r.IsError {
		t.Errorf("%q, %v, %v", text(r), r.IsError, err)
	}
	b.fails("bash_output", m{"job": 1}, "there is no job 1: it ended and is not kept any more; there are now: none")
}

// Jobs are bounded, and Close ends them all with what they started.
func TestJobsAreBoundedAndEndWithTheSession(t *testing.T) {
	b := newBench(t)
	var started sync.WaitGroup
	for i := range maxJobs {
		started.Go(func() {
			_, _ = b.call("bash", m{"command": "trap '' TERM; sleep 600 & echo $! >child" + strconv.Itoa(i) + "; wait; sleep 600", "background": true})
		})
	}
	started.Wait()
	b.fails("bash", m{"command": "sleep 600", "background": true}, "8 commands run in the background already (jobs 1, 2, 3, 4, 5, 6, 7, 8)")
	b.jobs.Close()
	for i := range maxJobs {
		gone(t, filepath.Join(b.root, "child"+strconv.Itoa(i)))
	}
	b.fails("bash", m{"command": "sleep 600", "background": true}, "closed")
}

// Whoever cancels the call that starts a job wants no job; one that runs is not ended by
// the cancel of a look at it.
func TestACancelOfTheStartEndsTheJobAndOneOfALookDoesNot(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.tools["bash"].Execute(ctx, []byte(`{"command":"echo $$ >pid; sleep 600","background":true}`), func(agent.Progress) {}); err == nil {
		t.Error("the start was not cancelled")
	}
	if len(b.jobs.list) != 0 {
		t.Errorf("%d jobs", len(b.jobs.list))
	}
	has(t, b.does("bash", m{"command": "sleep 600", "background": true}), "job 2 runs")
	if _, err := b.tools["bash_output"].Execute(ctx, []byte(`{"job":2,"wait_seconds":60}`), func(agent.Progress) {}); err == nil {
		t.Error("the look was not cancelled")
	}
	has(t, b.does("bash_output", m{"job": 2}), "job 2 runs")
}

// Output beyond what is kept is cut in the middle, and said so, also by parts.
func TestOutputIsReadByParts(t *testing.T) {
	o := &output{limitHead: 10, limitTail: 20}
	at := int64(0)
	write := func(s string) { _, _ = o.Write([]byte(s)) }
	next := func() (text string) {
		text, at = o.since(at, false)
		return text
	}
	write("abc")
	if got := next(); got != "abc" {
		t.Errorf("%q", got)
	}
	write("defghijklm")
	if got := next(); got != "defghijklm" {
		t.Errorf("%q", got)
	}
	write(strings.Repeat("x", 100) + "end")
	if got := next(); got != "\n[83 bytes left out]\n"+strings.Repeat("x", 17)+"end" {
		t.Errorf("%q", got)
	}
	if got := next(); got != "" {
		t.Errorf("%q", got)
	}
	write("a\xe4\xbd")
	if got := next(); got != "a" {
		t.Errorf("half a character: %q", got)
	}
	write("\xa0b\xe4")
	if got := next(); got != "\u4f60b" {
		t.Errorf("its other half: %q", got)
	}
	if got, _ := o.since(at, true); got != "\uFFFD" {
		t.Errorf("the end: %q", got)
	}
}

// A model that waits gets what comes in one go as a whole, and a person sees it come.
func TestAWaitGathersWhatComesInOneGo(t *testing.T) {
	b := newBench(t)
	if err := syscall.Mkfifo(b.root+"/go", 0o600); err != nil {
		t.Fatal(err)
	}
	has(t, b.does("bash", m{"command": "while :; do cat go; for i in 1 2 3 4 5 6 7 8; do echo line $i; done; done", "background": true}), "(no new output)\n[job 1 runs")
	shown := ""
	for range 20 { // the first time but for a look that comes when all is there
		got, looks := "", 0
		go func() { _ = os.WriteFile(b.root+"/go", []byte("begun\n"), 0o600) }() // ends when the command reads
		for ; !strings.Contains(got, "line 8"); looks++ {
			if looks == 20 {
				t.Fatalf("after %d looks: %q", looks, got)
			}
			r, err := b.tools["bash_output"].Execute(t.Context(), []byte(`{"job":1,"wait_seconds":60}`), func(p agent.Progress) { shown = p.Text })
			if err != nil {
				t.Fatal(err)
			}
			got += text(r)
		}
		if looks > 3 { // one, but for a machine that pauses
			t.Errorf("it took %d looks: %q", looks, got)
		}
		if shown != "" {
			break
		}
	}
	has(t, shown, "begun\n")
}
