import { describe, expect, it } from 'vitest';
import { toFailure } from '#machines/shared/failure.ts';
import { stripMarkup } from '#machines/shared/markup.ts';
import { errorMessage } from '#src/effects/http/errorMessage.ts';
import { FALLBACK, SUPPORT_EMAIL } from '../../apis.ts';

const message = (error: unknown) => errorMessage(error, SUPPORT_EMAIL);

describe('the shared message helper', () => {
  it.each<[string, unknown, string]>([
    ['none given', undefined, 'no error provided'],
    ['null', null, 'no error provided'],
    [
      'validation errors, a line each',
      { data: { validation_errors: [{ message: 'One.' }, { message: 'Two.' }], message: 'Later.' } },
      'One.\nTwo.',
    ],
    ['an empty list of validation errors does not apply', { data: { validation_errors: [], message: 'Now.' } }, 'Now.'],
    ["the data's message before the own one", { data: { message: 'Data.' }, message: 'Own.' }, 'Data.'],
    ['the own message before the elements', { message: 'Own.', data: [{ message: 'Element.' }] }, 'Own.'],
    [
      "the first element's non_field_errors",
      { data: [{ non_field_errors: ['First.', 'Second.'], message: 'Not me.' }] },
      'First.',
    ],
    ["the first element's message", { data: [{ message: 'Element.' }] }, 'Element.'],
    ['the first element itself', { data: ['Itself.', 'Other.'] }, 'Itself.'],
    [
      'non_field_errors before other values',
      { data: { email: ['E-mail.'], non_field_errors: ['General.'] } },
      'General.',
    ],
    ['the first value of an object', { data: { email: ['Enter an e-mail.'], name: 'Name.' } }, 'Enter an e-mail.'],
    ['the first value as a text', { data: { detail: 'Not found.' } }, 'Not found.'],
    ['a string error', { status: 500, error: 'Broken.' }, 'Broken.'],
    ['a thrown error', new Error('Thrown.'), 'Thrown.'],
    ['nothing that applies', { status: 500 }, FALLBACK],
    ['an empty body', { data: undefined }, FALLBACK],
    ['a number', 7, FALLBACK],
  ])('ERR-01: %s', (_, error, expected) => {
    expect(message(error)).toBe(expected);
  });

  it('ERR-01: falls back where reading the error itself fails', () => {
    const get = () => {
      throw new Error('no');
    };
    expect(message(new Proxy({}, { get }))).toBe(FALLBACK);
  });

  it('ERR-01, ERR-06: takes markup out of server text and keeps the text', () => {
    expect(message({ data: { message: '<p>Not <b>allowed</b>.</p><p>Ask.</p>' } })).toBe('Not allowed.\nAsk.');
    expect(message({ data: { message: '<script>steal()</script>' } })).toBe(FALLBACK);
    expect(stripMarkup('<<b>img src=x onerror=alert(1)>')).toBe('');
    expect(stripMarkup('2 < 3 and 5 > 4')).toBe('2 < 3 and 5 > 4');
  });

  it('ERR-07: says "Something went wrong." where nothing better is known', () => {
    expect(toFailure(undefined)).toEqual({ message: 'Something went wrong.', kind: 'OTHER' });
    expect(toFailure(new Error(''))).toEqual({ message: 'Something went wrong.', kind: 'OTHER' });
  });
});
