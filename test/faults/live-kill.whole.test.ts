/** A server is killed in the middle of a live stream. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import WebSocket from 'ws';
import { LIVE_PATH } from '#contract/live.ts';
import { loadConfig } from '#server/platform/config.ts';
import { createServices } from '#server/platform/context.ts';
import { createLog } from '#server/platform/log.ts';
import { projectRoot } from '#server/platform/paths.ts';
import { startSpeechApi } from '#server/speech-api/start.ts';
import { createFakeDecoder, createFakeEngine } from '../server/fake-engine.ts';
import { freshDataDir } from '../server/template.ts';

/** What the server's log of usage says when a server is started on what the killed one left. */
async function billed(dataDir: string) {
  const services = await createServices(loadConfig({ PORT: '0', DATA_DIR: dataDir }), { log: createLog('silent') });
  await startSpeechApi(services, { engine: createFakeEngine(), decoder: createFakeDecoder() });
  const rows = await services.db
    .selectFrom('usage_rows')
    .select(['kind', 'status', 'audio_ms', 'output_tokens', 'cost_micros'])
    .execute();
  const running = await services.db.selectFrom('live_sessions').select('id').where('status', '=', 'running').execute();
  await services.closing.run();
  return { rows, running };
}

it(
  'DAT-05: kill -9 in a live stream: what was heard up to the last heartbeat is billed at the next start, once',
  { timeout: 120_000 },
  async () => {
    const dataDir = await freshDataDir();
    const child = spawn(process.execPath, ['--import', 'tsx', 'test/faults/live-server.ts', dataDir], {
      cwd: projectRoot,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const gone = once(child, 'exit');
    try {
      const lines: Record<string, unknown>[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
      await expect.poll(() => lines.length, { timeout: 60_000 }).toBeGreaterThan(0);
      const socket = new WebSocket(`ws://127.0.0.1:${String(lines[0]?.['port'])}${LIVE_PATH}`);
      await once(socket, 'open');
      socket.on('error', () => undefined);
      socket.send(
        JSON.stringify({
          api_key: lines[0]?.['key'],
          model: 'parlance-rt-1',
          audio_format: 's16le',
          sample_rate: 16_000,
          num_channels: 1,
        }),
      );
      socket.send(Buffer.alloc(7900 * 32));
      socket.send(JSON.stringify({ type: 'finalize' }));
      await expect.poll(() => lines.at(-1), { timeout: 30_000 }).toEqual({ audio_ms: 7900, output_tokens: 1 });
      child.kill('SIGKILL');
      await gone;
      const once7900 = {
        rows: [{ kind: 'real_time', status: 'cancelled', audio_ms: 7900, output_tokens: 1, cost_micros: 263 }],
        running: [],
      };
      expect(await billed(dataDir)).toEqual(once7900);
      expect(await billed(dataDir)).toEqual(once7900);
    } finally {
      child.kill('SIGKILL');
      await gone;
      await rm(dataDir, { recursive: true, force: true });
    }
  },
);
