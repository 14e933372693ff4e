/** The client's translation of a word or phrase (`context.translation_terms`). */
export interface Term {
  source: string;
  target: string;
}

/**
 * Translates with fixed terms. Replaces each term by a made-up word, which the translator leaves unchanged, and puts
 * the term's translation in afterwards. If a made-up word does not come back exactly once, translates the text without
 * terms.
 */
export async function withTerms(
  text: string,
  terms: readonly Term[],
  translate: (text: string) => Promise<string>,
): Promise<string> {
  const wanted = terms
    .filter(({ source, target }) => source.trim() !== '' && target.trim() !== '')
    .toSorted((a, b) => b.source.length - a.source.length);
  if (wanted.length === 0) return translate(text);
  const used: string[] = [];
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${wanted.map(({ source }) => `(${escaped(source.trim())})`).join('|')})(?![\\p{L}\\p{N}])`,
    'giu',
  );
  const masked = text.replace(pattern, (found: string, ...groups: unknown[]) => {
    const term = wanted[groups.findIndex((group) => group === found)];
    if (term === undefined) return found;
    used.push(term.target.trim());
    return standIn(used.length - 1);
  });
  if (used.length === 0) return translate(text);
  let translated = await translate(masked);
  for (const [index, target] of used.entries()) {
    const parts = translated.split(standIn(index));
    if (parts.length !== 2) return translate(text);
    translated = parts.join(target);
  }
  return translated;
}

/** A made-up word. All have the same length, so that none is part of another. */
const standIn = (index: number): string =>
  `Qz${String(index)
    .padStart(3, '0')
    .replace(/\d/g, (digit) => 'bcdfghjklm'.charAt(Number(digit)))}x`;

const escaped = (text: string): string =>
  text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replace(/\s+/g, String.raw`\s+`);
