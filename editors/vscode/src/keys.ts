import * as vscode from "vscode";
import { providersList, providersRemoveKey, providersSetKey, providersTest, type KeySource, type Provider } from "./protocol.gen";
import type { Server } from "./server/server";
import { visible } from "./visible";

/**
 * Keys of model providers. They go to the server, which keeps them in the system's
 * keychain; the editor's own stores never have them.
 */
export class Keys {
  constructor(private readonly server: Server) {}

  /** Asks for a key of a provider, which is chosen first where none is named. */
  async enter(name?: string): Promise<void> {
    const provider = name ?? (await this.pick(vscode.l10n.t("Enter a key for")))?.name;
    if (provider === undefined) {
      return;
    }
    const key = await vscode.window.showInputBox({
      title: vscode.l10n.t("Key of {0}", visible(provider)),
      password: true,
      ignoreFocusOut: true,
      prompt: vscode.l10n.t("It is kept in the system's keychain, not in a settings file."),
    });
    if (key === undefined || key.trim() === "") {
      return;
    }
    const { keyFrom } = await this.server.request(providersSetKey, { provider, key: key.trim() });
    const tested = await this.server.request(providersTest, { provider });
    if (tested.ok) {
      const kept = keyFrom === "keychain"
        ? vscode.l10n.t("The key works and is in the keychain.")
        : vscode.l10n.t("The key works. There is no keychain here; it is in a file that only you can read.");
      void vscode.window.showInformationMessage(kept);
    } else {
      void vscode.window.showWarningMessage(visible(tested.error?.message ?? ""));
    }
  }

  async remove(): Promise<void> {
    const provider = await this.pick(vscode.l10n.t("Forget the key of"), (p) => p.keyFrom === "keychain" || p.keyFrom === "file");
    if (provider !== undefined) {
      await this.server.request(providersRemoveKey, { provider: provider.name });
    }
  }

  private async pick(title: string, wanted: (p: Provider) => boolean = () => true): Promise<Provider | undefined> {
    const { providers } = await this.server.request(providersList, {});
    const items = providers.filter(wanted).map((provider) => ({
      label: visible(provider.name),
      description: keyText(provider.keyFrom),
      detail: provider.available ? visible(provider.baseUrl) : visible(provider.reason ?? ""),
      provider,
    }));
    const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: items.length === 0 ? vscode.l10n.t("There is none yet") : "" });
    return chosen?.provider;
  }
}

function keyText(from: KeySource): string {
  switch (from) {
    case "none":
      return vscode.l10n.t("without a key");
    case "settings":
      return vscode.l10n.t("key in the settings");
    case "environment":
      return vscode.l10n.t("key in the environment");
    case "keychain":
      return vscode.l10n.t("key in the keychain");
    case "file":
      return vscode.l10n.t("key in a file of yours");
  }
}
