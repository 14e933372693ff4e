import { describe, expect, it } from 'vitest';
import { languageSearchMachine } from '#machines/playground/languageSearch/machine.ts';
import { foundText, languagesFor } from '#machines/playground/languageSearch/select.ts';
import { describeWalk } from './walk.ts';

const LANGUAGES = [
  { code: 'es', name: 'Español' },
  { code: 'en', name: 'English' },
  { code: 'en-gb', name: 'English (United Kingdom)' },
];

describe('ASY-17: the search among languages', () => {
  describeWalk(languageSearchMachine, {
    cases: {
      'query.changed': ['', 'en'].map((query) => ({ query, modelId: 'm1' })),
    },
    distinguish: ({ context }) => context.query,
    tags: { searching: ['searching'] },
    ignored: { 'There is nothing to clear': 'query.cleared in blank' },
    states: {
      blank: ({ context }) => expect(context.query).toBe(''),
      searching: ({ context }) => expect(context).toEqual({ query: 'en', modelId: 'm1' }),
    },
  });

  it.each([
    ['', ['es', 'en', 'en-gb']],
    ['  ESPANOL ', ['es']],
    ['kingdom eng', ['en-gb']],
    ['en', ['en', 'en-gb']],
    ['volapük', []],
  ])('ASY-17: finds by name and code, without case and diacritics: %j', (query, codes) => {
    expect(languagesFor(LANGUAGES, query).map(({ code }) => code)).toEqual(codes);
  });

  it('ASY-17: says how many are found', () => {
    expect([foundText(' ', 3, 3), foundText('en', 2, 3), foundText('x', 0, 3)]).toEqual([
      '',
      '2 of 3 languages.',
      'No such language.',
    ]);
  });
});
