/** Calls of the page that wait until a path says how they end. */
import type { Page, Request, Route } from '@playwright/test';
import { toFailure } from '#machines/shared/failure.ts';
import { expect } from './consolePage.ts';

/** Tells which actor's call a request is; null for those that go to the server. */
type Naming = (request: Request) => string | null;

export class PausedCalls {
  readonly #nameOf: Naming;
  #held = new Map<string, Route>();

  constructor(nameOf: Naming) {
    this.#nameOf = nameOf;
  }

  /** `calls` are those that are looked at; by default the speech API's. */
  async stand(page: Page, calls = '**/v1/**'): Promise<void> {
    await page.route(calls, (route) => {
      const name = this.#nameOf(route.request());
      if (name === null) return route.fallback();
      this.#held.set(name, route);
      return undefined;
    });
  }

  /** What is held belongs to a page that is gone. */
  forget(): void {
    this.#held = new Map();
  }

  isHeld(name: string): boolean {
    return this.#held.has(name);
  }

  /** Waits for the call of this actor. */
  async of(name: string): Promise<Route> {
    await expect.poll(() => this.isHeld(name), `a call of ${name}`).toBe(true);
    const route = this.#held.get(name);
    if (!route) throw new Error(`No call of ${name}.`);
    return route;
  }

  async #take(name: string): Promise<Route> {
    const route = await this.of(name);
    this.#held.delete(name);
    return route;
  }

  async answer(name: string, json: unknown, status = 200): Promise<void> {
    await (await this.#take(name)).fulfill({ status, json });
  }

  /** Fails the call as the error says: no connection, or a refusal of the server. */
  async fail(name: string, error: unknown): Promise<void> {
    const { kind, status = 500, message, errorType = 'error' } = toFailure(error);
    if (kind === 'FETCH_ERROR') await (await this.#take(name)).abort();
    else
      await this.answer(
        name,
        {
          status_code: status,
          error_type: errorType,
          message,
          validation_errors: [],
          request_id: 'request-of-the-path',
        },
        status,
      );
  }
}
