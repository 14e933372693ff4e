/** Everything that a live socket can do wrong, in every state of a session, one after the other on one page. */
import type { LiveFailure } from '#contract/live.ts';
import { LimitReached } from '#server/money/limits/admission.ts';
import { refusal, type LiveRefusal } from '#server/speech-api/live/refusal.ts';
import { expect, stopClock } from '../fixtures.ts';
import { type DemoAccount } from '../account.ts';
import { expectMicrophoneReleased, openPlayground, patiently, test } from './faults.ts';
import { FakeService, holdLastSamples } from './fakeService.ts';
import { alertOf, expectStates, expectStopped, recordStates, transcript } from './live.ts';
import type { Page } from '@playwright/test';

test.use({ permissions: ['microphone'] });

type Phase = 'opening' | 'running' | 'finishingRecording' | 'finishingProcessing';
const PHASES: readonly Phase[] = ['opening', 'running', 'finishingRecording', 'finishingProcessing'];
const STATES: Record<Phase, string> = {
  opening: 'capturing:openingWebSocket:connecting',
  running: 'capturing:running',
  finishingRecording: 'capturing:finishingRecording',
  finishingProcessing: 'finishingProcessing',
};

/** What the user must read after a fault; null where the session ends well. */
type Expected = { headline: string; detail?: string; requestId?: string } | null;

/** One page for many sessions, each of which says one word more than the last. */
class Bench {
  readonly #page: Page;
  readonly #service: FakeService;
  #sessions = 0;
  #words: string[] = [];

  private constructor(page: Page, service: FakeService) {
    this.#page = page;
    this.#service = service;
  }

  static async open(page: Page, account: DemoAccount): Promise<Bench> {
    const service = await FakeService.stand(page);
    await page.addInitScript(holdLastSamples);
    // So high that no row of the transcript is out of sight, and out of the page.
    await page.setViewportSize({ width: 1280, height: 4000 });
    await page.clock.install();
    await openPlayground(page, account, 'real-time');
    // From here on no delay of the page runs out by itself: a state lasts until its fault.
    await stopClock(page);
    await recordStates(page);
    return new Bench(page, service);
  }

  /** Leads a session into a phase, lets the fault happen there, and checks everything that must hold afterwards. */
  async endure(phase: Phase, fault: (service: FakeService) => unknown, expected: Expected): Promise<void> {
    const page = this.#page;
    const run = page.getByRole('button', { name: /^(Run|Stop)$/ });
    this.#sessions += 1;
    this.#service.expectSession();
    if (phase === 'opening') {
      this.#service.onConnect = fault;
      await run.click();
    } else {
      await run.click();
      await this.#say();
      if (phase !== 'running') await run.click();
      if (phase === 'finishingRecording') await page.waitForFunction(() => window.lastSamples.held() === 1);
      if (phase === 'finishingProcessing') {
        await page.waitForFunction(() => window.lastSamples.letGo() === 1);
        await this.#service.ended();
      }
      await fault(this.#service);
    }
    await this.#isOver(phase, expected);
  }

  async #say(): Promise<void> {
    const word = `word${this.#sessions}.`;
    await this.#service.say([
      { text: ` ${word}`, start_ms: 0, end_ms: 300, is_final: true },
      { text: ' perhaps', start_ms: 300, end_ms: 600, is_final: false },
    ]);
    this.#words.push(word);
    await patiently(transcript(this.#page)).toContainText(word);
  }

  async #isOver(phase: Phase, expected: Expected): Promise<void> {
    const alert = alertOf(this.#page);
    if (expected) {
      await patiently(alert).toContainText(expected.headline);
      if (expected.detail) await expect(alert).toContainText(expected.detail);
      await (expected.requestId
        ? expect(alert).toContainText(`Request ${expected.requestId}`)
        : expect(alert).not.toContainText('Request request-'));
    }
    await expectStopped(this.#page);
    await expect(alert).toHaveCount(expected ? 1 : 0);
    await expectStates(this.#page, STATES[phase], expected ? 'error' : 'finished');
    await expectMicrophoneReleased(this.#page, this.#sessions);
    for (const word of this.#words) await expect(transcript(this.#page)).toContainText(word);
    await this.#page.evaluate(() => window.lastSamples.forget());
  }
}

test('LIV-02 LIV-05 LIV-07 ERR-05: a socket that closes, with every code in every state', async ({
  console: page,
  account,
}) => {
  const bench = await Bench.open(page, account);
  for (const code of [1000, 1006, 1011, 4000]) {
    for (const phase of PHASES) {
      const reason = code === 4000 ? '' : 'gone';
      const expected =
        code === 1000 ? null : { headline: `WebSocket closed with code ${code}${reason && ` (${reason})`}.` };
      await test.step(`${code} while ${phase}`, () =>
        bench.endure(phase, (service) => service.close({ code, reason }), expected));
    }
  }
});

const UNAVAILABLE = 'This request cannot be processed at this time. Please try again later.';
const AGAIN = 'This request cannot be continued. Click Record button again to continue.';
const TOO_LONG = 'Maximum audio duration exceeded. Click Reset button.';
const TOO_MANY = 'Too many concurrent streaming transcription requests from this user.';
/** The text of the server stands alone. */
const OWN = null;

/** Every refusal that the server has, and the headline that it must get. */
const REFUSALS: Record<keyof typeof refusal, readonly [LiveRefusal, string | null]> = {
  invalid: [refusal.invalid('Invalid audio data format: <b>avi</b>'), 'Invalid audio data format: avi'],
  unknownModel: [refusal.unknownModel(), OWN],
  audioTooLong: [refusal.audioTooLong(), TOO_LONG],
  tooMuchAudio: [refusal.tooMuchAudio(), TOO_LONG],
  missingKey: [refusal.missingKey(), OWN],
  invalidKey: [refusal.invalidKey(), OWN],
  invalidTemporaryKey: [refusal.invalidTemporaryKey(), OWN],
  projectDeleted: [refusal.projectDeleted(), OWN],
  balanceExhausted: [refusal.balanceExhausted(), OWN],
  keySessionOver: [refusal.keySessionOver(), OWN],
  startTimeout: [refusal.startTimeout(), OWN],
  noFirstAudio: [refusal.noFirstAudio(), OWN],
  idle: [refusal.idle(), OWN],
  inputTooSlow: [refusal.inputTooSlow(), OWN],
  decodeTimeout: [refusal.decodeTimeout(), OWN],
  slowReader: [refusal.slowReader(), OWN],
  tooLong: [refusal.tooLong(), TOO_LONG],
  tooManyWrongKeys: [refusal.tooManyWrongKeys('Too many attempts. Please wait a moment and try again.'), OWN],
  limitReached: [refusal.limitReached(new LimitReached('concurrent_streams', 'project', 10)), TOO_MANY],
  failed: [refusal.failed(new Error('unseen')), OWN],
  overloaded: [refusal.overloaded(), UNAVAILABLE],
  databaseAway: [refusal.databaseAway(new Error('unseen')), UNAVAILABLE],
  unavailable: [refusal.unavailable(), UNAVAILABLE],
  cannotContinue: [refusal.cannotContinue(11), AGAIN],
};

test('ERR-05 ERR-06 LIV-07 CON-22: every error frame of the server is told, with its text and its request', async ({
  console: page,
  account,
}) => {
  const bench = await Bench.open(page, account);
  let count = 0;
  for (const [name, [{ code, type, message, limit }, headline]] of Object.entries(REFUSALS)) {
    const requestId = `request-${(count += 1)}`;
    const frame: LiveFailure = {
      tokens: [],
      error_code: code,
      error_type: type,
      error_message: message,
      request_id: requestId,
      limit,
    };
    // Of the states of a session each gets its share of them.
    const phase = PHASES[1 + (count % 3)] ?? 'running';
    const expected = {
      headline: headline ?? message,
      ...(headline && !message.includes('<') ? { detail: message } : {}),
      ...(code < 500 ? {} : { requestId }),
    };
    await test.step(`${name} while ${phase}`, () => bench.endure(phase, (service) => service.refuse(frame), expected));
  }
});

const CATALOGUE: readonly (readonly [string, string])[] = [
  ['too_many_websocket_connections', UNAVAILABLE],
  ['cannot_handle_request', UNAVAILABLE],
  ['cannot_continue_request', AGAIN],
  ['too_many_concurrent_requests', TOO_MANY],
  ['max_audio_duration_exceeded', TOO_LONG],
  ['invalid_context_structure', 'Context input must be valid JSON string.'],
  ['websocket_error', 'WebSocket error occurred.'],
  ['unknown_to_everybody', 'Some reason.'],
];

const UNREADABLE: readonly (readonly [string, string | Buffer])[] = [
  ['no JSON', '<html>Bad gateway</html>'],
  ['nothing', ''],
  ['null', 'null'],
  ['a list', '[]'],
  ['an empty object', '{}'],
  ['a code without a text', '{"error_code":500}'],
  ['tokens that are none', '{"tokens":"word"}'],
  ['a token without its text', '{"tokens":[{"is_final":true}]}'],
  ['binary', Buffer.from([0, 1, 2, 3])],
];

test('ERR-05: the codes of the catalogue decide by themselves, and what cannot be read is an error of the socket', async ({
  console: page,
  account,
}) => {
  const bench = await Bench.open(page, account);
  for (const [error_type, headline] of CATALOGUE) {
    await test.step(error_type, () =>
      bench.endure('running', (service) => service.refuse({ error_type, error_message: 'Some reason.' }), {
        headline,
        detail: 'Some reason.',
      }),
    );
    if (error_type === 'invalid_context_structure')
      await expect(alertOf(page).getByRole('link')).toHaveAttribute('href', /^http/);
  }
  for (const [name, frame] of UNREADABLE) {
    await test.step(name, () =>
      bench.endure('running', (service) => service.send(frame), {
        headline: 'WebSocket error occurred.',
        detail: 'The server sent a message that cannot be read.',
      }),
    );
  }
});
