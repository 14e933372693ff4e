const ELEMENTS_WITHOUT_TEXT = /<(script|style)\b[^<>]*>[\s\S]*?<\/\1\s*>/gi;
const COMMENTS = /<!--[\s\S]*?-->/g;
const LINE_BREAKS = /<(?:br|\/p|\/div|\/li|\/h[1-6])\b[^<>]*>/gi;
const TAGS = /<[/!?]?[a-z][^<>]*>/gi;

/**
 * The text of a string that may hold markup, without the tags. Nothing is parsed into a page and nothing is decoded:
 * the result is still only text, and must be shown as such.
 */
export function stripMarkup(text: string): string {
  let left = text.replace(ELEMENTS_WITHOUT_TEXT, '').replace(COMMENTS, '').replace(LINE_BREAKS, '\n');
  // Taking a tag out can join the halves of another one.
  for (let before = ''; before !== left;) {
    before = left;
    left = left.replace(TAGS, '');
  }
  return left
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{2,}/g, '\n')
    .trim();
}
