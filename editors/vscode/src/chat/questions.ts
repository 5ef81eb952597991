import * as vscode from "vscode";
import {
  permissionResolved,
  requestPermission,
  type RequestPermissionParams,
  type RequestPermissionResult,
} from "../protocol.gen";
import type { Server } from "../server/server";

interface Open {
  params: RequestPermissionParams;
  settle: (result: RequestPermissionResult) => void;
}

/** Questions holds the permissions that wait for a person; an answer that comes late is dropped. */
export class Questions implements vscode.Disposable {
  private readonly open = new Map<string, Open>();
  private readonly asked = new vscode.EventEmitter<RequestPermissionParams>();
  private readonly closed = new vscode.EventEmitter<RequestPermissionParams>();
  readonly onDidAsk = this.asked.event;
  readonly onDidClose = this.closed.event;
  private readonly subscription: vscode.Disposable;

  constructor(server: Server) {
    server.answer(requestPermission, (params, token) =>
      new Promise<RequestPermissionResult>((settle) => {
        const key = keyOf(params.sessionId, params.toolCall.toolCallId);
        this.open.set(key, { params, settle });
        token.onCancellationRequested(() => this.close(key));
        this.asked.fire(params);
      }),
    );
    server.on(permissionResolved, ({ sessionId, toolCallId }) => this.close(keyOf(sessionId, toolCallId)));
    this.subscription = server.onDidChangeState((state) => {
      if (state.kind !== "running") {
        for (const key of [...this.open.keys()]) {
          this.close(key);
        }
      }
    });
  }

  /** The open questions, the oldest first. */
  list(): RequestPermissionParams[] {
    return [...this.open.values()].map((o) => o.params);
  }

  /** Answers a question with an option; it does nothing when the question is no longer open. */
  answer(sessionId: string, toolCallId: string, optionId: string): void {
    this.close(keyOf(sessionId, toolCallId), optionId);
  }

  dispose(): void {
    this.subscription.dispose();
    for (const key of [...this.open.keys()]) {
      this.close(key);
    }
    this.asked.dispose();
    this.closed.dispose();
  }

  private close(key: string, optionId?: string): void {
    const question = this.open.get(key);
    if (question === undefined) {
      return;
    }
    this.open.delete(key);
    question.settle({ outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } });
    this.closed.fire(question.params);
  }
}

function keyOf(sessionId: string, toolCallId: string): string {
  return `${sessionId}\n${toolCallId}`;
}
