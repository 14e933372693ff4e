import type { AnyEventObject, AnyMachineSnapshot } from 'xstate';
import { CallError } from '#machines/shared/failure.ts';
import { AUDIO_MODULE_FAILED, liveError, SERVER_SILENT } from '#machines/playground/live/errors.ts';
import { streamMachine } from '#machines/playground/stream/machine.ts';
import { clip } from '#test/journeys/playground.ts';
import { isIn, walk, type WalkOptions } from '../model.ts';
import { unwalkedByAll } from '../unwalked.ts';
import { stopClock } from '#test/journeys/fixtures.ts';
import { covering } from './covering.ts';
import {
  chartOf,
  expect,
  perform,
  requireComplete,
  sendTo,
  test,
  titled,
  type Executors,
  type Performance,
  type ConsolePage,
  useConsolePage,
} from './consolePage.ts';
import { recorder } from './pages/recorder.ts';
import { KEY, LiveDevices } from './liveDevices.ts';

const CONNECTING = 'capturing.openingWebSocket.connecting';
const PREPARING = 'capturing.openingWebSocket.preparing';
const FRAME = {
  error_code: 503,
  error_message: 'Cannot continue request.',
  reason: 'cannot_continue',
  request_id: 'request-of-the-path',
};
const KEY_REFUSED = { code: 'too_many_keys', message: 'There are too many keys.', requestId: 'request-of-the-path' };
const BREAK = { type: 'socket.closed', code: 1011, reason: 'Lost.' };
const END = { type: 'socket.closed', code: 1000, reason: '' };
/** Silence that counts as a dead connection, look by look. */
const SILENCES_MS = [6000, 69_000, 15_000];

/** Events that happen in some states only; all others are without them here. */
const only = (events: Record<string, readonly AnyEventObject[]>) => (snapshot: AnyMachineSnapshot) =>
  Object.entries(events).flatMap(([state, possible]) => (isIn(snapshot, state) ? possible : []));

const PHASES = {
  requested: 'capturing.requestingMedia',
  connecting: CONNECTING,
  running: 'capturing.running',
  recording: 'capturing.finishingRecording',
  processing: 'finishingProcessing',
} as const;
const everywhere = (...events: readonly AnyEventObject[]) =>
  only(Object.fromEntries(Object.values(PHASES).map((state) => [state, events])));
const { requested, connecting, running, recording, processing } = PHASES;
const heard = {
  type: 'socket.received',
  result: { tokens: [{ text: ' word', start_ms: 0, end_ms: 300, is_final: true }] },
};
const refused = {
  type: 'socket.refused',
  error: { ...liveError('cannot_continue_request', FRAME.error_message), requestId: FRAME.request_id },
};
const silent = { type: 'socket.refused', error: SERVER_SILENT };
const granted = { type: 'media.granted', sampleRate: 44_100, channels: 1 };

/**
 * What a user and a network can do to a session, by phase. Left out: words of a socket that does not exist yet, and silence
 * of the server while recording ends (the device is given two seconds then, silence takes more than sixty).
 */
const microphone: WalkOptions = {
  input: { audio: { source: 'microphone', deviceId: null }, config: {} },
  cases: {
    'media.granted': only({ [requested]: [granted] }),
    'media.refused': only({ [requested]: [{ type: 'media.refused', error: liveError('get_user_media_failed') }] }),
    'capture.failed': only(
      Object.fromEntries(
        [connecting, running, recording].map((state) => [
          state,
          [{ type: 'capture.failed', error: { code: 'microphone_lost', message: 'The microphone stopped.' } }],
        ]),
      ),
    ),
    'capture.stopped': only({ [recording]: [{ type: 'capture.stopped' }] }),
    'audio.chunk': only({ [running]: [{ type: 'audio.chunk', pcm: new ArrayBuffer(2), level: 0.5 }] }),
    'playback.progressed': [],
    'playback.ended': [],
    'socket.opened': only({ [connecting]: [{ type: 'socket.opened' }] }),
    'socket.received': only({ [running]: [heard], [recording]: [heard], [processing]: [heard] }),
    'socket.refused': only({
      [connecting]: [{ type: 'socket.refused', error: KEY_REFUSED }],
      [running]: [refused, silent],
      [recording]: [refused],
      [processing]: [refused, silent],
    }),
    'socket.failed': only({ [connecting]: [{ type: 'socket.failed' }] }),
    'socket.closed': only({
      [connecting]: [BREAK],
      [running]: [BREAK, END],
      [recording]: [BREAK, END],
      [processing]: [BREAK, END],
      finishingEarly: [END],
    }),
    'cancel.requested': everywhere({ type: 'cancel.requested' }),
    'xstate.after.drainLimit.stream.capturing.finishingRecording': [],
    'xstate.error.actor.capture': [],
  },
};

/** Of a file only what differs from the microphone: opening it, playing it, its end. */
const file: WalkOptions = {
  input: { audio: { source: 'file', file: { name: 'short.wav', size: 1, type: 'audio/wav' }, fromMs: 0 }, config: {} },
  cases: {
    ...microphone.cases,
    'media.granted': only({ [PREPARING]: [granted] }),
    'media.refused': only({ [PREPARING]: [{ type: 'media.refused', error: AUDIO_MODULE_FAILED }] }),
    'capture.failed': only({ [running]: [{ type: 'capture.failed', error: liveError('input_file_error') }] }),
    'playback.progressed': only({ [running]: [{ type: 'playback.progressed', positionMs: 1, durationMs: 2 }] }),
    'playback.ended': only({ [running]: [{ type: 'playback.ended' }] }),
    'socket.received': [],
    'socket.refused': [],
    'socket.failed': [],
    'socket.closed': only({ [running]: [BREAK], [processing]: [BREAK, END], finishingEarly: [END] }),
    'finalize.requested': [],
    'audio.chunk': [],
    'cancel.requested': only(
      Object.fromEntries(
        [PREPARING, running, recording, processing].map((state) => [state, [{ type: 'cancel.requested' }]]),
      ),
    ),
  },
};

/** Declared transitions that neither a user nor a network can cause, by the effects as they are. */
const EXCEPTIONS = {
  'stream.capturing —xstate.error.actor.capture→ stream.error':
    'The effect tells every failure as an event; only a defect in it ends here.',
  'stream.capturing.finishingRecording —xstate.after.drainLimit.stream.capturing.finishingRecording→ stream.finishingProcessing':
    'The effect itself waits no longer than about one second.',
};

const fewest = (options: WalkOptions) => {
  const walked = walk(streamMachine, options);
  return { ...walked, paths: covering(walked) };
};
const walks = { microphone: fewest(microphone), file: fewest(file) };
type Source = keyof typeof walks;

const fixture = useConsolePage();
let devices: LiveDevices;

test.beforeAll(async () => {
  const { page } = fixture();
  devices = await LiveDevices.open(page);
  await page.clock.install();
});

function performance({ page, playground }: ConsolePage, source: Source): Performance<typeof streamMachine> {
  const live = ['workspace', 'playground', 'live'];
  const { run, cancel: ending, reset, finalize, source: chosen, filePicker, alert } = recorder(page);
  const stopped = async () => {
    const value = await chartOf(page, live);
    return typeof value === 'object' && value !== null && Reflect.get(value, 'session') === 'stopped';
  };
  // Nothing in the page asks for it; whoever holds the chart may.
  const cancel = () => sendTo(page, live, { type: 'cancel.requested' });

  async function open() {
    await page.clock.resume();
    await page.goto(`${playground}/?mode=real-time&inspect`);
    await expect(run).toBeVisible();
    // From here on only a path moves time.
    await stopClock(page);
  }

  async function choose() {
    if (source === 'microphone') return chosen('Mic').click();
    await chosen('File').click();
    return filePicker.setInputFiles(clip('short.wav'));
  }

  const executors: Executors<typeof streamMachine> = {
    'xstate.init': async () => {
      await devices.reset();
      if ((await chartOf(page, live)) === null) await open();
      if (!(await stopped())) await cancel();
      await expect.poll(stopped).toBe(true);
      if (await reset.isEnabled()) await reset.click();
      await choose();
      await run.click();
    },
    'media.granted': () => (source === 'microphone' ? devices.answerPrompt(true) : devices.deliverWorklet(true)),
    'media.refused': () => (source === 'microphone' ? devices.answerPrompt(false) : devices.deliverWorklet(false)),
    'capture.failed': async () =>
      expect(await devices.device(source === 'file' ? 'break' : 'unplug')).toBeGreaterThan(0),
    'capture.stopped': () => expect.poll(() => devices.device('drain'), 'the last samples').toBeGreaterThan(0),
    'audio.chunk': async () => {
      const { chunks } = await devices.live();
      await expect.poll(async () => (await devices.live()).chunks).toBeGreaterThan(chunks);
    },
    'socket.opened': async () => {
      await devices.grantKey();
      await devices.live();
    },
    'socket.received': async ({ result }) => {
      await devices.say(result);
      await expect(page.getByRole('region', { name: 'Live transcript' })).toContainText('word');
    },
    'socket.refused': async ({ error }, before) => {
      if (before?.matches('capturing') && isIn(before, CONNECTING)) {
        const { code, message } = error;
        return devices.refuseKey(new CallError({ kind: 'HTTP', status: 429, errorType: code, message }));
      }
      if (error.code !== SERVER_SILENT.code) return devices.say(FRAME);
      for (const ms of SILENCES_MS) await page.clock.fastForward(ms);
    },
    'socket.failed': () => devices.refuseConnection(),
    'socket.closed': async ({ code, reason }, before) => {
      // A session that ends early closes its socket itself.
      if (!before?.matches('finishingEarly')) await devices.close({ code, reason });
    },
    'stop.requested': (_event, before) => (before && isIn(before, running) ? run : ending).click(),
    'finalize.requested': async () => {
      // Possible once something was heard (LIV-09).
      await expect(finalize).toBeDisabled();
      await devices.say(heard.result);
      await finalize.click();
      await expect.poll(async () => (await devices.live()).texts).toContain('{"type":"finalize"}');
    },
    'cancel.requested': cancel,
    'playback.progressed': () => expect(page.getByRole('progressbar', { name: 'Playback' })).toBeVisible(),
    'playback.ended': () =>
      expect(page.getByRole('status').filter({ hasText: 'Stopping…' })).toBeVisible({ timeout: 90_000 }),
  };

  async function shows(word: string, label: string) {
    await expect(page.getByRole('status').filter({ hasText: word })).toBeVisible();
    await expect(run).toHaveText(label);
  }
  /** LIV-06: one session, and nothing to set while it lasts. */
  async function isLocked() {
    await expect(page.getByRole('radio', { name: 'File' })).toBeDisabled();
    await expect(reset).toBeDisabled();
    await expect(alert).toHaveCount(0);
  }
  const starting = async () => {
    await shows('Starting…', 'Run...');
    await expect(run).toBeDisabled();
    await isLocked();
  };
  const stopping = async () => {
    await shows('Stopping…', 'Stop...');
    await expect(run).toBeDisabled();
    await isLocked();
  };
  const over = async () => {
    await expect.poll(stopped).toBe(true);
    await expect(page.getByRole('status').filter({ hasText: 'Stopped' })).toBeVisible();
    await expect(run).toHaveText(/^(Run|Rerun)$/);
    await expect(run).toBeEnabled();
    await devices.isReleased();
  };
  const overWell = async () => {
    await over();
    await expect(alert).toHaveCount(0);
  };

  return {
    executors,
    chart: () => chartOf(page, [...live, 'stream']),
    transientStates: ['finishingEarly'],
    expectations: {
      [requested]: starting,
      'capturing.openingWebSocket': starting,
      [running]: async () => {
        await shows('Running', 'Stop');
        await isLocked();
        // LIV-15.
        const { texts } = await devices.live();
        expect(JSON.parse(texts[0] ?? '')).toMatchObject({
          api_key: KEY,
          audio_format: 's16le',
          sample_rate: expect.any(Number),
          num_channels: 1,
        });
      },
      [recording]: stopping,
      [processing]: async () => {
        await stopping();
        // LIV-04.
        await expect.poll(async () => (await devices.live()).texts.at(-1)).toBe('');
      },
      finished: overWell,
      canceled: overWell,
      error: async ({ output: { error } }) => {
        await over();
        await expect(alert).toContainText(error.message);
        if (error.requestId) await expect(alert).toContainText(error.requestId);
        if (error.detail) await expect(alert).toContainText(error.detail);
      },
    },
  };
}

for (const [source, { paths }] of Object.entries(walks))
  requireComplete(streamMachine, paths, (on: ConsolePage) =>
    performance(on, source === 'file' ? 'file' : 'microphone'),
  );

for (const [source, { paths, retrace }] of Object.entries(walks)) {
  test.describe(`LIV-04 LIV-06 ERR-05: a live session of the ${source}`, () => {
    for (const [title, path] of titled(paths)) {
      test(title || 'begins', { tag: title.includes('media.refused') ? '@refused' : [] }, async () => {
        await perform(retrace(path), performance(fixture(), source === 'file' ? 'file' : 'microphone'));
      });
    }
  });
}

test('every transition of a session is walked, but those that cannot be caused', () => {
  expect(unwalkedByAll(Object.values(walks).map(({ unwalked, paths }) => unwalked(paths)))).toEqual(
    Object.keys(EXCEPTIONS),
  );
});
