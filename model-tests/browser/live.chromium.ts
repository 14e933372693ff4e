import type { AnyEventObject, AnyMachineSnapshot } from 'xstate';
import { websocketClosed } from '#machines/playground/live/errors.ts';
import { liveMachine } from '#machines/playground/live/machine.ts';
import { FINALIZE_LIMIT_MS } from '#machines/playground/live/setup.ts';
import { clip } from '#test/journeys/playground.ts';
import { RT } from '#test/machines/playground-fixtures.ts';
import { doneBy, isIn, type Path, walk } from '../model.ts';
import { covering } from './covering.ts';
import { stopClock } from '#test/journeys/fixtures.ts';
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
import { LiveDevices } from './liveDevices.ts';

const BREAK = { code: 1011, reason: 'Lost.' };
const FILE = { name: 'short.wav', size: 143_004, type: 'audio/wav' };
const RUNNING = 'session.active.running';
const BAD_CONTEXT = 'no JSON';

type Test = (snapshot: AnyMachineSnapshot) => boolean;
const inState =
  (state: string): Test =>
  (snapshot) =>
    isIn(snapshot, state);
const plays: Test = (snapshot) => isIn(snapshot, RUNNING) && snapshot.context.source === 'file';
const when =
  (test: Test, ...events: readonly AnyEventObject[]) =>
  (snapshot: AnyMachineSnapshot) =>
    test(snapshot) ? events : [];

/**
 * The recorder around the sessions: source, file, a wrong context, run, finalize, reset, rerun. How a session itself goes is
 * walked in stream.chromium.ts; here each of its ends comes once, from where it is usual.
 */
const walked = walk(liveMachine, {
  limit: 6000,
  input: { models: [RT], browserLanguages: [] },
  cases: {
    'settings.changed': when(({ context }) => context.settings.context === '', {
      type: 'settings.changed',
      patch: { context: BAD_CONTEXT },
    }),
    'source.selected': when(({ context }) => context.source === 'microphone', {
      type: 'source.selected',
      source: 'file',
    }),
    'file.picked': when(({ context }) => context.source === 'file', { type: 'file.picked', file: FILE }),
    'tokens.received': (snapshot) => [
      // A file that has come to its end stops the session.
      ...when((at) => isIn(at, `${RUNNING}.listening`) && !at.hasTag('atEnd'), {
        type: 'tokens.received',
        tokens: [{ text: ' word', start_ms: 0, end_ms: 300, is_final: true }],
      })(snapshot),
      ...when(inState(`${RUNNING}.finalizing`), {
        type: 'tokens.received',
        tokens: [{ text: '<fin>', start_ms: 300, end_ms: 300, is_final: true }],
      })(snapshot),
    ],
    'clock.ticked': [{ type: 'clock.ticked', elapsedSeconds: 1 }],
    'stop.requested': when(inState(RUNNING), { type: 'stop.requested' }),
    'cancel.requested': when(inState(RUNNING), { type: 'cancel.requested' }),
    'stream.finishing': when(inState(RUNNING), { type: 'stream.finishing' }),
    'playback.progressed': when(plays, { type: 'playback.progressed', positionMs: 1, durationMs: 2 }),
    'playback.ended': when(plays, { type: 'playback.ended' }),
    'xstate.done.actor.stream': (snapshot) => [
      ...when(inState('session.active.stopping'), doneBy('stream', { kind: 'finished' }))(snapshot),
      ...when(
        inState(RUNNING),
        doneBy('stream', { kind: 'canceled' }),
        doneBy('stream', { kind: 'error', error: websocketClosed(BREAK) }),
      )(snapshot),
    ],
    // Raised by the machine itself.
    'record.cleared': [],
    'playback.rewound': [],
    'file.adopted': [],
    'file.readied': [],
    ...Object.fromEntries(
      [
        'model.selected',
        'translation.toggled',
        'targetLanguage.selected',
        'languageA.selected',
        'languageB.selected',
        'device.changed',
        'permission.granted',
        'xstate.error.actor.probeFile',
        'sample.requested',
        'sampleFile.requested',
        'sound.measured',
        'screen.taken',
        'screen.returned',
        'controls.gone',
        'controls.restored',
        'place.removed',
        'place.back',
        'request.opened',
        'session.heard',
        'session.saved',
        'balance.read',
      ].map((type) => [type, []]),
    ),
  },
  distinguish: ({ context }) => [
    context.source,
    context.file !== null,
    context.error !== null,
    context.settings.context,
  ],
});

/** Declared transitions that these paths leave out. */
const EXCEPTIONS = {
  'live —device.changed→ (stays)': 'Which microphone is used: test/journeys/live.journey.ts chooses one.',
  'live —session.heard→ (stays)': 'Changes no state; test/journeys/keeping.journey.ts keeps one.',
  'live —session.saved→ (stays)': 'The same.',
  'live —balance.read→ (stays)': 'Changes no state; test/journeys/refusals.journey.ts has an empty balance.',
  'live —permission.granted→ (stays)': 'Changes no state; test/machines/playground/live.test.ts takes it.',
  'live.session.stopped —translation.toggled if isAllowed→ (stays)':
    'A setting: changes no state; settings have walks of their own without a browser.',
  'live.session.stopped —targetLanguage.selected if isAllowed→ (stays)': 'The same.',
  'live.session.stopped —languageA.selected if isAllowed→ (stays)': 'The same.',
  'live.session.stopped —languageB.selected if isAllowed→ (stays)': 'The same.',
  'live.session.stopped —model.selected if isOffered→ (stays)': 'The same.',
  'live.session.stopped —request.opened→ (stays)': 'The same: a request of the logs gives them.',
  'live.session.stopped —sample.requested if isShown→ (stays)': 'A sample: test/journeys/samples.journey.ts plays one.',
  'live.session.active —sound.measured→ (stays)': 'Changes no state; test/journeys/live-panel.journey.ts looks at it.',
  'live.session.active.starting —stop.requested→ (stays)': "Walked as the session's own in stream.chromium.ts.",
  'live.session.active.starting —sound.measured→ (stays)': 'Changes no state, as above.',
  'live.session.active.running —sound.measured→ (stays)': 'The same.',
  'live.input —sampleFile.requested→ live.input.fetching': 'A sample, as above.',
  'live.input.deciding —always if hasFile→ live.input.loading':
    'What was kept: test/journeys/leaving.journey.ts comes back to it.',
  'live.input.fetching —xstate.done.actor.fetchSample→ live.input.loading': 'A sample, as above.',
  'live.input.fetching —xstate.error.actor.fetchSample→ live.input.unplayable':
    'A sample that is not to be had: test/machines/playground/live.test.ts.',
  'live.input.loading —xstate.error.actor.probeFile→ live.input.unplayable':
    'A file that cannot be played: test/journeys/live.journey.ts picks one.',
  'live.start.byHand —sampleFile.requested→ live.start.byItself': 'A sample, as above.',
  'live.start.byItself —file.readied→ live.start.byHand': 'The same.',
  'live.start.byItself —file.picked→ live.start.byHand': 'The same; model-tests/live.paths.test.ts picks another file.',
  'live.start.byItself —source.selected if isMicrophone→ live.start.byHand':
    'The same; test/machines/playground/live.test.ts chooses the microphone.',
  'live.start.byItself —screen.taken→ live.start.byHand':
    'The same; test/machines/playground/screen-taken.test.ts leaves the tab.',
  'live.start.byItself —controls.gone→ live.start.byHand': 'The same.',
  'live.screen —screen.taken→ live.screen.taken':
    'What the playground says: test/machines/playground/screen-taken.test.ts takes it, and gives it back.',
  'live.screen.taken —screen.returned→ live.screen.shown': 'The same.',
  'live.controls.standing —controls.gone→ live.controls.gone':
    'What a change of the document by somebody else says: test/journeys/translated.journey.ts makes it, and undoes it.',
  'live.controls.gone —controls.restored→ live.controls.standing': 'The same.',
  'live.place.there —place.removed→ live.place.removed':
    'What the leave guard says: test/machines/workspace/leave-guard.test.ts takes the project, and gives it back.',
  'live.place.removed —place.back→ live.place.there': 'The same.',
  'live.record.deciding —always if hasSavedWords→ live.record.transcribed': 'What was kept, as above.',
};

const begins: Test = inState('session.active.starting');
/** Once more from the beginning of a file that has played to its end. */
const rerun = walked.paths.find(({ steps }) =>
  steps.some(
    ({ event, state }, index) =>
      event.type === 'run.requested' && begins(state) && steps[index - 1]?.state.hasTag('atEnd'),
  ),
);
const paths = [...covering(walked), ...(rerun ? [rerun] : [])];

const fixture = useConsolePage();
let devices: LiveDevices;

test.beforeAll(async () => {
  const { page } = fixture();
  devices = await LiveDevices.open(page);
  await page.clock.install();
  // With what was put into it.
  await page.goto('/?inspect');
});

function performance({ page, playground }: ConsolePage, path: Path): Performance<typeof liveMachine> {
  // Only a path that waits for the end takes a short one; the other must outlast a slow machine's steps.
  const sound = clip(
    path.steps.some(({ event }) => event.type === 'playback.ended')
      ? 'short.wav'
      : '../../server/samples/weather-report.wav',
  );
  const live = ['workspace', 'playground', 'live'];
  const { run, reset, finalize, source, filePicker, context, alert, status } = recorder(page);
  const shows = (word: string) => expect(status(word)).toBeVisible({ timeout: 90_000 });
  const cancel = () => sendTo(page, live, { type: 'cancel.requested' });

  const executors: Executors<typeof liveMachine> = {
    'xstate.init': async () => {
      await devices.reset();
      await page.clock.resume();
      // Loaded anew: a recorder of the same project would go on with what the last one held (CON-02).
      await page.goto(`${playground}/?mode=real-time&inspect`);
      await expect(run).toBeVisible();
      await stopClock(page);
    },
    'settings.changed': ({ patch }) => context.fill(patch.context ?? ''),
    'source.selected': () => source('File').click(),
    'file.picked': () => filePicker.setInputFiles(sound),
    // The browser says by itself that it can play the file.
    'xstate.done.actor.probeFile': () => expect(page.getByText('Loading the file…')).toHaveCount(0),
    'run.requested': async () => {
      await devices.reset();
      await run.click();
    },
    'reset.requested': () => reset.click(),
    'stream.opened': async (_event, before) => {
      if (before?.context.source === 'file') await devices.deliverWorklet(true);
      else await devices.answerPrompt(true);
      await devices.grantKey();
      await devices.live();
    },
    'tokens.received': ({ tokens }) => devices.say({ tokens }),
    // LIV-20.
    'clock.ticked': async ({ elapsedSeconds }) => {
      // At once: run step by step, a page that plays a file would be at it for seconds.
      await page.clock.fastForward(1000);
      await expect(page.getByRole('timer')).toHaveText(`00:0${elapsedSeconds}`);
    },
    'playback.progressed': () => expect(page.getByRole('progressbar', { name: 'Playback' })).toBeVisible(),
    // The end of the file stops the session (LIV-11).
    'playback.ended': () => shows('Stopping…'),
    'stop.requested': async () => {
      await run.click();
      await shows('Stopping…');
    },
    'cancel.requested': async () => {
      await cancel();
      await shows('Stopped');
      await devices.isReleased();
    },
    'finalize.requested': async () => {
      await finalize.click();
      await expect.poll(async () => (await devices.live()).texts).toContain('{"type":"finalize"}');
    },
    // The answer does not come.
    [`xstate.after.finalizeLimit.live.${RUNNING}.finalizing`]: () => page.clock.fastForward(FINALIZE_LIMIT_MS),
    'stream.finishing': async (_event, before) => {
      // The file may have come to its end before.
      if (!before?.hasTag('atEnd')) await run.click();
    },
    'xstate.done.actor.stream': async ({ output }) => {
      if (output.kind === 'canceled') await cancel();
      else if (output.kind === 'error') await devices.close(BREAK);
      else {
        await expect.poll(() => devices.device('drain'), 'the last samples').toBeGreaterThan(0);
        await devices.close({ code: 1000, reason: '' });
      }
    },
  };

  return {
    executors,
    transientEvents: ['stop.requested', 'cancel.requested', 'playback.ended', 'file.picked'],
    chart: () => chartOf(page, live),
    // A file plays on by itself.
    compared: (value) =>
      typeof value === 'object' && value !== null
        ? { session: Reflect.get(value, 'session'), record: Reflect.get(value, 'record') }
        : value,
    expectations: {
      'session.stopped': async (snapshot) => {
        await shows('Stopped');
        const { source, file, error } = snapshot.context;
        await expect(run).toHaveText(source === 'file' && snapshot.hasTag('atEnd') ? 'Rerun' : 'Run');
        await expect(run).toBeEnabled({
          enabled: source === 'microphone' || (file !== null && snapshot.matches({ input: 'playable' })),
        });
        await expect(reset).toBeEnabled({ enabled: snapshot.can({ type: 'reset.requested' }) });
        await expect(finalize).toBeDisabled();
        await expect(alert).toHaveCount(error ? 1 : 0);
        if (error) await expect(alert).toContainText(error.message);
        if (error?.code === 'invalid_context_structure') await expect(alert.getByRole('link')).toBeVisible();
        await expect(page.getByRole('region', { name: 'WebSocket API' })).toBeVisible({
          visible: snapshot.hasTag('empty') && !error,
        });
      },
      'session.active.starting': async () => {
        await shows('Starting…');
        await expect(run).toHaveText('Run...');
        await expect(page.getByLabel('Context')).toBeDisabled();
      },
      [RUNNING]: async (snapshot) => {
        await shows('Running');
        await expect(run).toHaveText('Stop');
        await expect(page.getByRole('region', { name: 'WebSocket API' })).toBeHidden();
        await expect(reset).toBeDisabled();
        await expect(finalize).toHaveAttribute(
          'aria-disabled',
          String(snapshot.hasTag('empty') || snapshot.hasTag('finalizing')),
        );
      },
      'session.active.stopping': async () => {
        await shows('Stopping…');
        await expect(run).toHaveText('Stop...');
        await expect(run).toHaveAttribute('aria-disabled', 'true');
        await expect(run).toHaveAttribute('aria-busy', 'true');
      },
      // LIV-07: also after an error.
      'record.transcribed': () => expect(page.getByRole('region', { name: 'Live transcript' })).toContainText('word'),
    },
  };
}

for (const path of paths) requireComplete(liveMachine, [path], (on: ConsolePage) => performance(on, path));

test.describe('LIV-08 LIV-09 LIV-11: the recorder', () => {
  for (const [title, path] of titled(paths)) {
    test(title, async () => {
      await perform(walked.retrace(path), performance(fixture(), path));
    });
  }
});

test('every transition of the recorder is walked, but those that are left out for a reason', () => {
  expect(walked.unwalked(paths)).toEqual(Object.keys(EXCEPTIONS));
  expect(rerun).toBeDefined();
});
