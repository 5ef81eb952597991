import * as vscode from "vscode";

const scheme = "codebot";
/** How many texts are kept: an editor that shows an older one has it already. */
const kept = 40;

/** Documents shows texts that are in no file, read-only: sides of a diff, a tool's schema. */
export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  private next = 1;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  /** Returns the address of a text; the end of name chooses the language. */
  put(name: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme, path: `/${this.next++}/${name.replace(/[\\/]/g, "_")}` });
    this.texts.set(uri.toString(), text);
    for (const old of this.texts.keys()) {
      if (this.texts.size <= kept) {
        break;
      }
      this.texts.delete(old);
    }
    return uri;
  }

  async show(name: string, text: string): Promise<void> {
    await vscode.window.showTextDocument(this.put(name, text), { preview: true });
  }

  dispose(): void {
    this.registration.dispose();
  }
}
