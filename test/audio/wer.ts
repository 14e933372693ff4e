/**
 * Word error rate, and what counts as the same word. Before the comparison both texts are written alike:
 * - lower case, no punctuation except the apostrophe inside a word; hyphens part words;
 * - numerals as they are said: 25 = twenty five, 112 = one hundred twelve, 25,000 = twenty five thousand, 9th = ninth, 7:30 = seven thirty;
 *   an "and" between a hundred or a thousand and what follows is left out;
 * - 8% = eight percent = eight per cent, & = and, mr., mrs. and dr. as words.
 * Nothing else is made equal: other spellings, contractions and words run together count as errors.
 */
const SMALL = (
  'zero one two three four five six seven eight nine ten ' +
  'eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
).split(' ');
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

/** A whole number below a million in words. */
function spelled(value: number): string {
  if (value < 20) return SMALL[value] ?? '';
  if (value < 100) return `${TENS[Math.floor(value / 10)]}${value % 10 === 0 ? '' : ` ${SMALL[value % 10]}`}`;
  const [unit, name] = value < 1000 ? [100, 'hundred'] : [1000, 'thousand'];
  return `${spelled(Math.floor(value / unit))} ${name}${value % unit === 0 ? '' : ` ${spelled(value % unit)}`}`;
}

function ordinal(value: number): string {
  return spelled(value).replace(/\w+$/, (last) => ORDINALS[last] ?? `${last.replace(/y$/, 'ie')}th`);
}

/** The words of a text as they are compared. */
export function words(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/\bmr\b\.?/g, 'mister')
    .replace(/\bmrs\b\.?/g, 'missus')
    .replace(/\bdr\b\.?/g, 'doctor')
    .replaceAll('&', ' and ')
    .replaceAll('%', ' percent')
    .replace(/\bper cent\b/g, 'percent')
    .replace(/(\d),(?=\d{3})/g, '$1')
    .replace(/\b(\d{1,6})(?:st|nd|rd|th)\b/g, (_, digits: string) => ordinal(Number(digits)))
    .replace(/\b\d{1,6}\b/g, (digits) => spelled(Number(digits)))
    .replace(/[^a-z0-9' ]+/g, ' ')
    .replace(/\b(hundred|thousand) and\b/g, '$1')
    .split(/\s+/)
    .map((word) => word.replace(/^'+|'+$/g, ''))
    .filter((word) => word !== '');
}

/** Wrong, missing and added words: the fewest changes that turn the one text into the other. */
export function wordErrors(reference: string, hypothesis: string): number {
  const expected = words(reference);
  const heard = words(hypothesis);
  let row = Array.from({ length: heard.length + 1 }, (_, index) => index);
  for (const [index, word] of expected.entries()) {
    const next = [index + 1];
    for (const [column, other] of heard.entries()) {
      next.push(
        Math.min((row[column] ?? 0) + (word === other ? 0 : 1), (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1),
      );
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Word error rate, 0 = the same words: insertions, deletions and substitutions per reference word. */
export function wordErrorRate(reference: string, hypothesis: string): number {
  return wordErrors(reference, hypothesis) / words(reference).length;
}
