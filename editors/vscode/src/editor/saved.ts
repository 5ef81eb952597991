/** What an edit of the agent needs of the document it is for. */
export interface Target {
  readonly version: number;
  text(): string;
  save(): PromiseLike<boolean>;
  /** Gives it another text. */
  put(text: string): PromiseLike<unknown>;
}

export interface Applied {
  applied: boolean;
  failureReason?: string;
}

/** What a person, or the agent, reads when the document could not be saved. */
export interface Reasons {
  notSaved: string;
  /** It was changed meanwhile, so that the edit is still there. */
  leftThere: string;
}

/**
 * Makes an edit and saves the document, as the server was promised (savesEdits): its
 * commands read the disk. A document that cannot be saved is as it was before.
 */
export async function applyAndSave(target: Target, apply: () => PromiseLike<Applied>, reasons: Reasons): Promise<Applied> {
  const before = target.text();
  const result = await apply();
  if (!result.applied) {
    return result;
  }
  const made = target.version;
  if (await target.save()) {
    return { applied: true };
  }
  if (target.version !== made) {
    // What somebody has typed since is not thrown away.
    return { applied: false, failureReason: reasons.leftThere };
  }
  await target.put(before);
  return { applied: false, failureReason: reasons.notSaved };
}

/** What of a text has to be replaced, from one offset to another, to make it the other. */
export function difference(from: string, to: string): { start: number; end: number; text: string } {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) {
    start++;
  }
  let tail = 0;
  while (tail < shorter - start && from[from.length - 1 - tail] === to[to.length - 1 - tail]) {
    tail++;
  }
  return { start, end: from.length - tail, text: to.slice(start, to.length - tail) };
}
