import { l10n } from "vscode";

/** The words of the chat's page, in the language of the editor. */
export function strings() {
  return {
    placeholder: l10n.t("Ask codebot, or tell it what to do"),
    welcome: l10n.t("What should codebot do? It uses the tools of your MCP servers beside its own, and asks before anything risky."),
    send: l10n.t("Send"),
    stop: l10n.t("Stop"),
    mode: l10n.t("Mode"),
    model: l10n.t("Model"),
    you: l10n.t("You"),
    thought: l10n.t("Thought"),
    plan: l10n.t("Plan"),
    arguments: l10n.t("Arguments"),
    asks: l10n.t("codebot asks whether it may run this:"),
    openDiff: l10n.t("Open the diff"),
    copy: l10n.t("Copy"),
    insert: l10n.t("Insert at the cursor"),
    image: l10n.t("image"),
    newFile: l10n.t("new file"),
    starting: l10n.t("codebot is starting."),
    stopped: l10n.t("codebot is stopped."),
    working: l10n.t("Working"),
    pending: l10n.t("waiting"),
    inProgress: l10n.t("running"),
    completed: l10n.t("done"),
    failed: l10n.t("failed"),
    more: l10n.t("Show all"),
    cancelled: l10n.t("Stopped."),
    maxTokens: l10n.t("The answer was cut: the model reached its limit."),
    maxRequests: l10n.t("The turn was ended: it made too many requests."),
    refusal: l10n.t("The model refused to answer."),
    transcript: l10n.t("Conversation"),
    steer: l10n.t("Add to what codebot is doing"),
    undo: l10n.t("Undo from here on"),
    fork: l10n.t("Go on from here in a copy"),
    apply: l10n.t("Apply to the file in the editor"),
    attach: l10n.t("Attach a file"),
    remove: l10n.t("Remove"),
    context: l10n.t("How full the model's window is; shows what fills it"),
    suggestions: l10n.t("Suggestions"),
  };
}

export type Strings = ReturnType<typeof strings>;
