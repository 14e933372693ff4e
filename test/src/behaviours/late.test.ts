import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLateCode } from '#src/behaviours/late.ts';

const unfetched = (file = 'a') =>
  new TypeError(`Failed to fetch dynamically imported module: http://console/assets/${file}.js`);

/** A page whose network and server are as the test says. */
function page() {
  const state = { isOnline: true, gone: [] as string[], asked: [] as string[], missed: 0 };
  const late = createLateCode({
    isOnline: () => state.isOnline,
    isGone: async (urls) => {
      state.asked.push(...urls);
      return urls.some((url) => state.gone.includes(url));
    },
    entry: () => ['http://console/assets/index.js'],
  });
  onTestFinished(late.listen(() => void (state.missed += 1)));
  return { state, late };
}

/** Code that can't be had the first times. */
function failing(times: number, error: Error = unfetched()) {
  let tries = 0;
  return {
    load: async () => {
      tries += 1;
      if (tries <= times) throw error;
      return 'code';
    },
    tries: () => tries,
  };
}

describe('ERR-09: code that comes late', () => {
  it('is there, and nobody hears of it', async () => {
    const { late, state } = page();
    expect(await late.fetch(failing(0).load)).toBe('code');
    expect(state.missed).toBe(0);
    expect(await late.fetchMissing()).toBe('whole');
  });

  it('that can’t be had is waited for, and is told of', async () => {
    const { late, state } = page();
    const part = failing(2);
    const coming = late.fetch(part.load);
    await expect.poll(() => state.missed).toBe(1);
    expect(await late.fetchMissing()).toBe('missing');
    expect(await late.fetchMissing()).toBe('whole');
    expect(await coming).toBe('code');
    expect(part.tries()).toBe(3);
  });

  it('is not asked for while the browser is offline', async () => {
    const { late, state } = page();
    state.isOnline = false;
    const part = failing(0);
    const coming = late.fetch(part.load);
    expect(await late.fetchMissing()).toBe('missing');
    expect([part.tries(), state.missed, state.asked]).toEqual([0, 1, []]);
    state.isOnline = true;
    expect(await late.fetchMissing()).toBe('whole');
    expect(await coming).toBe('code');
  });

  it('does not hold up other code, and what comes late hears of what is missing', async () => {
    const { late } = page();
    void late.fetch(failing(Infinity).load);
    const other = late.fetch(failing(1, unfetched('b')).load);
    await expect.poll(async () => late.fetchMissing()).toBe('missing');
    expect(await other).toBe('code');
    let missed = 0;
    onTestFinished(late.listen(() => void (missed += 1)));
    expect(missed).toBe(1);
  });

  it('that nobody can wait for fails at once, and is fetched for the next time', async () => {
    const { late, state } = page();
    const part = failing(1);
    await expect(late.fetchNow(part.load)).rejects.toThrow('Failed to fetch');
    expect(state.missed).toBe(1);
    expect(await late.fetchMissing()).toBe('whole');
    expect(part.tries()).toBe(2);
  });

  it('that nobody waits for may fail as it runs: whoever asks next is told', async () => {
    const { late } = page();
    let error = unfetched() as Error;
    const load = async () => Promise.reject(error);
    await expect(late.fetchNow(load)).rejects.toThrow('Failed to fetch');
    const unheard = vi.fn();
    process.on('unhandledRejection', unheard);
    onTestFinished(() => void process.off('unhandledRejection', unheard));
    error = new Error('A defect.');
    expect(await late.fetchMissing()).toBe('whole');
    await new Promise(setImmediate);
    expect(unheard).not.toHaveBeenCalled();
    await expect(late.fetchNow(load)).rejects.toThrow('A defect.');
  });

  it('SHL-11: that fails as it runs fails for who asked, also at a later try', async () => {
    const { late, state } = page();
    const defect = new Error('A defect.');
    await expect(late.fetch(failing(1, defect).load)).rejects.toBe(defect);
    expect(state.missed).toBe(0);
    let error = unfetched() as Error;
    const coming = late.fetch(async () => Promise.reject(error));
    await expect.poll(() => state.missed).toBe(1);
    error = defect;
    expect(await late.fetchMissing()).toBe('whole');
    await expect(coming).rejects.toBe(defect);
  });
});

/** A page that has heard that code is missing. */
async function missing(error?: Error) {
  const { late, state } = page();
  void late.fetch(failing(Infinity, error).load);
  await expect.poll(() => state.missed).toBe(1);
  return { late, state };
}

describe('ERR-10: code of a version that the server does not have any more', () => {
  it.each(['http://console/assets/a.js', 'http://console/assets/index.js'])('is known by %s', async (url) => {
    const { late, state } = await missing();
    expect(await late.fetchMissing()).toBe('missing');
    state.gone = [url];
    expect(await late.fetchMissing()).toBe('outdated');
  });

  it('is found out where the browser does not name the file', async () => {
    const { late, state } = await missing(new TypeError('Importing a module script failed.'));
    state.gone = ['http://console/assets/index.js'];
    expect(await late.fetchMissing()).toBe('outdated');
    expect(state.asked).toEqual(['http://console/assets/index.js']);
  });
});
