import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sourcesIn } from './imports.ts';
import { breakableTexts } from './text.ts';

/** A word's white space stands beside it; the transcript that it is in is not translated (TranscriptText.tsx). */
const UNTRANSLATED = ['src/views/transcript/ParagraphRow.tsx'];

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

  it('stay where React put them, whatever a translator does to them', () => {
    const found = sourcesIn('src')
      .filter((file) => file.endsWith('.tsx') && !file.startsWith('src/inspector/') && !UNTRANSLATED.includes(file))
      .flatMap((file) => breakableTexts(readFileSync(file, 'utf8'), file).map((line) => `${file}:${line}`));
    expect(found).toEqual([]);
  });
});
