import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { FromPage, ToPage } from "./messages";

/** How long messages are gathered, in milliseconds. */
const frame = 10;

/** ChatView owns the page of the chat, which may come and go. */
export class ChatView implements vscode.WebviewViewProvider, vscode.Disposable {
  static readonly id = "codebot.chat";
  private view: vscode.WebviewView | undefined;
  private ready = false;
  private readonly received = new vscode.EventEmitter<FromPage>();
  readonly onDidReceive = this.received.event;
  private readonly registration: vscode.Disposable;
  private waiting = 0;
  private outgoing: ToPage[] = [];
  private timer: NodeJS.Timeout | undefined;
  /** The page is to take the focus, and is not there yet. */
  private focusWanted = false;

  constructor(private readonly extension: vscode.Uri) {
    this.registration = vscode.window.registerWebviewViewProvider(ChatView.id, this, {
      // The conversation stays on the page while the view is hidden.
      webviewOptions: { retainContextWhenHidden: true },
    });
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    this.ready = false;
    this.outgoing = [];
    const dist = vscode.Uri.joinPath(this.extension, "dist");
    view.webview.options = { enableScripts: true, enableCommandUris: false, localResourceRoots: [dist] };
    view.webview.onDidReceiveMessage((message: FromPage) => {
      if (message.type === "ready") {
        this.ready = true;
        if (this.focusWanted) {
          this.focus();
        }
      }
      this.received.fire(message);
    });
    view.onDidDispose(() => {
      if (this.view === view) {
        this.view = undefined;
        this.ready = false;
      }
    });
    view.webview.html = page(view.webview, dist);
    this.showWaiting(this.waiting);
  }

  /** Reports whether a person can see the page. */
  get visible(): boolean {
    return this.view?.visible === true && vscode.window.state.focused;
  }

  /**
   * Sends a message; before the page is ready nothing is sent, for it then asks for all.
   * Messages of one frame travel together: each journey through the editor's processes
   * costs more than a word of an answer does.
   */
  post(message: ToPage): void {
    if (!this.ready) {
      return;
    }
    this.outgoing.push(message);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const messages = this.outgoing;
      this.outgoing = [];
      void this.view?.webview.postMessage(messages);
    }, frame);
  }

  /** Shows on the view how many questions wait. */
  showWaiting(count: number): void {
    this.waiting = count;
    if (this.view !== undefined) {
      this.view.badge = count === 0 ? undefined : { value: count, tooltip: vscode.l10n.t("codebot waits for your answer") };
    }
  }

  async reveal(): Promise<void> {
    await vscode.commands.executeCommand(`${ChatView.id}.focus`);
    this.focus();
  }

  private focus(): void {
    this.focusWanted = !this.ready;
    this.post({ type: "focus" });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.registration.dispose();
    this.received.dispose();
  }
}

function page(webview: vscode.Webview, dist: vscode.Uri): string {
  const nonce = randomBytes(18).toString("base64");
  const at = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(dist, file)).toString();
  // Nothing but our own files, and images only out of a message's own bytes: a page
  // that can load nothing from elsewhere cannot tell anybody anything.
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${at("webview.css")}">
<title>codebot</title>
</head>
<body><div id="app"></div><script nonce="${nonce}" src="${at("webview.js")}"></script></body>
</html>`;
}
