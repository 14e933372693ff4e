/** Everything that a live socket can do wrong, in every state of a session, one after the other on one page. */
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

test('LIV-02 LIV-05 LIV-07 ERR-05: a socket that closes, well or not, in every state', async ({
  console: page,
  account,
}) => {
  const bench = await Bench.open(page, account);
  for (const code of [1000, 1011]) {
    for (const phase of PHASES) {
      const expected = code === 1000 ? null : { headline: `WebSocket closed with code ${code} (gone).` };
      await test.step(`${code} while ${phase}`, () =>
        bench.endure(phase, (service) => service.close({ code, reason: 'gone' }), expected));
    }
  }
});

test('ERR-05 ERR-06 LIV-07 CON-22: an error frame of the server is told in every state, with its text and its request; one that cannot be read, too', async ({
  console: page,
  account,
}) => {
  const bench = await Bench.open(page, account);
  for (const [index, phase] of PHASES.slice(1).entries()) {
    const requestId = `request-${index + 1}`;
    // A failure of the server tells its request; what the person can mend does not (CON-22).
    const error_code = phase === 'running' ? 429 : 503;
    const frame = {
      tokens: [],
      error_code,
      error_type: 'service_unavailable',
      error_message: 'Cannot continue request (code <b>11</b>). Please restart the request.',
      request_id: requestId,
    };
    await test.step(phase, () =>
      bench.endure(phase, (service) => service.refuse(frame), {
        headline:
          error_code === 503
            ? 'This request cannot be continued. Click Record button again to continue.'
            : 'Cannot continue request (code 11). Please restart the request.',
        ...(error_code === 503 && { requestId }),
      }),
    );
  }
  await test.step('a mistake in the context', () =>
    bench.endure(
      'running',
      (service) => service.refuse({ error_type: 'invalid_context_structure', error_message: 'No.' }),
      {
        headline: 'Context input must be valid JSON string.',
        detail: 'No.',
      },
    ));
  await expect(alertOf(page).getByRole('link')).toHaveAttribute('href', /^http/);
  for (const frame of ['<html>Bad gateway</html>', Buffer.from([0, 1, 2, 3])])
    await test.step(typeof frame, () =>
      bench.endure('running', (service) => service.send(frame), {
        headline: 'WebSocket error occurred.',
        detail: 'The server sent a message that cannot be read.',
      }),
    );
});
