/** The version of the commit before and this one, as processes on one database, on which a migration that neither knows has run since. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ApiKeyCreated } from '#contract/api-keys.ts';
import { StoredFile } from '#contract/files.ts';
import { Memberships, ProjectCreated, Welcome } from '#contract/organizations.ts';
import { CSRF_COOKIE, CSRF_HEADER, TokenPair } from '#contract/session.ts';
import { hashPassword } from '#server/identity/accounts/passwords.ts';
import { migrate } from '#server/platform/db/migrate.ts';
import { migrations } from '#server/platform/db/schema.ts';
import { openPostgres } from '#server/platform/db/postgres.ts';
import { projectRoot } from '#server/platform/paths.ts';
import * as v from 'valibot';
import { buildServer } from '../faults/build.ts';
import { addressOf, run } from '../faults/built.ts';
import { createPostgres } from '../server/databases.ts';
import { testFolder } from '../server/template.ts';

const EMAIL = 'somebody@example.com';
const PASSWORD = 'correct horse battery staple';

/** The sources of the commit before, with this one's packages. @returns their folder */
function sourcesBefore(): string {
  const folder = mkdtempSync(join(testFolder, 'before-'));
  const { status, stderr } = spawnSync('sh', ['-c', 'git archive HEAD~1 | tar -x -C "$1"', 'sh', folder], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  if (status !== 0 || stderr !== '') throw new Error(`The commit before cannot be read: ${stderr}`);
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Somebody who is signed in, at one of the servers. */
class Person {
  readonly #url: string;
  readonly #access: string;
  constructor(url: string, access: string) {
    this.#url = url;
    this.#access = access;
  }
  static async signIn(url: string): Promise<Person> {
    const csrf = 'x'.repeat(43);
    const answer = await fetch(`${url}/api/v2/token/`, {
      method: 'POST',
      headers: { cookie: `${CSRF_COOKIE}=${csrf}`, [CSRF_HEADER]: csrf },
      body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return new Person(url, v.parse(TokenPair, await answer.json()).access);
  }
  /** The same session at the other server. */
  at(url: string): Person {
    return new Person(url, this.#access);
  }
  async ask<Schema extends v.GenericSchema>(
    schema: Schema,
    path: string,
    body?: unknown,
  ): Promise<v.InferOutput<Schema>> {
    const answer = await fetch(`${this.#url}/api/v2/${path}`, {
      headers: { authorization: `Bearer ${this.#access}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    return v.parse(schema, await answer.json());
  }
}

describe('two versions on one database', () => {
  let [before, now] = ['', ''];
  beforeAll(() => {
    before = buildServer(sourcesBefore());
    now = buildServer();
  }, 120_000);

  it(
    'OPS-22: what one writes the other reads, also after a migration that only adds',
    { timeout: 240_000 },
    async () => {
      const databaseUrl = await createPostgres('template0');
      const dataDir = mkdtempSync(join(testFolder, 'versions-'));
      const settings = {
        DATABASE_URL: databaseUrl,
        DATA_DIR: dataDir,
        SECRET_KEY: 'k'.repeat(40),
      };
      const start = async (main: string): Promise<string> => {
        const started = run(main, settings);
        onTestFinished(async () => {
          started.child.kill('SIGTERM');
          await started.exit;
        });
        return addressOf(started);
      };
      const old = await start(before);
      const database = openPostgres({ databaseUrl });
      onTestFinished(() => database.close());
      await database.db
        .insertInto('users')
        .values({
          id: randomUUID(),
          email: EMAIL,
          email_key: EMAIL,
          password_hash: await hashPassword(PASSWORD),
          referral: null,
          created_at: new Date(),
        })
        .execute();
      const person = await Person.signIn(old);
      await person.ask(Welcome, 'user/welcome/', {});
      const { organizations } = await person.ask(Memberships, 'user/organizations/');
      const organization = organizations[0]!.organization.uuid;
      const makeProject = (by: Person, name: string): Promise<ProjectCreated> =>
        by.ask(ProjectCreated, `organizations/${organization}/projects/`, { name, description: '' });

      await migrate(database.db, {
        ...migrations,
        '9999-wider': {
          up: async (db) => {
            await db.schema
              .alterTable('projects')
              .addColumn('colour', 'text', (column) => column.notNull().defaultTo('blue'))
              .execute();
          },
        },
      });
      const recent = await start(now);

      const made = [
        await makeProject(person, 'By the one before'),
        await makeProject(person.at(recent), 'By this one'),
      ];
      for (const url of [old, recent]) {
        const { organizations: seen } = await person.at(url).ask(Memberships, 'user/organizations/');
        expect(seen[0]?.projects.map(({ name }) => name)).toEqual(
          expect.arrayContaining(['By the one before', 'By this one']),
        );
      }
      for (const [by, other] of [
        [old, recent],
        [recent, old],
      ] as const) {
        const project = made[0]!.project.uuid;
        const { key } = await person.at(by).ask(ApiKeyCreated, `projects/${project}/api-keys/`, { name: `of ${by}` });
        const form = new FormData();
        form.set('file', new Blob(['sound']), 'a.wav');
        const headers = { authorization: `Bearer ${key}` };
        const stored = await fetch(`${other}/v1/files`, { method: 'POST', headers, body: form });
        const { id } = v.parse(StoredFile, await stored.json());
        expect((await fetch(`${by}/v1/files/${id}`, { headers })).status).toBe(200);
      }
    },
  );
});
