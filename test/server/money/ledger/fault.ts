import type { KyselyPlugin, PluginTransformQueryArgs, RootOperationNode } from 'kysely';

/** The process is no more: nothing of it happens any more, and its transaction is rolled back. */
export class Crash extends Error {
  constructor() {
    super('The process ended.');
    this.name = 'Crash';
  }
}

/**
 * Ends the process before its n-th statement, and so after the one before it, whether that ended a transaction or not. Rolling back is
 * left to it: a database does so for a client that is gone.
 */
export class Fault implements KyselyPlugin {
  #left = Infinity;
  #dead = false;

  /** @param statements how many are still run; Infinity for all */
  arm(statements: number): void {
    this.#left = statements;
    this.#dead = false;
  }

  /** As of now. @throws Crash */
  die(): never {
    this.#dead = true;
    throw new Crash();
  }

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    if (this.#dead || this.#left <= 0) this.die();
    this.#left -= 1;
    return node;
  }

  transformResult: KyselyPlugin['transformResult'] = ({ result }) => Promise.resolve(result);
}
