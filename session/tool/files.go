package tool

import (
	"context"

	"io/fs"

	"github.com/codebot-ls/codebot-ls/session/permission"
)

// Files calls visit for the files below root as the tools see them, without what
// .gitignore leaves out and what hide hides (nil: nothing), until it returns false. rel
// has slashes and is relative to root.
func Files(ctx context.Context, root string, hide func(path string) bool, visit func(rel string) bool) error {
	w := &world{Env: Env{Root: root, Hide: hide}, root: permission.Resolve(root)}
	return w.walk(ctx, w.root, func(rel, _ string, _ fs.DirEntry) bool { return visit(rel) })
}
