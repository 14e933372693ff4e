/** A built server of its own for the figures of the API, signed in. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { Memberships, OrganizationCreated, ProjectCreated } from '#contract/organizations.ts';
import { CSRF_COOKIE, CSRF_HEADER, TokenPair } from '#contract/session.ts';
import { TemporaryKey } from '#contract/temporary-keys.ts';
import type { Db } from '#server/platform/db/database.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { asOperator, ConsoleServer, DEMO_EMAIL, DEMO_PASSWORD } from '../test/journeys/server.ts';

/** Access tokens are good for ten minutes. */
const RENEW_AFTER_MS = 5 * 60_000;

export class Service {
  readonly #server: ConsoleServer;
  readonly #signedInAt = { access: '', at: Number.NEGATIVE_INFINITY };
  /** Of the demo account, first. */
  readonly projectIds: string[] = [];
  /** Its recordings lie in `files` there. */
  readonly directory: string;

  private constructor(server: ConsoleServer, directory: string) {
    this.#server = server;
    this.directory = directory;
  }

  static async start(directory: string, settings: Record<string, string>): Promise<Service> {
    const service = new Service(await ConsoleServer.launch({ directory, settings, options: [] }), directory);
    const { organizations } = v.parse(
      Memberships,
      await (await service.asUser('GET', '/api/v2/user/organizations')).json(),
    );
    service.projectIds.push(...organizations.flatMap(({ projects }) => projects.map(({ uuid }) => uuid)));
    return service;
  }

  get url(): string {
    return this.#server.url;
  }

  /** @throws Error when the server has died */
  get pid(): number {
    const { pid } = this.#server;
    if (pid === undefined) throw new Error(`The server has died:\n${this.#server.output.slice(-4000)}`);
    return pid;
  }

  get alive(): boolean {
    return this.#server.pid !== undefined;
  }

  /** Lines of the log at level error or above, and whatever a dying process prints. */
  get complaints(): string[] {
    return this.#server.output
      .split('\n')
      .filter((line) => /"level":[56]0|unhandled|uncaught|^\s+at |ExperimentalWarning|MaxListeners/i.test(line));
  }

  /** The signed-in user's token, renewed in time. */
  async access(): Promise<string> {
    const known = this.#signedInAt;
    if (performance.now() - known.at < RENEW_AFTER_MS) return known.access;
    const csrf = 'x'.repeat(43);
    const answer = await fetch(`${this.url}/api/v2/token/`, {
      method: 'POST',
      headers: { cookie: `${CSRF_COOKIE}=${csrf}`, [CSRF_HEADER]: csrf },
      body: JSON.stringify({ email: DEMO_EMAIL, password: DEMO_PASSWORD }),
    });
    known.access = v.parse(TokenPair, await answer.json()).access;
    known.at = performance.now();
    return known.access;
  }

  /** The console's Bearer for a project. */
  async authorization(projectId = this.projectIds[0] ?? ''): Promise<string> {
    return `Bearer ${JSON.stringify({ type: 'jwt', project_id: projectId, token: await this.access() })}`;
  }

  /** A call of the console API. */
  async asUser(method: string, path: string, body?: unknown): Promise<Response> {
    return this.#call(`Bearer ${await this.access()}`, method, path, body);
  }

  /** A call of the speech API for a project. @throws Error with the answer when it is a refusal */
  async speech(method: string, path: string, body?: unknown, projectId?: string): Promise<Response> {
    const answer = await this.#call(await this.authorization(projectId), method, `/v1${path}`, body);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  /** Organizations with projects of their own, because both limit their streams. @returns their ids */
  async addProjects(organizations: number, projectsEach: number): Promise<string[]> {
    const made: string[] = [];
    for (let number = 1; number <= organizations; number += 1) {
      const { organization } = v.parse(
        OrganizationCreated,
        await (
          await this.asUser('POST', '/api/v2/organizations', { name: `Load ${number}`, contact_email: DEMO_EMAIL })
        ).json(),
      );
      await asOperator(this.url, 'credit', organization.uuid, '1000', 'T-1', 'Load');
      for (let project = 1; project <= projectsEach; project += 1) {
        const answer = await this.asUser('POST', `/api/v2/organizations/${organization.uuid}/projects`, {
          name: `Load ${number}.${project}`,
          description: '',
        });
        made.push(v.parse(ProjectCreated, await answer.json()).project.uuid);
      }
    }
    this.projectIds.push(...made);
    return made;
  }

  /** A key that opens streams of a project for an hour. */
  async liveKey(projectId?: string): Promise<string> {
    const answer = await this.speech(
      'POST',
      '/auth/temporary-api-key',
      { usage_type: 'transcribe_websocket', expires_in_seconds: 3600 },
      projectId,
    );
    return v.parse(TemporaryKey, await answer.json()).api_key;
  }

  /** Kills the server without warning, so that its database shows what was written down while it ran. @returns live sessions by status */
  async sessionsAsLeft(): Promise<Record<string, number>> {
    // The end of a stream is written down after its socket has closed.
    await sleep(3000);
    await this.#server.stop('SIGKILL');
    const { db, close } = await openDatabase({ dataDir: this.directory });
    try {
      const rows = await db
        .selectFrom('live_sessions')
        .select((eb) => ['status', eb.fn.countAll().as('count')])
        .groupBy('status')
        .execute();
      return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
    } finally {
      await close();
    }
  }

  /** Works on the data while no process has it; then there is a new one. */
  async prepare<T>(work: (db: Db) => Promise<T>): Promise<T> {
    await this.#server.stop();
    const { db, close } = await openDatabase({ dataDir: this.directory });
    try {
      return await work(db);
    } finally {
      await close();
      await this.#server.start();
    }
  }

  /** The same data in a new process. */
  async restart(): Promise<void> {
    await this.#server.stop();
    await this.#server.start();
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  #call(authorization: string, method: string, path: string, body: unknown): Promise<Response> {
    return fetch(this.url + path, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }
}

/** Runs `measure` against a fresh server; it is stopped and its data removed afterwards. */
export async function withService<T>(
  measure: (service: Service) => Promise<T>,
  settings: Record<string, string> = {},
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'parlance-bench-'));
  let service: Service | undefined;
  try {
    service = await Service.start(directory, settings);
    return await measure(service);
  } finally {
    await service?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
