import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import { directionOf, Interleaver } from '#server/engine/translation/interleave.ts';

const PAIRS = [
  { from: 'en', to: 'es' },
  { from: 'es', to: 'en' },
];

/** Speech of any kind: words and their parts, punctuation, pauses, speakers, languages known and unknown, markers. */
const speech = fc
  .array(
    fc.record({
      text: fc.constantFrom(' word', 'part', ' Mr.', '.', '?', '!”', ' 3', ' I.', '<end>', '<fin>'),
      pause: fc.constantFrom(0, 0, 0, 400, 2000),
      speaker: fc.constantFrom(undefined, '1', '2'),
      language: fc.constantFrom('en', 'en', 'es', 'fr', undefined),
    }),
    { maxLength: 40 },
  )
  .map((words) => {
    let at = 0;
    return words.map(({ text, pause, speaker, language }): TranscriptToken => {
      at += pause + 100;
      return {
        text,
        start_ms: at - 100,
        end_ms: at,
        confidence: 0.5,
        ...(speaker && { speaker }),
        ...(language && { language }),
      };
    });
  });
const direction = fc.constantFrom(
  directionOf({ type: 'one_way', target_language: 'es' }, PAIRS),
  directionOf({ type: 'two_way', language_a: 'en', language_b: 'es' }, PAIRS),
);
const isTranslation = ({ translation_status }: TranscriptToken): boolean => translation_status === 'translation';
const squeezed = (tokens: readonly TranscriptToken[]): string =>
  tokens
    .map(({ text }) => text)
    .join('')
    .replace(/\s/g, '');

it('loses, repeats and reorders nothing, and every translation follows directly what it translates', async () => {
  await fc.assert(
    fc.asyncProperty(
      speech,
      direction,
      fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 10 }),
      async (tokens, toward, sizes) => {
        const interleaver = new Interleaver(toward, (text) => Promise.resolve(text));
        const told: TranscriptToken[] = [];
        for (let at = 0, turn = 0; at < tokens.length; turn += 1) {
          const size = sizes[turn % sizes.length]!;
          told.push(...(await interleaver.push(tokens.slice(at, at + size), tokens[at + size])));
          at += size;
        }
        told.push(...(await interleaver.flush()));

        expect(told.filter((token) => !isTranslation(token)).map(({ text }) => text)).toEqual(
          tokens.map(({ text }) => text),
        );
        // Translated into itself here: so each run of translations must repeat the originals before it, by the same speaker.
        let originals: TranscriptToken[] = [];
        for (const [index, token] of told.entries()) {
          if (token.translation_status === 'original') originals.push(token);
          if (!isTranslation(token) || told[index + 1]?.translation_status === 'translation') continue;
          const run = told.slice(told.findLastIndex((other, at) => at < index && !isTranslation(other)) + 1, index + 1);
          expect(squeezed(run)).toBe(squeezed(originals));
          expect(new Set([...run, ...originals].map(({ speaker }) => speaker)).size).toBe(1);
          expect(new Set(originals.map(({ language }) => language))).toEqual(new Set([token.source_language]));
          originals = [];
        }
        expect(originals).toEqual([]);
        expect(
          told.filter(({ text, translation_status }) => text.startsWith('<') && translation_status !== undefined),
        ).toEqual([]);
        expect(
          told.filter(
            ({ language, translation_status }) => translation_status === 'none' && toward(language) !== undefined,
          ),
        ).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});
