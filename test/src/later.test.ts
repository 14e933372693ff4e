import { expect, it } from 'vitest';
import { later } from '#src/behaviours/later.ts';

/** A page whose server answers or not, look by look, and code that comes or not, try by try. */
function around(script: { answers?: boolean[]; loads: boolean[] }) {
  const log: string[] = [];
  const [answers, loads] = [[...(script.answers ?? [])], [...script.loads]];
  const loaded = later(
    async () => {
      log.push('load');
      if (loads.shift() !== true) throw new TypeError('Failed to fetch dynamically imported module');
      return 'code';
    },
    {
      atRest: async () => void log.push('at rest'),
      answers: async () => {
        log.push('look');
        return answers.shift() === true;
      },
      pause: async (ms) => void log.push(`${ms} ms`),
    },
  );
  return { log, loaded };
}

it('PRF-01: what the first screen does without is fetched after it', async () => {
  const { log, loaded } = around({ loads: [true] });
  expect(await loaded).toBe('code');
  expect(log).toEqual(['at rest', 'load']);
});

it('PRF-01 SES-08: where the server has gone away meanwhile, it is fetched once that is back', async () => {
  const { log, loaded } = around({ loads: [false, true], answers: [false, false, true] });
  expect(await loaded).toBe('code');
  expect(log).toEqual(['at rest', 'load', 'look', '2000 ms', 'look', '2000 ms', 'look', 'load']);
});

it('SHL-11: what a server that answers does not have is a failure', async () => {
  const { log, loaded } = around({ loads: [false, false], answers: [true] });
  await expect(loaded).rejects.toThrow('Failed to fetch');
  expect(log).toEqual(['at rest', 'load', 'look', 'load']);
});
