import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sourcesIn } from './imports.ts';
import { breakableTexts, translatableCode } from './text.ts';

/** A word's white space stands beside it; the transcript that it is in is not translated (TranscriptText.tsx). */
const UNTRANSLATED = ['src/views/playground/transcript/TranscriptSegment.tsx'];

/** Where a look at all views finds something. */
const linesOf = (look: typeof breakableTexts): string[] =>
  sourcesIn('src')
    .filter((file) => file.endsWith('.tsx') && !file.startsWith('src/inspector/') && !UNTRANSLATED.includes(file))
    .flatMap((file) => look(readFileSync(file, 'utf8'), file).map((line) => `${file}:${line}`));

describe('UXP-75: texts of the views', () => {
  it.each([
    ['that change beside others', '<p>Size: {size}</p>', true],
    ['that come and go', "<p><b>Name</b>{isLost && 'lost'}</p>", true],
    ['before which something comes and goes', '<p>{isBusy ? <i /> : null} Save</p>', true],
    ['that go with a fragment', '<p>{isLost ? <>Go <a>back</a></> : null}</p>', true],
    ['that are a component', "function Word() { return isLost ? 'lost' : <b />; }", true],
    ['that are alone', '<p>{size}</p>', false],
    ['that are one text', '<p>{`Size: ${size}`}</p>', false],
    ['in elements of their own', '<p>Size: <span>{size}</span></p>', false],
    ['that stay, beside elements that stay', '<p>Read <a>this</a> first.</p>', false],
    ['behind which something comes and goes', '<p>Saving {isBusy ? <i /> : null}</p>', false],
  ])('%s', (_what, view, isFound) => {
    expect(breakableTexts(`const view = () => ${view.startsWith('<') ? view : `{ ${view} }`};`).length > 0).toBe(
      isFound,
    );
  });

  it.each([
    ['of a code element', '<code>{key}</code>', true],
    ['of an element of the style system', '<chakra.code fontSize="xs">{key}</chakra.code>', true],
    ['of another that is one', '<Box as="pre">{key}</Box>', true],
    ['by its letters', '<Cell fontFamily="mono">{key}</Cell>', true],
    ['that is left alone', '<Box as="code" className="notranslate">{key}</Box>', false],
    ['in a box of code', '<Box as="code" {...CODE_BOX}>{key}</Box>', false],
    ['of no code', '<Box as="p">{key}</Box>', false],
  ])('finds code %s', (_what, view, isFound) => {
    expect(translatableCode(`const view = () => ${view};`).length > 0).toBe(isFound);
  });

  it('that are code are not translated', () => {
    expect(linesOf(translatableCode)).toEqual([]);
  });

  it('stay where React put them, whatever a translator does to them', () => {
    expect(linesOf(breakableTexts)).toEqual([]);
  });
});

it('numbers and times are in English, not in the language of the browser', () => {
  const local = /\.toLocale\w*String\(\)|Intl\.\w+\((?:\)|undefined)/;
  const files = ['src', 'machines', 'contract'].flatMap(sourcesIn);
  expect(files.filter((file) => local.test(readFileSync(file, 'utf8')))).toEqual([]);
});
