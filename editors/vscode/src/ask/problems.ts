import * as vscode from "vscode";
import { diagnostics, type Diagnostic, type DiagnosticSeverity } from "../protocol.gen";
import type { Server } from "../server/server";

/** Tells the agent the problems that the editor knows of, from whatever finds them. */
export function answerProblems(server: Server): void {
  server.answer(diagnostics, async ({ uri }) => {
    const wanted = uri === undefined ? undefined : vscode.Uri.parse(uri);
    const documents = vscode.languages
      .getDiagnostics()
      .filter(([at, list]) => list.length > 0 && (wanted === undefined || at.toString() === wanted.toString() || at.path.startsWith(`${wanted.path.replace(/\/$/, "")}/`)))
      .map(([at, list]) => ({ uri: at.toString(), diagnostics: list.map(toWire) }));
    return { documents };
  });
}

export function toWire(d: vscode.Diagnostic): Diagnostic {
  const code = typeof d.code === "object" ? d.code.value : d.code;
  return {
    line: d.range.start.line + 1,
    column: d.range.start.character + 1,
    severity: severityOf(d.severity),
    message: d.message,
    ...(d.source !== undefined && { source: d.source }),
    ...(code !== undefined && { code: String(code) }),
  };
}

function severityOf(severity: vscode.DiagnosticSeverity): DiagnosticSeverity {
  switch (severity) {
    case vscode.DiagnosticSeverity.Error:
      return "error";
    case vscode.DiagnosticSeverity.Warning:
      return "warning";
    case vscode.DiagnosticSeverity.Information:
      return "information";
    case vscode.DiagnosticSeverity.Hint:
      return "hint";
  }
}
