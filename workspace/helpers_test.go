package workspace

import (
	"os/exec"
)

// runGit runs git in the folder, without the user's configuration.
func runGit(b *bench, args ...string) {
	b.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		b.Skip("git is not installed")
	}
	cmd := exec.Command(git, append([]string{"-c", "user.name=t", "-c", "user.email=t@example.test", "-c", "core.hooksPath=/dev/null"}, args...)...)
	cmd.Dir = b.folder
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("git %v: %v\n%s", args, err, out)
	}
}
