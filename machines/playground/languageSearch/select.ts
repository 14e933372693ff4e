import type { Language } from '#contract/models.ts';

/** From this number of languages on, the list has a search field. */
export const SEARCHED_FROM = 13;

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();

/** Languages whose name or code contains every word of the query, ignoring case and diacritics. */
export function languagesFor(languages: readonly Language[], query: string): readonly Language[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  return languages.filter(({ name, code }) => words.every((word) => plain(`${name} ${code}`).includes(word)));
}

/** The result of a search as a sentence; empty without a query. */
export function foundText(query: string, found: number, all: number): string {
  if (query.trim() === '') return '';
  return found === 0 ? 'No such language.' : `${found} of ${all} languages.`;
}
