/** The files of `ops/` that start a release: they name what is there, and no engine for containers is needed to see that. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '#server/platform/config.ts';
import { Environment } from '#server/platform/environment.ts';
import { SERVER_ENTRIES } from '../../scripts/build.mjs';
import { findFetched } from '../../scripts/fetched.mjs';
import { testFolder } from '../server/template.ts';

const HOME = '/opt/parlance/';
/** What a release has at its top; a test of release.test.ts looks whether it has. */
const PROGRAMS = Object.keys(SERVER_ENTRIES)
  .filter((name) => !name.endsWith('-worker'))
  .map((name) => `${HOME}${name === 'main' ? 'server' : name}.js`);
const KNOWN = Object.keys(Environment.entries);
/** From the end of the drain to that of the process: ten, and two each for the engine and the database. */
const CLOSE_SECONDS = 14;

const read = (name: string): string => readFileSync(join('ops', name), 'utf8');
const filled = {
  RELEASE: 'parlance-console-0.1.0.tar.gz',
  POSTGRES_PASSWORD: 'pg',
  SECRET_KEY: 'k'.repeat(32),
  S3_SECRET: 's3',
};
/** As Docker Compose fills in what `.env` has. */
const fill = (text: string): string =>
  text.replaceAll(
    /\$\{(\w+):\?[^}]+\}/g,
    (_all, name: string) => Object.entries(filled).find(([key]) => key === name)?.[1] ?? `?${name}`,
  );

const Setting = v.pipe(v.union([v.string(), v.number()]), v.transform(String));
const Compose = v.object({
  services: v.record(
    v.string(),
    v.looseObject({
      image: v.optional(v.string()),
      environment: v.optional(v.record(v.string(), Setting), {}),
      command: v.optional(v.array(v.string())),
      volumes: v.optional(v.array(v.string()), []),
    }),
  ),
  volumes: v.record(v.string(), v.unknown()),
});
const { services, volumes } = v.parse(Compose, parse(fill(read('compose.yaml')), { merge: true }));
const ours = Object.entries(services).filter(([, { image }]) => image === 'parlance');

const unit = [...read('parlance.service').matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => ({
  key,
  value,
}));
const inUnit = (name: string): string[] => unit.filter(({ key }) => key === name).map(({ value }) => value);
const unitEnvironment = Object.fromEntries(inUnit('Environment').map((pair) => pair.split('=')));

describe('REL-09 the Dockerfile', () => {
  const lines = read('Dockerfile')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line));
  const after = (word: string): string =>
    lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? '';

  it('unpacks the archive that it is given, and runs nothing of anybody else', () => {
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      ...['FROM', 'ARG', 'ADD', 'RUN', 'ENV', 'USER', 'WORKDIR', 'VOLUME', 'EXPOSE', 'HEALTHCHECK', 'CMD'],
    ]);
    expect(after('ADD')).toBe('${RELEASE} /opt/');
    expect(after('RUN')).toMatch(
      /^ln -s \/opt\/parlance-console-\* \/opt\/parlance && install -d -o node -g node -m 0700 \S+$/,
    );
  });

  it('starts the server of the release, on a Node that it runs on, as a user without rights', () => {
    expect(Number(/^node:(\d+)-/.exec(after('FROM'))?.[1])).toBeGreaterThanOrEqual(20);
    // As a list it is the process that gets SIGTERM, not a shell.
    const command = JSON.parse(after('CMD'));
    expect(command[0]).toBe('node');
    expect(PROGRAMS).toContain(command[1]);
    expect(after('USER')).toBe('node');
  });

  it('sets what the server knows, and asks for its health where it listens', () => {
    const environment = Object.fromEntries(
      after('ENV')
        .split(' ')
        .map((pair) => pair.split('=')),
    );
    const { host, port, dataDir } = loadConfig(environment);
    expect(Object.keys(environment).filter((name) => !KNOWN.includes(name))).toEqual([]);
    expect({ host, port: String(port), dataDir }).toEqual({
      host: '0.0.0.0',
      port: after('EXPOSE'),
      dataDir: after('VOLUME'),
    });
    expect(after('RUN')).toContain(` ${dataDir}`);
    expect(after('HEALTHCHECK')).toContain(`CMD ["node", "-e", "fetch('http://127.0.0.1:${port}/healthz')`);
  });
});

describe('REL-09 the compose file', () => {
  it('has two processes that answer, two that work, and one that migrates', () => {
    expect(ours.map(([name, { environment }]) => `${name} ${environment['ROLE'] ?? ''}`.trim())).toEqual([
      ...['api-1 api', 'api-2 api', 'worker-1 worker', 'worker-2 worker', 'migrate'],
    ]);
  });

  it.each(ours)('%s is set as the server takes it, with time to drain and no rights', (_name, service) => {
    const { environment, command = ['node', `${HOME}server.js`] } = service;
    expect(Object.keys(environment).filter((name) => !KNOWN.includes(name))).toEqual([]);
    const { drainNoticeSeconds, drainSeconds, migrateOnStart } = loadConfig(environment);
    expect(migrateOnStart).toBe(false);
    expect(PROGRAMS).toContain(command[1]);
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(parseInt(String(service['stop_grace_period']), 10)).toBeGreaterThanOrEqual(
      drainNoticeSeconds + drainSeconds + CLOSE_SECONDS,
    );
  });

  it('lets every process that stays write only into a data directory of its own', () => {
    const own = ours.filter(([name]) => name !== 'migrate').flatMap(([, service]) => service.volumes);
    expect(own).toEqual(['api-1', 'api-2', 'worker-1', 'worker-2'].map((name) => `${name}:/var/lib/parlance`));
    for (const name of own) expect(Object.keys(volumes)).toContain(name.split(':')[0]);
  });

  it('names for each setting the service that is there, and trusts the balancer alone', () => {
    const settings = services['api-1']?.environment ?? {};
    for (const [name, host] of [
      ['DATABASE_URL', 'postgres'],
      ['S3_ENDPOINT', 's3'],
      ['SMTP_URL', 'mails'],
    ] as const) {
      expect(new URL(settings[name] ?? '').hostname).toBe(host);
      expect(Object.keys(services)).toContain(host);
    }
    expect(services['balancer']).toMatchObject({ networks: { inside: { ipv4_address: settings['TRUSTED_PROXIES'] } } });
    expect(services['worker-1']?.environment).not.toHaveProperty('TRUSTED_PROXIES');
    expect(services['postgres']?.environment).toMatchObject({
      POSTGRES_USER: new URL(settings['DATABASE_URL'] ?? '').username,
      POSTGRES_PASSWORD: new URL(settings['DATABASE_URL'] ?? '').password,
    });
    expect(services['s3']?.environment).toEqual({
      MINIO_ROOT_USER: settings['S3_ACCESS_KEY_ID'],
      MINIO_ROOT_PASSWORD: settings['S3_SECRET_ACCESS_KEY'],
    });
    expect(String(services['bucket']?.['entrypoint'])).toContain(`s3/${settings['S3_BUCKET']}`);
  });

  it('mounts files that lie beside it', () => {
    const mounted = Object.values(services)
      .flatMap(({ volumes: own }) => own)
      .filter((volume) => volume.startsWith('./'));
    expect(mounted).toEqual(['./haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro']);
    expect(readdirSync('ops')).toContain('haproxy.cfg');
  });
});

describe('REL-09 the balancer', () => {
  it('is taken by HAProxy', () => {
    const program = findFetched('haproxy');
    const { status, stdout, stderr } = spawnSync(program.command, ['-c', '-f', 'ops/haproxy.cfg'], {
      env: { ...process.env, ...program.env },
      encoding: 'utf8',
    });
    expect(`${status} ${stdout}${stderr}`).toMatch(/^0 .*Configuration file is valid/s);
    expect(stdout + stderr).not.toContain('WARNING');
  });

  it('sends to the processes that answer, and notices within their notice that one is about to stop', () => {
    const config = read('haproxy.cfg');
    const apis = ours.filter(([, { environment }]) => environment['ROLE'] === 'api');
    expect([...config.matchAll(/^ +server (\S+) (\S+) check$/gm)].map(([, name, to]) => `${name} ${to}`)).toEqual(
      apis.map(([name]) => `${name} ${name}:8080`),
    );
    expect(config).toContain('uri /readyz');
    const [, ms, falls] = / inter (\d+)ms .* fall (\d+) /.exec(config) ?? [];
    for (const [, { environment }] of apis)
      expect((Number(ms) * Number(falls)) / 1000).toBeLessThan(loadConfig(environment).drainNoticeSeconds);
  });
});

describe('REL-09 the unit of systemd', () => {
  let verified: string;
  beforeAll(() => {
    const program = findFetched('systemd-analyze');
    // The programs that it starts have to exist.
    const file = join(mkdtempSync(join(testFolder, 'unit-')), 'parlance.service');
    writeFileSync(file, read('parlance.service').replace(/^ExecStart=.*$/m, `ExecStart=${process.execPath} ${file}`));
    const { status, stdout, stderr } = spawnSync(program.command, ['verify', '--man=no', file], {
      env: { ...process.env, ...program.env },
      encoding: 'utf8',
    });
    verified = `${status} ${stdout}${stderr}`.trim();
  });

  it('is taken by systemd, without a word', () => {
    expect(verified).toBe('0');
  });

  it('starts the server of the release, with settings that it knows, in the directory that it may write to', () => {
    const [node, program] = inUnit('ExecStart')[0]?.split(' ') ?? [];
    expect(node).toBe('/usr/bin/node');
    expect(PROGRAMS).toContain(program);
    expect(Object.keys(unitEnvironment).filter((name) => !KNOWN.includes(name))).toEqual([]);
    expect(loadConfig(unitEnvironment).dataDir).toBe(`/var/lib/${inUnit('StateDirectory')[0]}`);
  });

  it('leaves time to drain, and gives no rights', () => {
    const { drainNoticeSeconds, drainSeconds } = loadConfig(unitEnvironment);
    expect(inUnit('KillSignal')).toEqual(['SIGTERM']);
    expect(Number(inUnit('TimeoutStopSec')[0])).toBeGreaterThanOrEqual(
      drainNoticeSeconds + drainSeconds + CLOSE_SECONDS,
    );
    // What the server itself asks for at its start, and more.
    expect(Number(inUnit('LimitNOFILE')[0])).toBeGreaterThanOrEqual(4096);
    for (const [name, value] of [
      ['User', 'parlance'],
      ['NoNewPrivileges', 'yes'],
      ['ProtectSystem', 'strict'],
      ['CapabilityBoundingSet', ''],
    ] as const)
      expect(inUnit(name)).toEqual([value]);
    // It would end the process: V8 writes what it runs.
    expect(inUnit('MemoryDenyWriteExecute')).toEqual([]);
  });
});
