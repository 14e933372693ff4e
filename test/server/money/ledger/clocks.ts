import { RawNode, type KyselyPlugin, type PluginTransformQueryArgs, type RootOperationNode } from 'kysely';

const MINUTE_MS = 60_000;
/** What `databaseNow` asks the database. */
const ASKS = 'select clock_timestamp() as now';

/**
 * The right clock, which the database and the provider have, and the server's, which may be ahead of it for a while. What the database says
 * goes through here: `databaseNow` turns it as far as the server's clock is turned.
 */
export class Clocks implements KyselyPlugin {
  /** How far all are ahead of the test's machine: they go on while something happens, so that what was first is first. */
  #turnedMs = Date.parse('2026-03-01T20:00:00Z') - Date.now();
  /** How far the server's is ahead of the right one, and for how many strides more. */
  #aheadMs = 0;
  #strides = 0;
  /** The latest that it has shown before it was set right. */
  #latest = 0;
  readonly #asked = new WeakSet<object>();

  get now(): number {
    return Date.now() + this.#turnedMs;
  }

  /** What the server's shows. */
  get shown(): number {
    return this.now + this.#aheadMs;
  }

  /** The latest that the server can have taken for now. */
  get latest(): number {
    return Math.max(this.#latest, this.shown);
  }

  pass(ms: number): void {
    this.#turnedMs += ms;
  }

  /** The server's is ahead for the rest of this stride, and so many more. */
  setAhead(minutes: number, strides: number): void {
    this.setRight();
    this.#aheadMs = minutes * MINUTE_MS;
    this.#strides = strides + 1;
  }

  /** @param told by the database, in the server's eyes @throws Error where that is not the right time */
  prove(told: Date): void {
    if (Math.abs(told.getTime() - this.now) > MINUTE_MS) throw new Error("The server's clock turns the database's.");
  }

  /** A stride is over. */
  step(): void {
    this.#strides -= 1;
    if (this.#strides <= 0) this.setRight();
  }

  setRight(): void {
    this.#latest = this.latest;
    this.#aheadMs = 0;
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    if (RawNode.is(node) && node.sqlFragments[0] === ASKS) this.#asked.add(queryId);
    return node;
  }

  transformResult: KyselyPlugin['transformResult'] = ({ result, queryId }) => {
    if (!this.#asked.has(queryId)) return Promise.resolve(result);
    const behind = (told: unknown): Date => new Date(Number(told) - this.#aheadMs);
    return Promise.resolve({ ...result, rows: result.rows.map((row) => ({ ...row, now: behind(row['now']) })) });
  };
}
