import type { ActionError, ModelError } from "../protocol.gen";
import type { Failure, Remedy } from "./messages";

/**
 * failureOf is what the chat shows of an error that answered a prompt: the model's
 * or the server's own words, and the ways out that exist here.
 */
export function failureOf(err: unknown, label: (remedy: Remedy) => string): Failure {
  const message = err instanceof Error ? err.message : String(err);
  const data = (err as { data?: Partial<Omit<ModelError, "kind"> & Omit<ActionError, "kind">> & { kind?: string } } | undefined)?.data;
  const remedies: Remedy[] = [];
  switch (data?.action) {
    case "enterKey":
      remedies.push("enterKey", "pickModel", "openSettings");
      break;
    case "openSettings":
      remedies.push("openSettings", "pickModel");
      break;
    case "compact":
      remedies.push("compact", "pickModel");
      break;
    case "chooseModel":
      remedies.push("pickModel");
      break;
    case "retry":
      remedies.push("retry", "pickModel");
      break;
    default:
      remedies.push(data?.kind === undefined ? "showLog" : "retry");
  }
  const failure: Failure = { message: data?.message ?? message, remedies: remedies.map((remedy) => ({ remedy, label: label(remedy) })) };
  const detail = data?.providerMessage ?? data?.hint;
  if (detail !== undefined && detail !== "") {
    failure.detail = detail;
  }
  return failure;
}
