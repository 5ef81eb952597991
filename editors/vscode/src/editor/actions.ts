import * as vscode from "vscode";
import { attachSelection } from "../chat/attach";
import type { Chat } from "../chat/chat";
import { visible } from "../visible";

/** Offers codebot where VS Code offers fixes: on problems, and on what is selected. */
export class Actions implements vscode.CodeActionProvider, vscode.Disposable {
  private readonly registration = vscode.languages.registerCodeActionsProvider({ scheme: "file" }, this, {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.RefactorRewrite],
  });

  constructor(private readonly chat: Chat) {}

  provideCodeActions(document: vscode.TextDocument, range: vscode.Range | vscode.Selection, context: vscode.CodeActionContext): vscode.CodeAction[] {
    const actions: vscode.CodeAction[] = [];
    const add = (title: string, kind: vscode.CodeActionKind, command: string, argument: unknown): void => {
      const action = new vscode.CodeAction(title, kind);
      action.command = { command, title, arguments: [argument] };
      actions.push(action);
    };
    // The settings file's own fixes come from the server.
    const problems = context.diagnostics.filter((d) => d.source !== "codebot");
    if (problems.length > 0) {
      const what: About = { uri: document.uri, range: union(problems.map((d) => d.range)), problems: problems.map((d) => d.message) };
      add(vscode.l10n.t("Fix with codebot"), vscode.CodeActionKind.QuickFix, "codebot.fix", what);
      add(vscode.l10n.t("Explain with codebot"), vscode.CodeActionKind.QuickFix, "codebot.explain", what);
    } else if (!range.isEmpty) {
      const what: About = { uri: document.uri, range, problems: [] };
      add(vscode.l10n.t("Explain with codebot"), vscode.CodeActionKind.RefactorRewrite, "codebot.explain", what);
      add(vscode.l10n.t("Rewrite with codebot..."), vscode.CodeActionKind.RefactorRewrite, "codebot.rewrite", undefined);
    }
    return actions;
  }

  dispose(): void {
    this.registration.dispose();
  }

  async fix(about?: About): Promise<void> {
    await this.run(about, vscode.l10n.t("Fix this problem:"), vscode.l10n.t("Fix the problems in this code."));
  }

  async explain(about?: About): Promise<void> {
    await this.run(about, vscode.l10n.t("Explain this problem:"), vscode.l10n.t("Explain this code."));
  }

  /** Asks about the file that is in front; the question is written in the chat. */
  async askAboutFile(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor !== undefined) {
      const text = await vscode.window.showInputBox({ title: vscode.l10n.t("Ask about {0}", vscode.workspace.asRelativePath(editor.document.uri)), ignoreFocusOut: true });
      if (text !== undefined && text.trim() !== "") {
        await this.chat.ask(text, [attachSelection(editor).block]);
      }
    }
  }

  private async run(about: About | undefined, withProblem: string, without: string): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const at = about ?? (editor === undefined ? undefined : { uri: editor.document.uri, range: editor.selection, problems: [] });
    if (at === undefined) {
      return;
    }
    const document = await vscode.workspace.openTextDocument(at.uri);
    const problems = at.problems.map((text) => `- ${visible(text)}`);
    const selection = new vscode.Selection(at.range.start, at.range.end);
    const { block } = attachSelection({ document, selection } as vscode.TextEditor);
    await this.chat.ask(problems.length === 0 ? without : [withProblem, ...problems].join("\n"), [block]);
  }
}

/** What a code action is about. */
export interface About {
  uri: vscode.Uri;
  range: vscode.Range;
  problems: string[];
}

function union(ranges: readonly vscode.Range[]): vscode.Range {
  return ranges.reduce((all, range) => all.union(range));
}
