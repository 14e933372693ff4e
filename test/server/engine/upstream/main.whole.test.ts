import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { projectRoot } from '#server/platform/paths.ts';
import { buildServer } from '../../../faults/build.ts';
import { SHORT_LIVED } from '../../../short-lived.ts';
import { freshSettings } from '../../databases.ts';
import { json, MODELS, refuse, startScripted } from './harness.ts';

const KEY = 'key-that-nobody-may-see';

it(
  'the process works for an upstream that comes up late, loads no recognizer, and tells its key to nobody',
  { timeout: 180_000 },
  async () => {
    let up = false;
    const upstream = await startScripted({
      'GET /v1/models': (response) => (up ? json(response, 200, MODELS) : refuse(response, 503, `not yet, ${KEY}`)),
    });
    const settings = await freshSettings();
    const child = spawn(process.execPath, [...SHORT_LIVED, buildServer()], {
      cwd: projectRoot,
      env: {
        PATH: process.env['PATH'] ?? '',
        ...settings,
        PORT: '0',
        LOG_LEVEL: 'debug',
        SPEECH_UPSTREAM_URL: upstream.url,
        SPEECH_UPSTREAM_KEY: KEY,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk) => {
        out += String(chunk);
      });
      child.stderr.on('data', (chunk) => {
        err += String(chunk);
      });
      await expect
        .poll(() => err, { timeout: 60_000 })
        .toContain('Nothing can be transcribed until the speech service answers; everything else works.');
      up = true;
      await expect.poll(() => err, { timeout: 60_000 }).toContain('upstream speech service ready');
      await expect.poll(() => out, { timeout: 60_000 }).toMatch(/Console +http:\S+\//);
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(out).not.toContain('Recognizer ready');
      expect(err).not.toContain('speech process ready');
      expect(out + err).not.toContain(KEY);
    } finally {
      child.kill('SIGKILL');
      await upstream.close();
      await rm(settings.DATA_DIR, { recursive: true });
    }
  },
);
