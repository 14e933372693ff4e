import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { installedPairs } from '#server/engine/translation/modes.ts';
import { APERTIUM_HOME } from '#server/platform/environment.ts';
import { findApertium, type ApertiumOptions, type Translator } from '#server/engine/translation/translator.ts';
import { fakeApertium, type FakeApertium } from './fake-apertium.ts';

const EN_ES = { from: 'en', to: 'es' };
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A program that has ended but was not yet collected is gone as well.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

let fake: FakeApertium | undefined;
let translator: Translator | undefined;
const start = (
  options: Partial<ApertiumOptions> = {},
  modes: Parameters<typeof fakeApertium>[0] = { 'eng-spa': undefined },
): FakeApertium & Translator => {
  fake = fakeApertium(modes);
  translator = findApertium({ home: fake.home, path: fake.path, ...options });
  if (translator === undefined) throw new Error('nothing found');
  return { ...fake, ...translator };
};
afterEach(async () => {
  await translator?.close();
  fake?.remove();
  [fake, translator] = [undefined, undefined];
});

describe('pairs', () => {
  it('are those whose programs and data are there, by their two-letter names', () => {
    const installed = start(
      {},
      {
        'eng-spa': undefined,
        'spa-eng_US': undefined,
        'en-gl': "lt-proc '/etc/hostname'",
        'eng-hbs': undefined,
        'eng-cat': "lt-proc '/nowhere/eng-cat.bin'",
        'eng-fra': 'lt-proc | apertium-absent',
        'eng-por': 'lt-proc | sed s/a/b/',
        'eng-ita': 'lt-proc; touch /tmp/owned',
        'eng-oci': 'lt-proc $(touch /tmp/owned)',
        'en-eng': undefined,
      },
    );
    expect(installed.pairs()).toEqual([{ from: 'en', to: 'gl' }, EN_ES]);
  });

  it('are none without Apertium', () => {
    expect(installedPairs('/nowhere', '/usr/bin')).toEqual([]);
    expect(findApertium({ home: '/nowhere', path: '/usr/bin' })).toBeUndefined();
  });

  it.each<[string, (modes: string) => void]>([
    ['ENOTDIR', (modes) => writeFileSync(modes, 'no folder')],
    // For `existsSync`, what cannot be reached does not exist. A loop cannot be reached, not even by root.
    ['ELOOP', (modes) => symlinkSync('modes', modes)],
  ])('are none where Apertium cannot be read (%s), and the log says why', (code, spoil) => {
    fake = fakeApertium({});
    rmSync(join(fake.home, 'modes'), { recursive: true });
    spoil(join(fake.home, 'modes'));
    const warn = vi.fn();
    expect(findApertium({ home: fake.home, path: fake.path, log: { warn } })).toBeUndefined();
    expect(warn.mock.calls).toEqual([[{ err: expect.objectContaining({ code }) }, expect.any(String)]]);
  });
});

describe('a running translator', () => {
  it('is one process per pair, answers in order, and keeps every character', async () => {
    const { translate, started } = start();
    const texts = [
      'one.',
      String.raw`a\b ^c$ [d] {e} <f>@ /g/`,
      'two\0three\nfour',
      'ñandú — “x”…',
      '50% of $5 & more',
    ];
    expect(await Promise.all(texts.map((text) => translate(text, EN_ES)))).toEqual([
      'ONE.',
      String.raw`A\B ^C$ [D] {E} <F>@ /G/`,
      'TWO THREE FOUR',
      'ÑANDÚ — “X”…',
      '50% OF $5 & MORE',
    ]);
    expect(started()).toHaveLength(2);
  });

  it("gets nothing of this process' environment", async () => {
    vi.stubEnv('SECRET_KEY', 'k'.repeat(32));
    const { translate, home } = start();
    await translate('hello', EN_ES);
    vi.unstubAllEnvs();
    expect(readFileSync(join(home, 'environment'), 'utf8')).not.toContain('kkk');
  });

  it('is started again after a crash, and translates what it had', async () => {
    const warn = vi.fn();
    const { translate } = start({ log: { warn } });
    expect(await Promise.all(['before', 'crash once', 'after'].map((text) => translate(text, EN_ES)))).toEqual([
      'BEFORE',
      'CRASH ONCE',
      'AFTER',
    ]);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toMatchObject({ from: 'en', to: 'es' });
  });

  it('gives up a text that crashes it twice, and goes on', async () => {
    const { translate } = start();
    const [bad, good] = await Promise.allSettled([translate('crash always', EN_ES), translate('after', EN_ES)]);
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'worker_crashed' } });
    expect(good).toEqual({ status: 'fulfilled', value: 'AFTER' });
  });

  it('is killed when it does not answer in time, and goes on', async () => {
    const { translate, started } = start({ timeoutMs: 2000 });
    const [bad, good] = await Promise.allSettled([translate('hang', EN_ES), translate('after', EN_ES)]);
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'worker_crashed' } });
    expect(good).toEqual({ status: 'fulfilled', value: 'AFTER' });
    await vi.waitFor(() => expect(started().filter(alive)).toHaveLength(2), { timeout: 5000 });
  });

  it.each(['babble', 'misplace'])('is believed only what answers the question: %s', async (text) => {
    const { translate } = start();
    const [bad, good] = await Promise.allSettled([translate(text, EN_ES), translate('next', EN_ES)]);
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'worker_crashed' } });
    expect(good).toEqual({ status: 'fulfilled', value: 'NEXT' });
  });

  it('takes no more than its queue holds', async () => {
    const { translate } = start({ queueMax: 2 });
    const all = await Promise.allSettled(['a', 'b', 'c', 'd'].map((text) => translate(text, EN_ES)));
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(all[3]).toMatchObject({ reason: { code: 'overloaded' } });
  });

  it('ends with the server, whatever it was at', async () => {
    const own = start();
    await own.translate('warm', EN_ES);
    const waiting = own.translate('hang', EN_ES);
    const [ended] = await Promise.allSettled([waiting, own.close()]);
    expect(ended).toMatchObject({ status: 'rejected', reason: { code: 'aborted' } });
    await vi.waitFor(() => expect(own.started().filter(alive)).toEqual([]), { timeout: 5000 });
    await expect(own.translate('late', EN_ES)).rejects.toMatchObject({ code: 'aborted' });
  });

  it('keeps the translations of terms that the client gave', async () => {
    const { translate } = start();
    const terms = [
      { source: 'mri', target: 'RM' },
      { source: 'mri scan', target: 'resonancia magnética' },
      { source: ' ', target: 'x' },
    ];
    expect(await translate('the MRI scan, an mri and a mris', EN_ES, terms)).toBe(
      'THE resonancia magnética, AN RM AND A MRIS',
    );
  });

  it('drops the terms rather than a part of the sentence', async () => {
    const { translate } = start();
    expect(await translate('forget the mri', EN_ES, [{ source: 'mri', target: 'RM' }])).toBe('forget the mri');
  });
});

for (const home of [APERTIUM_HOME].filter((folder) => existsSync(join(folder, 'modes/eng-spa.mode')))) {
  it('the real one translates English to Spanish, with terms', async () => {
    const real = findApertium({ home, path: process.env['PATH'] ?? '' });
    if (real === undefined) throw new Error('not found');
    try {
      expect(real.pairs()).toEqual(expect.arrayContaining([EN_ES, { from: 'es', to: 'en' }]));
      expect(await real.translate('She opened the window because the room was very warm after lunch.', EN_ES)).toMatch(
        /^Abrió la ventana porque .* comida\.$/,
      );
      expect(await real.translate('The price is $5 [approximately] <tag> and/or 50%.', EN_ES)).toMatch(
        /^El precio es \$5 \[.*\] <.*> y\/o 50%\.$/,
      );
      expect(
        await real.translate('Good morning, thank you for calling customer support.', EN_ES, [
          { source: 'customer support', target: 'atención al cliente' },
        ]),
      ).toMatch(/^Buenos días, gracias .* atención al cliente\.$/);
    } finally {
      await real.close();
    }
  });
}
