const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Words as compared: lower case, without punctuation, hyphens split, small numbers and titles spelled out. */
export function words(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/\bmr\b\.?/g, 'mister')
    .replace(/\bmrs\b\.?/g, 'missus')
    .replace(/\bdr\b\.?/g, 'doctor')
    .replaceAll('&', ' and ')
    .replaceAll('%', ' percent')
    .replace(/[^a-z0-9' ]+/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => NUMBERS[Number(word)] ?? word);
}

/** Word error rate, 0 = the same words: insertions, deletions and substitutions per reference word. */
export function wordErrorRate(reference: string, hypothesis: string): number {
  const expected = words(reference);
  const heard = words(hypothesis);
  let row = Array.from({ length: heard.length + 1 }, (_, index) => index);
  for (const [index, word] of expected.entries()) {
    const next = [index + 1];
    for (const [column, other] of heard.entries()) {
      next.push(Math.min((row[column] ?? 0) + (word === other ? 0 : 1), (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return (row.at(-1) ?? 0) / expected.length;
}
