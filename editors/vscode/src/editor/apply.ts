import * as vscode from "vscode";
import { CancellationToken, ResponseError, type ApplyWorkspaceEditParams, type ApplyWorkspaceEditRequest } from "vscode-languageclient/node";
import { applyAndSave, difference, type Applied } from "./saved";

/**
 * Makes an edit of the agent in the document that has the file open, and saves it. next
 * makes an edit for the version that it names, and no other.
 */
export async function applyEdit(params: ApplyWorkspaceEditParams, next: ApplyWorkspaceEditRequest.HandlerSignature): Promise<Applied> {
  const apply = async (): Promise<Applied> => {
    const result = await next(params, CancellationToken.None);
    if (result instanceof ResponseError) {
      throw result;
    }
    return result;
  };
  const change = params.edit.documentChanges?.[0];
  if (change === undefined || !("textDocument" in change)) {
    return apply(); // none that the server makes of a file
  }
  const uri = vscode.Uri.parse(change.textDocument.uri).toString();
  const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri);
  if (document === undefined) {
    return { applied: false, failureReason: vscode.l10n.t("It is not open.") };
  }
  const { length } = change.edits;
  return applyAndSave(
    {
      get version(): number {
        return document.version;
      },
      text: () => document.getText(),
      save: () => document.save(),
      put: async (text) => {
        const { start, end, text: old } = difference(document.getText(), text);
        const edit = new vscode.WorkspaceEdit();
        edit.replace(document.uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), old);
        await vscode.workspace.applyEdit(edit);
      },
    },
    // An edit of nothing is one to save, which the workbench takes for none at all.
    () => (length === 0 ? Promise.resolve({ applied: document.version === change.textDocument.version }) : apply()),
    {
      notSaved: vscode.l10n.t("It could not be saved."),
      leftThere: vscode.l10n.t("It could not be saved, and stands there unsaved."),
    },
  );
}
