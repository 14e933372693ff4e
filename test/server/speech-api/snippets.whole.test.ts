/** The programs of the code panel, run against a real server with a project's key. */
import { execFile, spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { LIVE_PATH, LiveConfig } from '#contract/live.ts';
import { TranscriptionCreate } from '#contract/transcriptions.ts';
import { liveBrowser, liveNode, livePython, liveRequest, type LiveCall } from '#machines/playground/snippets/live.ts';
import { firstCallCurl } from '#machines/playground/snippets/firstCall.ts';
import { jsLiteral, pythonLiteral, shellWord } from '#machines/playground/snippets/literals.ts';
import { restCurl, restNode, restPython, restRequest, type RestCall } from '#machines/playground/snippets/rest.ts';
import { keyVariableOf } from '#machines/playground/snippets/snippets.ts';
import { EngineError } from '#server/engine/port.ts';
import { SPOKEN } from '../fake-engine.ts';
import { projectKey, startSpeechServer, type SpeechServer } from './harness.ts';

const run = promisify(execFile);
const audio = (name: string): string => fileURLToPath(new URL(`../../audio/${name}`, import.meta.url));
const CACHE = fileURLToPath(new URL('../../../.cache', import.meta.url));
/** Everything that could end a string or a command early. */
const NASTY = 'it\'s "quoted" \\ $HOME `id` $(id) </script> %s {x}\n# line two\u2028 日本 😀';
const VARIABLE = keyVariableOf('parlance');
const FILENAME = "it's; $HOME, $(id).wav";
const LIVE_FILENAME = "it's $HOME.mp3";

const unreadable = new EngineError('invalid_audio', 'Nobody can read this.');
/** Whether the engine understands what it gets. */
let heard = true;
let server: SpeechServer;
let folder: string;
let environment: NodeJS.ProcessEnv;
let rest: RestCall;
let live: LiveCall;

beforeAll(async () => {
  server = await startSpeechServer({
    engine: { auto: true, transcribe: () => (heard ? Promise.resolve(SPOKEN) : Promise.reject(unreadable)) },
  });
  const user = await server.createUser();
  const { key } = await projectKey(server, user);
  await mkdir(CACHE, { recursive: true });
  // Inside the project, where a program finds its packages.
  folder = await mkdtemp(join(CACHE, 'snippets-'));
  await copyFile(audio('short.wav'), join(folder, FILENAME));
  await copyFile(audio('short.mp3'), join(folder, LIVE_FILENAME));
  environment = { ...process.env, [VARIABLE]: key, WRONG_KEY: 'prl_wrong' };
  rest = {
    baseUrl: server.url,
    keyVariable: VARIABLE,
    filename: FILENAME,
    payload: {
      model: 'parlance-async-1',
      file_id: 'FILE_ID',
      context: NASTY,
      language_hints: ['en'],
      enable_speaker_diarization: true,
    },
  };
  live = {
    baseUrl: server.url,
    socketUrl: server.url.replace('http', 'ws') + LIVE_PATH,
    keyVariable: VARIABLE,
    filename: LIVE_FILENAME,
    config: { model: 'parlance-rt-1', context: { text: NASTY }, enable_endpoint_detection: true },
  };
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await server.close();
});

function python(): string {
  const has = (path: string): boolean => spawnSync(path, ['-c', 'import requests, websockets']).status === 0;
  const path = ['python3', '/usr/bin/python3'].find(has);
  if (path === undefined)
    throw new Error('No Python with requests and websockets (Debian: python3-requests, python3-websockets).');
  return path;
}

/** Runs a program from a file, in the folder of the recording; gives what it printed. */
async function output(command: string, name: string, code: string): Promise<string> {
  await writeFile(join(folder, name), code);
  const { stdout } = await run(command, [name], {
    cwd: folder,
    env: { ...environment, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` },
  });
  return stdout.trim();
}

describe('the command beside a new key', () => {
  it('ONB-22: pasted into a shell, transcribes a sample that it downloads, by the calls and the model of the reference', async () => {
    const command = firstCallCurl({ baseUrl: server.url, keyVariable: VARIABLE, key: environment[VARIABLE] ?? '' });
    expect(await output('sh', 'first.sh', `unset ${VARIABLE}\n${command}`)).toBe('Hello world');
    const { model, filename, size } = await server.services.db
      .selectFrom('transcriptions as t')
      .innerJoin('files', 'files.id', 't.file_id')
      .select(['t.model', 'files.filename', 'files.size'])
      .executeTakeFirstOrThrow();
    const reference = await (await fetch(`${server.url}/api/docs/openapi/speech.json`)).json();
    const { paths } = v.parse(v.object({ paths: v.record(v.string(), v.unknown()) }), reference);
    expect(JSON.stringify(paths['/v1/transcriptions'])).toContain(`"model":"${model}"`);
    const called = [...command.matchAll(/\/v1\/[\w$/]+/g)].map(([path]) =>
      path.replace('$ID', '{id}').replace('dictation', '{name}'),
    );
    expect(called.filter((path) => !(path in paths))).toEqual([]);
    expect(called[1]).toBe('/v1/files');
    expect([filename, size]).toEqual(['dictation.wav', (await stat(join(folder, filename))).size]);
    await server.services.db.deleteFrom('transcriptions').execute();
  });
});

describe('the REST API as code', () => {
  it('UXP-68: cURL begins with the calls: upload, transcribe, read', () => {
    const calls = restCurl(rest).split('\n\n');
    expect(calls.map((call) => / "(?:[^"]*)(\/v1\/\S*)"/.exec(call)?.[1])).toEqual([
      '/v1/files',
      '/v1/transcriptions',
      '/v1/transcriptions/$ID',
    ]);
  });
  it('UXP-68: pasted into a shell, they print the text', async () => {
    expect(await output('sh', 'rest.sh', restCurl(rest))).toBe('Hello world');
  });
  it('UXP-68: they tell the server’s words where the key is refused, and leave the shell open', async () => {
    const refused = restCurl({ ...rest, keyVariable: 'WRONG_KEY' });
    await expect(output('sh', 'refused.sh', refused)).rejects.toThrow(/"status_code":401/);
    expect(await output('sh', 'open.sh', `${refused}echo open`)).toBe('open');
  });
  it('UXP-68: they tell why a transcription has failed', async () => {
    heard = false;
    await expect(output('sh', 'unheard.sh', restCurl(rest))).rejects.toThrow(/jq: error.*: \w+/);
    heard = true;
    await server.services.db.deleteFrom('transcriptions').where('status', '=', 'error').execute();
  });
  it('Python and Node print the text; each of the three asks for exactly what the settings say', async () => {
    expect(await output(python(), 'rest.py', restPython(rest))).toBe('Hello world');
    expect(await output(process.execPath, 'rest.mjs', restNode(rest))).toBe('Hello world');
    const asked = await server.services.db
      .selectFrom('transcriptions')
      .select(['context', 'language_hints', 'enable_speaker_diarization', 'filename', 'origin'])
      .execute();
    const settings = {
      context: { value: NASTY },
      language_hints: ['en'],
      enable_speaker_diarization: true,
      filename: FILENAME,
      origin: 'public_api',
    };
    expect(asked).toEqual([settings, settings, settings]);
  });
  it('the JSON is the request, but for the id of the file', () => {
    expect(JSON.parse(restRequest(rest))).toEqual(rest.payload);
    expect(v.is(TranscriptionCreate, { ...rest.payload, file_id: '00000000-0000-4000-8000-000000000000' })).toBe(true);
  });
});

describe('the WebSocket API as code', () => {
  it('Python and Node print what became final', async () => {
    expect(await output(python(), 'live.py', livePython(live))).toBe('done.');
    expect(await output(process.execPath, 'live.mjs', liveNode(live))).toBe('done.');
  });
  it('UXP-55: sets the key in one place', () => {
    for (const program of [livePython(live), liveNode(live), liveBrowser(live)]) {
      expect(program).not.toMatch(/api_key"?'?: ['"]/);
      expect(program.match(/api_key"?\]? = /g)).toHaveLength(1);
    }
  });

  it('the JSON is a start request', () => {
    expect(v.parse(LiveConfig, JSON.parse(liveRequest(live)))).toMatchObject({ ...live.config, audio_format: 'auto' });
  });
});

describe('literals', () => {
  it('no text ends a string early', async () => {
    const value = { text: NASTY, list: [NASTY, 1, true, false, null], empty: {}, none: [] };
    const printed = `print(json.dumps(${pythonLiteral(value)}, ensure_ascii=False))`;
    expect(JSON.parse((await run(python(), ['-c', `import json\n${printed}`])).stdout)).toEqual(value);
    expect(
      JSON.parse((await run(process.execPath, ['-e', `console.log(JSON.stringify(${jsLiteral(value)}))`])).stdout),
    ).toEqual(value);
    expect((await run('sh', ['-c', `printf %s ${shellWord(NASTY)}`])).stdout).toBe(NASTY);
  });
});
