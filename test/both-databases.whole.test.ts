/** That the tests of the server do run on both databases, and that nobody takes them for it where they cannot. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '#server/platform/paths.ts';
import { withMounts } from './faults/built.ts';
import { filesOnBothDatabases } from './postgres/files.ts';

/** Tests without a database, and some that take one of their own to harm it, or that keep a recognizer busy for long. */
const ON_ONE = [
  'faults/descriptors',
  'faults/directory',
  'faults/disk',
  'faults/kill',
  'faults/live-kill',
  'faults/lock',
  'server/app/main',
  'server/app/prepared',
  'server/http/openapi/document',
  'server/money/usage/prices',
  'server/platform/config',
  'server/platform/embedded',
  'server/platform/meters',
  'server/platform/storage',
  'server/platform/upkeep',
  'server/speech-api/live/live-fuzz',
  'server/speech-api/live/live-pcm',
  'server/speech-api/live/live-recognizer',
  'server/speech-api/live/live-refusals',
  'server/speech-api/live/live-session',
  'server/speech-api/transcriptions/recognizer',
  'server/speech-api/webhooks/snippets',
  'server/tenancy/event-stream',
];

it('DAT-12: the tests of the server run on PostgreSQL, too, but for those that have no use for it', () => {
  const both = new Set(filesOnBothDatabases());
  const left = readdirSync(join(projectRoot, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(attacks|faults|server)\/(?!engine\/).*\.test\.ts$/.test(name) && !both.has(join('test', name)))
    .map((name) => name.replace(/(\.\w+)?\.test\.ts$/, ''));
  expect(left.toSorted()).toEqual(ON_ONE);
});

describe('where no PostgreSQL is found', () => {
  /** Asks for the tests that would run, on a machine whose PostgreSQL is out of sight. */
  const list = (env: Record<string, string>) => {
    const [program = '', ...before] = withMounts(
      'for folder in /usr/lib/postgresql /opt/homebrew /usr/local/opt; do [ ! -d $folder ] || mount -t tmpfs none $folder || exit 1; done',
    );
    const command = [
      process.execPath,
      join(projectRoot, 'node_modules/vitest/vitest.mjs'),
      'list',
      '--filesOnly',
      'test/server/platform/databases.postgres.test.ts',
    ];
    const { status, stdout, stderr } = spawnSync(program, [...before, ...command], {
      cwd: projectRoot,
      encoding: 'utf8',
      env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin:/usr/sbin:/sbin`, ...env },
    });
    return { status, stdout, stderr };
  };

  it('DAT-12: the tests say so, and run on the embedded one alone', () => {
    const { status, stdout, stderr } = list({});
    expect([status, stdout.trim().split('\n')]).toEqual([0, [expect.stringContaining('databases.postgres.test.ts')]]);
    expect(stderr).toMatch(/No PostgreSQL 15 or newer found: nothing is tested on it.*apt-get install postgresql/);
  });

  it('DAT-12: the tests fail in CI', () => {
    const { status, stdout, stderr } = list({ CI: 'true' });
    expect(status).not.toBe(0);
    expect(stdout + stderr).toContain('No PostgreSQL 15 or newer found');
  });
});
