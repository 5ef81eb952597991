import type { FromPage } from "../chat/messages";

declare function acquireVsCodeApi(): { postMessage(message: unknown): void; getState(): unknown; setState(state: unknown): void };

const api = acquireVsCodeApi();

/** The extension on the other side. */
export const host = {
  post(message: FromPage): void {
    api.postMessage(message);
  },
  /** What was being written, kept while the page is gone. */
  get draft(): string {
    const state = api.getState() as { draft?: string } | undefined;
    return state?.draft ?? "";
  },
  set draft(draft: string) {
    api.setState({ draft });
  },
};
