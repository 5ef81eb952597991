package modeltest

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Llama starts a real llama-server with a model of random weights and a window of so many
// tokens, at most 32768, and returns its base URL; it ends with the test. Where there is no
// llama-server, neither on PATH nor in CODEBOT_TEST_LLAMA_SERVER, the test is skipped. What
// the model says is nonsense, always the same, and each byte is a token to it.
func Llama(t testing.TB, window int) string {
	t.Helper()
	program := os.Getenv("CODEBOT_TEST_LLAMA_SERVER")
	if program == "" {
		var err error
		if program, err = exec.LookPath("llama-server"); err != nil {
			t.Skip("no llama-server on PATH or in CODEBOT_TEST_LLAMA_SERVER")
		}
	}
	gguf := filepath.Join(t.TempDir(), "random.gguf")
	WriteGGUF(t, gguf)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	cmd := exec.Command(program, "-m", gguf, "--host", "127.0.0.1", "--port", strconv.Itoa(port), "--jinja", "-c", strconv.Itoa(window), "-t", "1", "--no-warmup",
		"--temp", "0") // nonsense may look like half a call, which its own parser refuses: always the same nonsense
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		for s := bufio.NewScanner(stderr); s.Scan(); {
			log.WriteString(s.Text() + "\n")
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-logged
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	base := "http://127.0.0.1:" + strconv.Itoa(port) + "/v1"
	deadline := time.Now().Add(time.Minute)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		resp, err := http.Get(strings.TrimSuffix(base, "/v1") + "/health")
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("llama-server did not come up: %v", err)
		}
		select {
		case <-tick.C:
		case <-logged:
			t.Fatal("llama-server ended at once")
		}
	}
	return base
}
