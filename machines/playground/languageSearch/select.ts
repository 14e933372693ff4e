// What a search among the languages of a model finds.
import type { Language } from '#contract/models.ts';

/** More languages than this are searched rather than looked through. */
export const SEARCHED_FROM = 13;

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();

/** Those whose name or code holds each word of the query, whatever its case and diacritics; all for an empty one. */
export function languagesFor(languages: readonly Language[], query: string): readonly Language[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  return languages.filter(({ name, code }) => words.every((word) => plain(`${name} ${code}`).includes(word)));
}

/** What a search has come to, as a sentence; empty while nothing is searched for. */
export function foundText(query: string, found: number, all: number): string {
  if (query.trim() === '') return '';
  return found === 0 ? 'No such language.' : `${found} of ${all} languages.`;
}
