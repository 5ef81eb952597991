/** Crashes that are this far apart, in milliseconds, have nothing to do with each other. */
const forgetAfter = 3 * 60_000;
const delays = [500, 1_000, 4_000, 15_000];

/**
 * Backoff says how long to wait before a server that crashed is started again, and
 * when to stop trying: the fifth crash within three minutes is left to the person.
 */
export class Backoff {
  private crashes: number[] = [];

  /** Returns the delay in milliseconds, or undefined when it is enough. */
  crashed(now: number): number | undefined {
    this.crashes = this.crashes.filter((at) => now - at < forgetAfter);
    this.crashes.push(now);
    return delays[this.crashes.length - 1];
  }

  reset(): void {
    this.crashes = [];
  }
}
