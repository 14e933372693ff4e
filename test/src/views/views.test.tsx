/** Views as they are drawn once, of charts that stand still. */
import { ChakraProvider } from '@chakra-ui/react';
import { createMemoryHistory, RouterContextProvider } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createActor, fromCallback, fromPromise, waitFor, type AnyActor } from 'xstate';
import type { Dashboard } from '#contract/dashboard.ts';
import type { Progress } from '#contract/transcriptions.ts';
import type { Role } from '#contract/roles.ts';
import { clipboardMachine } from '#machines/root/clipboard/machine.ts';
import { preferencesMachine } from '#machines/root/preferences/machine.ts';
import { CallError, type Failure } from '#machines/shared/failure.ts';
import { displayMachine } from '#machines/playground/reader/display/machine.ts';
import { exporterMachine } from '#machines/playground/reader/exporter/machine.ts';
import { transactionsMachine } from '#machines/workspace/billing/transactions/machine.ts';
import { logsMachine } from '#machines/workspace/logs/machine.ts';
import { memberRemovalMachine } from '#machines/workspace/memberRemoval/machine.ts';
import { metricsMachine } from '#machines/workspace/metrics/machine.ts';
import { usageMachine } from '#machines/workspace/usage/machine.ts';
import { deliveriesMachine } from '#machines/workspace/webhooks/list.ts';
import { webhooksMachine } from '#machines/workspace/webhooks/machine.ts';
import { signingSecretMachine } from '#machines/workspace/webhooks/secret/machine.ts';
import { ASYNC_DEFAULTS } from '#machines/playground/settings/types.ts';
import { recordOf, type Token } from '#machines/playground/transcript/record.ts';
import { NO_TALLY } from '#machines/playground/live/tally.ts';
import { liveMachine } from '#machines/playground/live/machine.ts';
import { transcriptionMachine } from '#machines/playground/transcription/machine.ts';
import { uploadMachine } from '#machines/playground/upload/machine.ts';
import { RootContext } from '#src/actors.ts';
import { createConsoleRouter } from '#src/router.ts';
import { TransactionsPage } from '#src/views/billing/TransactionsPage.tsx';
import { TransactionTable } from '#src/views/billing/TransactionTable.tsx';
import { LimitRow } from '#src/views/limits/LimitRow.tsx';
import { settingsInWords } from '#src/views/logs/words.ts';
import { LogsPage } from '#src/views/logs/LogsPage.tsx';
import { MetricsPage } from '#src/views/metrics/MetricsPage.tsx';
import { FirstSteps } from '#src/views/organization/FirstSteps.tsx';
import { Submitted } from '#src/views/organization/InvitePage.tsx';
import { shownOf, staysShown } from '#src/views/ui/people/MemberKeys.tsx';
import { RemovalDialog } from '#src/views/organization/MemberDialogs.tsx';
import { FileLine, Remedies } from '#src/views/playground/async/UploadDialog.tsx';
import { TranscriptionView } from '#src/views/playground/async/TranscriptionView.tsx';
import { TranscribeBar } from '#src/views/playground/async/TranscribeBar.tsx';
import { MicrophoneSection } from '#src/views/playground/live/MicrophoneSection.tsx';
import { LiveControls } from '#src/views/playground/live/LiveControls.tsx';
import { LiveSettings } from '#src/views/playground/live/LiveSettings.tsx';
import { PlaygroundContext } from '#src/views/playground/state.ts';
import { ContextField } from '#src/views/playground/fields/ContextField.tsx';
import { exportActions } from '#src/views/playground/transcript/exportActions.ts';
import { NavGroup } from '#src/views/shell/NavGroup.tsx';
import { SidebarFooter } from '#src/views/shell/SidebarFooter.tsx';
import { CreateDialogs } from '#src/views/shell/CreateDialogs.tsx';
import { CardTable } from '#src/views/ui/CardTable.tsx';
import { DiscardDialog } from '#src/views/ui/DiscardDialog.tsx';
import { FiguresTable } from '#src/views/ui/usage/FiguresTable.tsx';
import { FoldedTable } from '#src/views/ui/usage/FoldedTable.tsx';
import { FactList } from '#src/views/ui/Facts.tsx';
import { shownText, totalsOf, UsagePage } from '#src/views/usage/UsagePage.tsx';
import { FormField } from '#src/views/ui/Form.tsx';
import { WebhooksPage } from '#src/views/webhooks/WebhooksPage.tsx';
import { consoleSystem } from '#src/theme/console.ts';
import { limit as limitOf } from '../../machines/limits.ts';
import { ann } from '../../machines/people.ts';
import { RT, transcription } from '../../machines/playground-fixtures.ts';
import { alone } from '../../machines/appServices.ts';
import { silenced } from '../../machines/silenced.ts';
import { drawn, drawnOn, PLACE, still } from './drawn.tsx';

const pending = () => new Promise<never>(() => {});

/** Runs until the test ends. */
function begun<Begun extends AnyActor>(actor: Begun): Begun {
  onTestFinished(() => void actor.stop());
  return actor.start();
}

const DISK: Failure = { message: 'The disk is full.', kind: 'HTTP', status: 500, requestId: 'r-1' };
const failing = (failure: Failure) => fromPromise(() => Promise.reject(new CallError(failure)));

describe('the transcription on show', () => {
  const shownWith = async (actors: object) => {
    const machine = alone(transcriptionMachine).provide({ actors: actors as never, delays: { pollInterval: 1e9 } });
    const actor = begun(createActor(machine, { input: { id: 't1' } }));
    await waitFor(
      actor,
      (snapshot) => !snapshot.matches({ polling: 'checking' }) && !snapshot.matches('fetchingTranscript'),
    );
    return drawnOn(
      { screen: 'home' },
      {},
      <PlaygroundContext.Provider value={{ transcription: actor }}>
        <TranscriptionView />
      </PlaygroundContext.Provider>,
    );
  };
  const answering = (changes: Parameters<typeof transcription>[0]) => ({
    fetchTranscription: fromPromise(() => Promise.resolve(transcription(changes))),
  });
  const shown = (progress: Progress | null) =>
    shownWith(answering({ status: 'processing', filename: 'שיחה.wav', progress }));

  it.each<[string, Failure, string]>([
    ['no answer', { message: 'Away.', kind: 'FETCH_ERROR' }, 'The server cannot be reached. Trying again soon.'],
    ['a failure', DISK, 'The state of the transcription could not be read. Trying again soon.'],
  ])('CON-15: only a server that does not answer is said to be away: %s', async (_, failure, title) => {
    expect(await shownWith({ fetchTranscription: failing(failure) })).toContain(`>${title}<`);
  });

  it('CON-22: of a transcript that the server fails to give the request is told', async () => {
    const markup = await shownWith({ ...answering({ status: 'completed' }), fetchTranscript: failing(DISK) });
    expect(markup).toContain('No transcription data available. Try again later.');
    expect(markup).toContain('Request r-1<');
  });

  it('CON-25: a bar with a name shows how far it is, beside the sentence and not within it', async () => {
    const markup = await shown({ audio_ms: 30_000, total_ms: 120_000 });
    const [bar = ''] = /<div[^>]*role="progressbar"[^>]*>/.exec(markup) ?? [];
    expect(bar).toContain('aria-label="Progress of the transcription"');
    expect(bar).toContain('aria-valuenow="25"');
    expect(bar).toContain('aria-valuemax="100"');
    expect(markup).toContain('0:30 of 2:00 done.');
    const [sentence = ''] = /<div[^>]*role="status".*?<\/div>/s.exec(markup) ?? [];
    expect(sentence).toContain('is processing.');
    expect(sentence).not.toContain('25');
  });

  it('FAI-03: what is around it says how it stands', async () => {
    const markup = await shown(null);
    expect(markup).toMatch(/role="group"[^>]*aria-describedby="transcription-status"/);
    expect(markup).toMatch(/role="status"[^>]*id="transcription-status"/);
  });

  it('CON-25: there is no bar where it is not known of how much', async () => {
    const markup = await shown({ audio_ms: 30_000, total_ms: null });
    expect(markup).not.toContain('progressbar');
    expect(markup).toContain('0:30 of the recording done.');
  });

  it('CON-24: the file’s name has its own direction, here and while it is uploaded', async () => {
    expect(await shown(null)).toContain('<bdi>שיחה.wav</bdi>');
    const machine = alone(uploadMachine).provide({ actors: { uploadFile: fromCallback(() => {}) } as never });
    const upload = begun(createActor(machine, { input: { projectUuid: 'p1', maxUploadBytes: 1e6 } }));
    upload.send({ type: 'file.chosen', file: { name: 'שיחה.wav', size: 1000, type: 'audio/wav' } });
    expect(drawn(<FileLine upload={upload} />)).toContain('<bdi>שיחה.wav</bdi> <span>· 1000 B</span>');
  });

  it('UPL-02: a refused file offers the choice of another, and Retry only where it may help', () => {
    const upload = begun(createActor(alone(uploadMachine), { input: { projectUuid: 'p1', maxUploadBytes: 1e6 } }));
    const labels = () => [...drawn(<Remedies upload={upload} />).matchAll(/>([^<]+)</g)].map(([, text]) => text);
    upload.send({ type: 'file.chosen', file: { name: 'a.txt', size: 1, type: 'text/plain' } });
    expect(labels()).toEqual(['Choose another']);
    upload.send({ type: 'file.chosen', file: { name: 'a.wav', size: 1, type: 'audio/wav' } });
    upload.send({ type: 'upload.failed', failure: DISK });
    expect(labels()).toEqual(['Retry', 'Choose another']);
  });
});

describe('a transcript that is taken home', () => {
  const TOKENS: Token[] = [
    { text: 'Good morning.', start_ms: 0, end_ms: 800, translation_status: 'original' },
    { text: 'Guten Morgen.', translation_status: 'translation' },
  ];
  const SIDES = [
    { option: 'translation', has: ['Guten Morgen.'], lacks: ['Good morning.'] },
    { option: 'original', has: ['Good morning.'], lacks: ['Guten Morgen.'] },
    { option: 'everything', has: ['Good morning.', 'Guten Morgen.'], lacks: [] },
  ] as const;

  it.each(SIDES)('CON-26: is the side that is shown, copied or saved: $option', ({ option, has, lacks }) => {
    const saved: string[] = [];
    const exporter = createActor(
      exporterMachine.provide({
        actors: {
          saveTextFile: fromPromise<void, { text: string }>(({ input }) => {
            saved.push(input.text);
            return pending();
          }),
        } as never,
      }),
    ).start();
    const clipboard = createActor(
      clipboardMachine.provide({ actors: { copyText: fromPromise(pending) } as never }),
    ).start();
    const display = createActor(alone(displayMachine), { input: { option: 'everything', isSplit: null } }).start();
    const { copy, download } = exportActions({
      exporter,
      clipboard,
      display,
      read: () => recordOf(TOKENS),
      hasSides: true,
      name: 'talk.wav',
    });
    display.send({ type: 'option.selected', option });
    copy();
    download();
    const texts = [clipboard.getSnapshot().context.text, ...saved];
    expect(texts).toHaveLength(2);
    for (const text of texts) {
      for (const part of has) expect(text).toContain(part);
      for (const part of lacks) expect(text).not.toContain(part);
    }
  });
});

describe('the question before a member is removed', () => {
  const KEY = { uuid: 'k1', name: 'laptop', masked_key: 'sk-…1', project: { uuid: 'p1', name: 'Talks' } };
  const asking = (keys: () => Promise<unknown>) => {
    const machine = memberRemovalMachine.provide({ actors: { loadMemberKeys: fromPromise(keys) } as never });
    const input = { orgUuid: 'o1', userUuid: 'u1', projectUuid: null } as never;
    return begun(createActor(machine, { input }));
  };
  const asked = async () => {
    const actor = asking(() => Promise.resolve([KEY]));
    await waitFor(actor, (snapshot) => snapshot.hasTag('loaded'));
    return actor;
  };

  it('SEC-13: says that the keys are looked for, and cannot be confirmed before', async () => {
    const dialog = (memberRemoval: AnyActor) =>
      drawn(
        <RemovalDialog
          actor={still({
            context: { asked: { kind: 'member', uuid: 'u1', name: 'Bob' }, userUuid: 'u2' },
            children: { memberRemoval },
            hasTag: (tag: string) => tag === 'confirming',
          })}
        />,
      );
    const early = dialog(asking(pending));
    expect(early).toMatch(/role="status"[^>]*>Looking for their API keys…</);
    expect(early).toMatch(/<button[^>]*aria-disabled="true"[^>]*>Remove</);
    expect(dialog(await asked())).toMatch(/<button[^>]*aria-disabled="false"[^>]*>Remove</);
  });

  it.each(['removal.confirmed', 'removal.dismissed'] as const)(
    'SEC-13: still shows the keys as its dialog fades out: %s',
    async (type) => {
      const actor = await asked();
      const before = shownOf(actor.getSnapshot());
      expect(before).toMatchObject({ keys: [KEY], isLoaded: true });
      actor.send({ type });
      expect(actor.getSnapshot().status).toBe('done');
      expect(staysShown(before, shownOf(actor.getSnapshot()))).toBe(true);
    },
  );

  it('SEC-13: follows what is chosen until then', async () => {
    const actor = await asked();
    const before = shownOf(actor.getSnapshot());
    actor.send({ type: 'revocation.chosen', revokesKeys: true });
    expect(staysShown(before, shownOf(actor.getSnapshot()))).toBe(false);
  });
});

describe('an invitation that is asked about', () => {
  it('CON-03: stays on the page behind the question, and cannot be changed there', () => {
    const markup = drawn(
      <Submitted actor={still({ context: { wanted: { email: 'cy@example.com', role: 'admin' } } })} />,
    );
    expect(markup).toMatch(/<input(?=[^>]*readonly)(?=[^>]*value="cy@example.com")/i);
    expect(markup).toMatch(/<select(?=[^>]*disabled)/);
    expect(markup).toMatch(/<option value="admin"[^>]*selected/);
  });
});

describe('a form in a dialog', () => {
  const told = { errors: {}, changedElsewhere: {}, refusal: null, refusals: 0, advice: null, detached: null };

  it('PRJ-01: has the name and the description of a new project each in its field', () => {
    const context = { ...told, values: { name: 'Patience', description: 'Of those who wait.' } };
    const projectForm = still({ context, hasTag: () => false });
    const markup = drawnOn({ screen: 'home' }, { projectForm }, <CreateDialogs />);
    expect(markup).toMatch(/<input(?=[^>]*id="project-name")(?=[^>]*value="Patience")/);
    expect(markup).toMatch(/<textarea(?=[^>]*id="project-description")[^>]*>Of those who wait\.</);
  });

  it.each([
    ['asking', 'Discard what you typed?', 'Keep editing', 'is not saved anywhere'],
    ['asking submitting', 'Leave without the answer?', 'Keep waiting', 'may still take effect'],
  ])('asks what is lost with it: %s', (tags, ...words) => {
    const actor = still({ context: { ...told, values: {} }, hasTag: (tag: string) => tags.split(' ').includes(tag) });
    const markup = drawn(<DiscardDialog actor={actor} />);
    for (const part of words) expect(markup).toContain(part);
  });
});

describe('a screen that cannot be read', () => {
  const refused = failing(DISK);
  const readToday = fromPromise(() => Promise.resolve('2026-03-15'));
  const view = { start_date: 'soon' };
  const usage = (chart: 'cost' | 'activity') => {
    const machine = alone(usageMachine).provide({ actors: { readToday, loadUsage: refused } as never });
    return createActor(machine, { input: { scope: PLACE, chart, view } });
  };
  const metrics = () => {
    const machine = alone(metricsMachine).provide({ actors: { readToday, loadMetrics: refused } as never });
    return createActor(machine, { input: { ...PLACE, view } });
  };
  const logs = () => {
    const actors = { readStart: fromPromise(() => Promise.resolve(null)), loadLogs: refused } as never;
    return createActor(alone(logsMachine).provide({ actors }), { input: { ...PLACE, view: {} } });
  };
  const transactions = () => {
    const machine = alone(transactionsMachine).provide({ actors: { loadTransactions: refused } as never });
    return createActor(machine, { input: { orgUuid: 'o1', view: {} } });
  };
  const webhooks = () => {
    const machine = alone(webhooksMachine).provide({
      actors: {
        list: deliveriesMachine.provide({ actors: { fetchPage: refused } as never }),
        secret: signingSecretMachine.provide({ actors: { loadSecret: refused } as never }),
      },
    });
    return createActor(machine, { input: { ...PLACE, role: 'owner', view: {} } });
  };

  it('CON-34: greys the lengths of steps that the days are too many for, with the most days that they take', async () => {
    const actor = begun(usage('cost'));
    const choices = async (view: object) => {
      actor.send({ type: 'route.changed', route: { screen: 'usageCost', ...PLACE, ...view } });
      await waitFor(actor, (snapshot) => snapshot.hasTag('failed'));
      const markup = drawnOn({ screen: 'usageCost', ...PLACE }, { usageCost: actor }, <UsagePage />);
      return [
        ...markup.matchAll(/<option value="(?:hourly|daily|monthly)" dir="auto"( disabled="")?[^>]*>(.*?)</g),
      ].map(([, isGrey, name]) => `${name}${isGrey ? ', greyed' : ''}`);
    };
    expect(await choices({ start_date: '2026-03-01', end_date: '2026-03-31' })).toEqual(['Hourly', 'Daily', 'Monthly']);
    expect(await choices({ start_date: '2025-03-01', end_date: '2026-03-31', period: 'monthly' })).toEqual([
      'Hourly (up to 31 days), greyed',
      'Daily (up to 366 days), greyed',
      'Monthly',
    ]);
  });

  it('PRJ-06: offers no model while there are no metrics to narrow', async () => {
    const actor = begun(metrics());
    await waitFor(actor, (snapshot) => snapshot.hasTag('failed'));
    const markup = drawnOn({ screen: 'metrics', ...PLACE }, { metrics: actor }, <MetricsPage />);
    expect(markup).toMatch(/<select(?=[^>]*id="row-model")(?=[^>]*disabled)/);
  });

  it.each([
    ['usageCost', () => usage('cost'), UsagePage, 'The cost'],
    ['usageActivity', () => usage('activity'), UsagePage, 'The activity'],
    ['metrics', metrics, MetricsPage, 'The metrics'],
    ['logs', logs, LogsPage, 'The requests'],
    ['webhooks', webhooks, WebhooksPage, 'The webhooks'],
    ['transactions', transactions, TransactionsPage, 'The transactions'],
  ] as const)(
    'PRJ-04 PRJ-05 MTR-01: says so, and what of its address there is not: %s',
    async (screen, make, Screen, what) => {
      const actor: AnyActor = begun(make());
      const draw = () => drawnOn({ screen, ...PLACE, ...view }, { [screen]: actor }, <Screen />);
      await expect.poll(draw).toContain(`>${what} could not be loaded.<`);
      const markup = draw();
      expect(markup).toContain('>The disk is full.<');
      expect(markup).toContain('>Retry<');
      expect(markup.includes('date range isn&#x27;t valid')).toBe(
        !['logs', 'webhooks', 'transactions'].includes(screen),
      );
    },
  );
});

it('ONB-23: the first steps of the dashboard are ticked as they are done, and go with a transcript and a key', () => {
  const [membership] = ann.memberships;
  const marks = (done: Partial<Dashboard['steps']>, members = 1, role: Role = 'owner') => {
    const steps = { transcribed: false, spoken: false, key_created: false, ...done };
    const figures = { steps, members } as Dashboard;
    const view = <FirstSteps membership={membership!} figures={figures} />;
    const markup = drawnOn({ screen: 'organization', orgUuid: 'o1' }, {}, view, role);
    return [...markup.matchAll(/aria-label="(Done|To do)".*?<a [^>]*>([^<]*)/gs)].map(
      ([, mark, link]) => `${link}: ${mark}`,
    );
  };
  const [file, voice, key, others] = [
    'Transcribe a file',
    'Speak into the microphone',
    'Create an API key',
    'Invite others',
  ];
  expect(marks({})).toEqual([file, voice, key, others].map((step) => `${step}: To do`));
  expect(marks({ key_created: true }, 2)).toEqual([
    ...[`${file}: To do`, `${voice}: To do`],
    ...[`${key}: Done`, `${others}: Done`],
  ]);
  expect(marks({ spoken: true })).toContain(`${voice}: Done`);
  expect(marks({ spoken: true, key_created: true })).toEqual([]);
  expect(marks({}, 2, 'billing')).toEqual([]);
});

it('a request without language hints does not pass for one of any language: a model may know one only', () => {
  const asked = { language_hints: null, language_hints_strict: null, translation: null, context: null };
  const switches = { enable_speaker_diarization: false, enable_language_identification: false };
  expect(settingsInWords({ filename: 'a.wav', ...asked, ...switches })[0]).toEqual(['Language hints', 'None']);
});

describe('BIL-08: a transaction', () => {
  it('of usage shows the day of that, and others when they were entered', () => {
    const row = {
      ...({ uuid: 't1', kind: 'usage', amount_micros: -28, balance_after_micros: 1, description: 'Usage' } as const),
      ...{ day: '2026-05-04', at: '2026-05-05T00:20:00Z', receipt: null },
    };
    const rows = [row, { ...row, uuid: 't2', kind: 'payment', day: null }];
    const actor = still({
      context: { view: {}, rows, unpostedMicros: 0, receiptOf: null, withdrawalOf: null },
      hasTag: () => false,
      can: () => true,
    });
    const markup = drawn(<TransactionTable actor={actor} />);
    expect([...markup.matchAll(/<time [^>]*>[^<]*/g)].map(([time]) => time.replaceAll(/ class="[^"]*"/g, ''))).toEqual([
      '<time dateTime="2026-05-04" title="Posted May 5, 2026, 00:20:00 UTC">May 4, 2026',
      '<time dateTime="2026-05-05T00:20:00Z" title="May 5, 2026, 00:20:00 UTC">May 5, 2026, 00:20',
    ]);
  });

  it.each([
    [
      {},
      11_200,
      ['Not posted yet', 'Usage', 'Usage so far, posted after midnight (UTC)', '-$0.011200', '$24.184578', '—'],
    ],
    [
      { kind: 'usage' },
      11_200,
      ['Not posted yet', 'Usage', 'Usage so far, posted after midnight (UTC)', '-$0.011200', '$24.184578', '—'],
    ],
    [{ kind: 'credit' }, 11_200, null],
    [{ offset: '50' }, 11_200, null],
    [{}, 0, null],
  ])(
    'BIX-09: follows on the usage that is not posted yet, on the first page of usage or of all: %j, %i',
    (view, unpostedMicros, first) => {
      const row = {
        ...({
          uuid: 't1',
          kind: 'credit',
          amount_micros: 1,
          balance_after_micros: 24_195_778,
          description: 'Credit',
        } as const),
        ...{ day: null, at: '2026-05-05T00:20:00Z', receipt: null },
      };
      const actor = still({
        context: {
          ...{ view, rows: [row], unpostedMicros, balanceMicros: 24_195_778 - unpostedMicros },
          ...{ receiptOf: null, withdrawalOf: null },
        },
        hasTag: () => false,
        can: () => true,
      });
      const lines = drawn(<TransactionTable actor={actor} />)
        .split('<tr')
        .slice(2)
        .map((line) =>
          line
            .split('<td')
            .slice(1)
            .map((cell) => cell.replace(/^[^>]*>/, '').replaceAll(/<[^>]*>/g, '')),
        );
      expect(lines.slice(0, -1)).toEqual(first ? [first] : []);
    },
  );
});

describe('the side panel of the playground', () => {
  const bars = { Run: <LiveControls />, 'Transcribe file': <TranscribeBar /> };
  /** Before anything is tried. */
  const panel = (view: ReactNode, isExhausted = false, role?: Role, session?: object, refused?: object) => {
    const live = begun(createActor(silenced(alone(liveMachine)), { input: { models: [RT], browserLanguages: [] } }));
    live.send({ type: 'balance.read', isExhausted });
    const codePanel = still({ context: {}, hasTag: () => false });
    const asyncSide = still(
      refused ?? {
        context: { models: [], file: null, settings: ASYNC_DEFAULTS, isExhausted },
        children: {},
        hasTag: () => false,
        can: () => false,
      },
    );
    const actors = {
      live: session ? still(session) : live,
      asyncSide,
      codePanel,
      microphone: live.getSnapshot().children.microphone,
      usageHint: still({ context: { limits: [], isExhausted } }),
      playground: still({ context: { orgUuid: 'o1', projectUuid: 'p1' } }),
      languageSearch: still({ context: { text: '' } }),
    };
    const draw = () =>
      drawnOn(
        { screen: 'home' },
        {},
        <PlaygroundContext.Provider value={actors}>{view}</PlaygroundContext.Provider>,
        role,
      );
    return { live, draw };
  };

  it('LIV-24: of a live session holds where the sound comes from, what is asked for, and the buttons', () => {
    const { live, draw } = panel(
      <>
        <LiveControls />
        <MicrophoneSection />
        <LiveSettings />
      </>,
    );
    const words = (tag: string) =>
      [...draw().matchAll(new RegExp(`<${tag}\\b[^>]*>(?:<[^>]*>)*([^<]+)`, 'g'))].map(([, text]) => text);
    expect(words('h2')).toEqual(['Audio input', 'Transcription settings', 'Translation settings']);
    expect(words('button')).toEqual(expect.arrayContaining(['Run', 'Finalize', 'Reset', 'One-way', 'Two-way']));
    expect([...words('legend'), ...words('label')]).toEqual([
      'Language hints',
      ...['Mic', 'File', 'Microphone', 'Model', 'English', 'German', 'French'],
      ...['Speaker diarization', 'Language identification', 'Audio event detection', 'Endpoint detection', 'Context'],
    ]);
    live.send({ type: 'translation.toggled', translationType: 'one_way' });
    expect(words('label').at(-1)).toBe('Target language');
    live.send({ type: 'translation.toggled', translationType: 'two_way' });
    expect(words('label').slice(-2)).toEqual(['Language A', 'Language B']);
  });

  it('LVP-11: while a session starts, only Cancel ends it, and what was said is told to be lost', () => {
    const { live, draw } = panel(<LiveControls />);
    const works = (button: string) =>
      new RegExp(`<button(?![^>]*aria-disabled="true")[^>]*>((?!</button>).)*${button}<`).test(draw());
    expect([works('Run'), draw().includes('>Cancel<')]).toEqual([true, false]);
    live.send({ type: 'run.requested' });
    expect([works('Run...'), draw().includes('>Cancel<')]).toEqual([false, true]);
    const stream = live.getSnapshot().children.stream;
    stream?.send({ type: 'media.granted', sampleRate: 50_000, channels: 1 });
    stream?.send({ type: 'audio.chunk', pcm: new ArrayBuffer(120_000), level: 0.5 });
    expect(live.getSnapshot().context.tally).toMatchObject({ soundMs: 0, unsentMs: 1200 });
    live.send({ type: 'stop.requested' });
    expect(draw()).toContain('>Not connected yet: 1.2\u00a0s of sound was not transcribed.<');
    expect(draw()).not.toContain('>Cancel<');
  });

  const UNANSWERED = 'The server isn’t answering. Check your connection.';
  const UNHEARD = 'We can’t hear you. Check your microphone.';

  it.each([
    ['running', true, false, UNANSWERED, 'Stop first to reset.'],
    ['running', true, true, UNANSWERED, 'Stop first to reset.'],
    ['stopping', true, false, UNANSWERED, 'Ends within about a minute, with what was heard.'],
    ['running', false, false, 'Waiting for the server…', 'Stop first to reset.'],
    ['running', false, true, UNHEARD, 'Stop first to reset.'],
    ['stopping', false, false, 'Waiting for the server…', 'Waiting for the last words.'],
  ])('LVP-10: says while %s that the server does not answer (it has: %s; silence: %s)', (...row) => {
    const [tag, isAnswered, isSoundless, problem, reason] = row;
    const socket = still({ context: { isAnswered }, hasTag: (asked: string) => asked === 'quiet' });
    const inputLevel = still({ context: { level: 0 }, hasTag: () => true });
    const { draw } = panel(<LiveControls />, false, undefined, {
      context: { source: 'microphone', elapsedSeconds: 3, tally: { ...NO_TALLY, soundMs: 3000 } },
      hasTag: (asked: string) => asked === tag,
      can: () => true,
      children: { stream: still({ children: { socket } }), ...(isSoundless ? { inputLevel } : {}) },
    });
    expect(draw()).toContain(`>${problem}<`);
    expect(draw()).toContain(`>${reason}<`);
  });

  it('LVP-03: the length of a session that has ended is told once', () => {
    const told = (tag: string) => {
      const session = { elapsedSeconds: 6, tally: { ...NO_TALLY, soundMs: 6000, words: 3 }, isExhausted: false };
      const { draw } = panel(<LiveControls />, false, undefined, {
        context: { source: 'microphone', error: null, ...session },
        ...{ hasTag: (asked: string) => asked === tag, can: () => true, children: {} },
      });
      return draw().match(/00:06/g);
    };
    expect(told('running')).toHaveLength(1);
    expect(told('stopped')).toHaveLength(1);
  });

  it('EST-06: a session that the balance refused is the one notice of that', () => {
    const { live, draw } = panel(<LiveControls />, true);
    expect(draw().match(/The balance of this organization/g)).toHaveLength(1);
    const error = { code: 'x', message: 'No.', limit: { name: 'balance', of: 'organization' } };
    const { draw: refused } = panel(<LiveControls />, true, undefined, {
      ...live.getSnapshot(),
      context: { ...live.getSnapshot().context, error },
      hasTag: (tag: string) => tag === 'stopped',
      can: () => false,
    });
    expect(refused()).not.toContain('The balance of this organization');
    // No button points at a notice that is not there.
    expect(refused()).not.toContain('balance-hint');
  });

  it('EST-06: a transcription that the balance refused is the one notice of that', () => {
    const limit = { name: 'balance', of: 'organization' };
    const refused = {
      context: { models: [], file: null, settings: ASYNC_DEFAULTS, isExhausted: true },
      children: { transcription: still({ context: { failure: { message: 'No.', limit } }, hasTag: () => false }) },
      hasTag: (tag: string) => tag === 'refused',
      can: () => false,
    };
    const drawn = panel(<TranscribeBar />, true, undefined, undefined, refused).draw();
    expect(drawn).toContain('>No.<');
    expect(drawn).not.toContain('balance-hint');
  });

  it.each(['Run', 'Transcribe file'] as const)(
    'EST-06: tells beside %s that the balance is used up, with the way to billing or whom to ask',
    (button) => {
      const draw = (isExhausted: boolean, role?: Role) => panel(bars[button], isExhausted, role).draw();
      const told = 'The balance of this organization is empty.';
      const [owner, member, paid] = [draw(true), draw(true, 'member'), draw(false)];
      for (const markup of [owner, member, paid]) expect(markup).toMatch(new RegExp(`>${button}(</span>)?</button>`));
      for (const markup of [owner, member]) expect(markup).toContain(told);
      expect(owner).toMatch(/href="\/org\/o1\/billing\/overview\/"[^>]*>Add to the balance</);
      expect(member).toContain('Ask an owner, an admin or whoever handles billing to add to it.');
      expect(member).not.toContain('/billing/');
      expect(paid).not.toContain(told);
      // What the button waits for.
      expect(
        [owner, paid].map(
          (markup) => /aria-describedby="[^"]*\bbalance-hint"/.test(markup) && markup.includes(' id="balance-hint"'),
        ),
      ).toEqual([true, false]);
    },
  );
});

it('UXP-43: the menu of the account has the theme in a drawer only; the keys also visit hidden items', () => {
  const drawnWith = (tag: string) => {
    const actor = (context: object, open = '') => still({ context, hasTag: (asked: string) => asked === open });
    const preferences = actor({ theme: 'system' }, tag);
    const workspace = still({ context: { ...ann, selection: PLACE } });
    const children = { preferences, switcher: actor({}, 'accountOpen'), workspace, session: still({}) };
    return drawn(
      <RouterContextProvider router={createConsoleRouter({} as never, createMemoryHistory())}>
        <RootContext.Provider value={still({ context: { route: { screen: 'home' } }, children })}>
          <SidebarFooter />
        </RootContext.Provider>
      </RouterContextProvider>,
    );
  };
  const itemsOf = (markup: string) => markup.match(/role="menuitem(radio)?"/g)?.length;
  expect([itemsOf(drawnWith('')), itemsOf(drawnWith('drawerOpen'))]).toEqual([2, 5]);
});

describe('the groups of the navigation', () => {
  it('SHL-08: are each open or closed by themselves, as is kept of their links', () => {
    const kept: unknown[] = [];
    const preferencesStore = fromCallback(({ receive }) => receive((event) => void kept.push(event)));
    const preferences = begun(createActor(preferencesMachine.provide({ actors: { preferencesStore } as never })));
    const draw = () => {
      const markup = drawn(
        <RootContext.Provider value={still({ children: { preferences } })}>
          {['/a/', '/b/'].map((link) => (
            <NavGroup key={link} link={link} label={link} icon={null} startsOpen>
              <li />
            </NavGroup>
          ))}
        </RootContext.Provider>,
      );
      return [...markup.matchAll(/aria-expanded="(.*?)" aria-controls="group-(.*?)"/g)].map(
        ([, isOpen, link]) => `${link} ${isOpen}`,
      );
    };
    expect(draw()).toEqual(['/a/ true', '/b/ true']);
    preferences.send({ type: 'navGroup.toggled', link: '/a/', open: false });
    expect(draw()).toEqual(['/a/ false', '/b/ true']);
    preferences.send({ type: 'navGroup.toggled', link: '/b/', open: true });
    expect(kept.at(-1)).toMatchObject({ preferences: { navGroups: { '/a/': false, '/b/': true } } });
  });
});

describe('fields', () => {
  it('CON-04: what a field is told with comes before its hint', () => {
    const told = { refusal: null, refusals: 0, advice: null, detached: null };
    const context = { values: { email: '' }, errors: {}, changedElsewhere: {}, ...told };
    const actor = still({ context, hasTag: () => false });
    const markup = drawn(
      <FormField
        actor={actor}
        field="email"
        id="email"
        label="E-mail"
        hint="As you signed up."
        describedBy="signOutReason"
      />,
    );
    expect(markup).toContain('aria-describedby="signOutReason email-hint"');
  });

  it('LIV-17: the context field says what the server reads, and when what is typed is not JSON', () => {
    const markup = (value: string) => drawn(<ContextField id="context" model={RT} value={value} onChange={() => {}} />);
    expect(markup('{"terms": []}')).toContain('JSON with general, text, terms and translation_terms.');
    expect(markup('{"terms": []}')).not.toContain('not valid JSON');
    expect(markup('{"terms": ')).toContain('This is not valid JSON yet.');
  });
});

describe('PRF-03: the figures of a chart as a table', () => {
  const steps = Array.from({ length: 744 }, (_, hour) => ({
    name: `Hour ${hour}`,
    cells: [`${hour} requests`, '1 s'],
  }));
  const folded = (isOpen: boolean) =>
    drawn(
      <FoldedTable isOpen={isOpen} onToggle={() => undefined}>
        <FiguresTable label="Requests by hour" heads={['Time', 'Requests', 'Audio']} rows={steps} />
      </FoldedTable>,
    );

  it('has each step in its row, in their order', () => {
    const rows = [...folded(true).matchAll(/<tr><th scope="row">(.*?)<\/th><td>(.*?)<\/td><td>(.*?)<\/td><\/tr>/g)];
    expect(rows.map(([, name, ...cells]) => ({ name, cells }))).toEqual(steps);
  });

  it('is not made before it is opened', () => {
    expect(folded(false)).not.toContain('<table');
  });
});

const drawnRow = (row: ReactNode) =>
  drawn(
    <CardTable aria-label="Rows" titles={[]}>
      {row}
    </CardTable>,
  );

it.each([
  ['organization', { used: 10, value: 10, maximum: 20 }, true, 'Raise the limit to continue.'],
  ['organization', { used: 20, value: 20, maximum: 20 }, true, 'Request an increase to continue.'],
  ['project', { used: 20, value: 20, maximum: 20 }, true, 'Raise the organization&#x27;s limit to continue.'],
  ['project', { used: 5, value: 10, maximum: 20 }, true, 'Raise the organization&#x27;s limit to continue.'],
  ['project', { used: 10, value: 10, maximum: 20 }, true, 'Raise the limit to continue.'],
  ['project', { used: 7, reserved: 3, value: 10, maximum: 20 }, true, 'Raise the limit to continue.'],
  ['project', { used: 10, value: 10, maximum: 20 }, false, 'An owner or admin can raise the limit.'],
] as const)(
  'ORG-07 PRJ-07: a limit of the %s that is reached says what helps: %o, %s',
  (what, of, isManageable, helps) => {
    const limit = limitOf('waiting_jobs', { ...of, is_reached: true });
    const actor = still({ context: { what, limits: [limit], increases: [] }, can: () => false });
    expect(drawnRow(<LimitRow {...{ actor, limit, isManageable }} />)).toContain(helps);
  },
);

it('UXP-95: a row of limits tells the limit once', () => {
  const limit = limitOf('waiting_jobs', { value: 200, used: 0, maximum: 200 });
  const actor = still({ context: { what: 'project', limits: [limit], increases: [] }, can: () => false });
  const markup = drawnRow(<LimitRow {...{ actor, limit, isManageable: true }} />);
  expect(markup).toMatch(/200 transcriptions.*0 waiting.*data-title="Set by"[^>]*><p[^>]*>The organization</s);
  // What is said of the meter is for screen readers.
  expect(markup.replaceAll(/aria-\w+="[^"]*"/g, '').match(/200/g)).toHaveLength(1);
});

it('UXP-96: a head that sorts has a button, and says which way its column is sorted', () => {
  const markup = drawn(
    <CardTable
      aria-label="Rows"
      titles={['Name', 'Cost']}
      sorted={{ title: 'Cost', how: 'descending' }}
      onSort={() => undefined}
    >
      {null}
    </CardTable>,
  );
  const heads = [...markup.matchAll(/<th[^>]*><span>(\w+)<\/span><button type="button" aria-label="([\w ]+)"/g)];
  expect(heads.map(([, ...texts]) => texts)).toEqual([
    ['Name', 'Sort by Name'],
    ['Cost', 'Sort by Cost'],
  ]);
  expect(markup.match(/aria-sort="\w+"/g)).toEqual(['aria-sort="descending"']);
  const figures = drawn(
    <FiguresTable
      label="Rows"
      heads={['Time', 'Requests']}
      rows={[]}
      order={{ column: 1, direction: 'ascending' }}
      onSort={() => undefined}
    />,
  );
  expect(figures).toMatch(/<th scope="col"><span>Time<\/span><button[^>]*aria-label="Sort by Time"/);
  expect(figures).toMatch(
    /<th scope="col" aria-sort="ascending"><span>Requests<\/span><button[^>]*aria-label="Sort by Requests"/,
  );
});

it('UXP-97: the columns of names and values do not follow what is in them, so that lists below each other align', () => {
  const columnsOf = (name: string) => {
    const list = <FactList label="Facts" facts={[[name, 'value']]} />;
    const markup = renderToStaticMarkup(<ChakraProvider value={consoleSystem}>{list}</ChakraProvider>);
    return /grid-template-columns:([^;}]*)/.exec(markup)?.[1];
  };
  expect(columnsOf('a')).toMatch(/%/);
  expect(columnsOf('a')).not.toMatch(/auto|content/);
});

it('PRJ-04 UXP-60: the cards of activity add up: those of each kind are the requests, which are announced', () => {
  const series = (service: 'async' | 'real_time', requests: number[]) => ({
    service,
    model: service,
    requests,
    audio_ms: requests.map(() => 0),
  });
  const figures = {
    start_date: '2026-11-01',
    end_date: '2026-11-02',
    period: 'daily' as const,
    buckets: ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'],
    series: [series('async', [1, 2]), series('real_time', [4, 0])],
    totals: { requests: 7, audio_ms: 0 },
  };
  expect(totalsOf({ chart: 'activity', figures })).toEqual([
    ['Requests', '7'],
    ['Audio', '0 s'],
    ['Async requests', '3'],
    ['Live requests', '4'],
  ]);
  const told = (tag: string) =>
    shownText({ context: { usage: { chart: 'activity', figures } }, hasTag: (one: string) => one === tag } as never);
  expect(['loading', 'charted', 'empty'].map(told)).toEqual(['', 'Requests: 7', 'Nothing was used.']);
});
