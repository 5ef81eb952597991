import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { FromPage, ToPage } from "./messages";

/** How long messages are gathered, in milliseconds. */
const frame = 10;

/**
 * ChatView owns the page of the chat, in the side bar and as a tab, which may come and
 * go. Both show the same conversation: each gets every message.
 */
export class ChatView implements vscode.WebviewViewProvider, vscode.Disposable {
  static readonly id = "codebot.chat";
  private view: vscode.WebviewView | undefined;
  /** The same page as a tab of the editor, when one was opened. */
  private tab: vscode.WebviewPanel | undefined;
  /** The pages that have asked for all and get what follows. */
  private readonly ready = new Set<vscode.Webview>();
  private readonly received = new vscode.EventEmitter<FromPage>();
  readonly onDidReceive = this.received.event;
  private readonly hidden = new vscode.EventEmitter<void>();
  /** A page may have gone out of sight; see visible. */
  readonly onDidHide = this.hidden.event;
  private readonly registrations: vscode.Disposable[];
  private waiting = 0;
  private outgoing: ToPage[] = [];
  private timer: NodeJS.Timeout | undefined;
  /** The page is to take the focus, and is not there yet. */
  private focusWanted = false;

  constructor(private readonly extension: vscode.Uri) {
    this.registrations = [
      vscode.window.registerWebviewViewProvider(ChatView.id, this, {
        // The conversation stays on the page while the view is hidden.
        webviewOptions: { retainContextWhenHidden: true },
      }),
      vscode.window.onDidChangeWindowState(() => this.mayHaveHidden()),
    ];
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    this.fill(view.webview);
    view.onDidChangeVisibility(() => this.mayHaveHidden());
    view.onDidDispose(() => {
      this.ready.delete(view.webview);
      if (this.view === view) {
        this.view = undefined;
      }
      this.mayHaveHidden();
    });
    this.showWaiting(this.waiting);
  }

  /** Shows the chat as a tab of the editor. */
  openInTab(): void {
    if (this.tab !== undefined) {
      this.tab.reveal();
      return;
    }
    const tab = vscode.window.createWebviewPanel("codebot.tab", vscode.l10n.t("codebot: chat"), vscode.ViewColumn.Active, { retainContextWhenHidden: true });
    tab.iconPath = vscode.Uri.joinPath(this.extension, "media", "icon.svg");
    this.tab = tab;
    this.fill(tab.webview);
    tab.onDidChangeViewState(() => this.mayHaveHidden());
    tab.onDidDispose(() => {
      this.ready.delete(tab.webview);
      this.tab = undefined;
      this.mayHaveHidden();
    });
  }

  private fill(webview: vscode.Webview): void {
    const dist = vscode.Uri.joinPath(this.extension, "dist");
    this.ready.delete(webview);
    webview.options = { enableScripts: true, enableCommandUris: false, localResourceRoots: [dist] };
    webview.onDidReceiveMessage((message: FromPage) => {
      if (message.type === "ready") {
        this.ready.add(webview);
        if (this.focusWanted) {
          this.focus();
        }
      }
      this.received.fire(message);
    });
    webview.html = page(webview, dist);
  }

  /** Reports whether a person can see the page. */
  get visible(): boolean {
    return (this.view?.visible === true || this.tab?.visible === true) && vscode.window.state.focused;
  }

  private mayHaveHidden(): void {
    if (!this.visible) {
      this.hidden.fire();
    }
  }

  /**
   * Sends a message; before the page is ready nothing is sent, for it then asks for all.
   * Messages of one frame travel together: each journey through the editor's processes
   * costs more than a word of an answer does.
   */
  post(message: ToPage): void {
    if (this.ready.size === 0) {
      return;
    }
    this.outgoing.push(message);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const messages = this.outgoing;
      this.outgoing = [];
      for (const webview of this.ready) {
        void webview.postMessage(messages);
      }
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
    this.focusWanted = this.ready.size === 0;
    this.post({ type: "focus" });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.tab?.dispose();
    for (const registration of this.registrations) {
      registration.dispose();
    }
    this.hidden.dispose();
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
