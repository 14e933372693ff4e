/** How a word or phrase is to be translated, as the client wants it (`context.translation_terms`). */
export interface Term {
  source: string;
  target: string;
}

/**
 * Translates with fixed terms: each stands in as a made-up word that the translator does not know and so leaves alone, and is put in
 * afterwards. Where one does not come back exactly once, the sentence is translated without terms: a whole translation over a kept term.
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

/** No word of any language; of equal length, so that none is part of another. */
const standIn = (index: number): string =>
  `Qz${String(index)
    .padStart(3, '0')
    .replace(/\d/g, (digit) => 'bcdfghjklm'.charAt(Number(digit)))}x`;

const escaped = (text: string): string =>
  text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replace(/\s+/g, String.raw`\s+`);
