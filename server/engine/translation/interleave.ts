import { MARKERS } from '#contract/live.ts';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import type { Translation } from '#contract/translation.ts';
import type { LanguagePair } from './modes.ts';

/** A pause of this length ends a sentence even without punctuation. */
export const SENTENCE_PAUSE_MS = 1500;
/** Longest text translated at once. */
const SENTENCE_MAX_CHARS = 400;
const SENTENCE_END = /[.!?…]["'”’)]*$/;
/** A full stop that ends no sentence. */
const ABBREVIATED = /(?:^|\s)(?:Mr|Mrs|Ms|Dr|St|vs|[A-Z])\.$/;

/** The pair that translates a token of a language; undefined if it is not translated. */
export type Direction = (language: string | undefined) => LanguagePair | undefined;

export function directionOf(translation: Translation, pairs: readonly LanguagePair[]): Direction {
  const wanted = (language: string): string | undefined => {
    if (translation.type === 'one_way') return translation.target_language;
    if (language === translation.language_a) return translation.language_b;
    return language === translation.language_b ? translation.language_a : undefined;
  };
  return (language) => {
    const to = language === undefined ? undefined : wanted(language);
    return pairs.find((pair) => pair.from === language && pair.to === to);
  };
}

/** Marks a token as translated or not. Leaves markers such as `<end>` unchanged. */
export function withStatus<T extends TranscriptToken>(token: T, direction: Direction): T {
  if (MARKERS.has(token.text)) return token;
  return { ...token, translation_status: direction(token.language) === undefined ? 'none' : 'original' };
}

/**
 * Puts the translation of each sentence behind its tokens (speech API §4). A sentence has one speaker and one language.
 */
export class Interleaver {
  readonly #direction: Direction;
  readonly #translate: (text: string, pair: LanguagePair) => Promise<string>;
  #sentence: TranscriptToken[] = [];
  #pair: LanguagePair | undefined;

  constructor(direction: Direction, translate: (text: string, pair: LanguagePair) => Promise<string>) {
    this.#direction = direction;
    this.#translate = translate;
  }

  /** Time at which the last token of the incomplete sentence ends; undefined if there is no such sentence. */
  get waitingSinceMs(): number | undefined {
    const last = this.#sentence.at(-1);
    return last && (last.end_ms ?? 0);
  }

  /**
   * Takes final tokens in order. @returns these tokens, and translations behind those that end a sentence
   * @param after the non-final token that follows, if any
   */
  async push(tokens: readonly TranscriptToken[], after?: TranscriptToken): Promise<TranscriptToken[]> {
    const output: TranscriptToken[] = [];
    for (const [index, token] of tokens.entries()) {
      if (this.#breaksBefore(token)) output.push(...(await this.flush()));
      output.push(withStatus(token, this.#direction));
      const pair = MARKERS.has(token.text) ? undefined : this.#direction(token.language);
      if (pair === undefined) continue;
      this.#sentence.push(token);
      this.#pair = pair;
      if (this.#endsBefore(tokens[index + 1] ?? after)) output.push(...(await this.flush()));
    }
    return output;
  }

  /** Ends the incomplete sentence. @returns its translation */
  async flush(): Promise<TranscriptToken[]> {
    const [sentence, pair] = [this.#sentence, this.#pair];
    this.#sentence = [];
    if (pair === undefined || sentence.length === 0) return [];
    const translated = await this.#translate(textOf(sentence), pair);
    const speaker = sentence[0]?.speaker;
    // The translator has no probabilities, so a translation gets the mean of its source.
    const confidence =
      Math.round((sentence.reduce((sum, token) => sum + (token.confidence ?? 1), 0) / sentence.length) * 1000) / 1000;
    return (translated.match(/\S+/g) ?? []).map((word) => ({
      text: ` ${word}`,
      confidence,
      ...(speaker !== undefined && { speaker }),
      language: pair.to,
      translation_status: 'translation',
      source_language: pair.from,
    }));
  }

  #breaksBefore(token: TranscriptToken): boolean {
    const last = this.#sentence.at(-1);
    if (last === undefined) return false;
    if (MARKERS.has(token.text) || token.speaker !== last.speaker || token.language !== last.language) return true;
    return (token.start_ms ?? 0) - (last.end_ms ?? 0) >= SENTENCE_PAUSE_MS;
  }

  #endsBefore(next: TranscriptToken | undefined): boolean {
    if (next !== undefined && !/^\s/.test(next.text)) return false;
    const text = textOf(this.#sentence);
    return (SENTENCE_END.test(text) && !ABBREVIATED.test(text)) || text.length > SENTENCE_MAX_CHARS;
  }
}

const textOf = (tokens: readonly TranscriptToken[]): string =>
  tokens
    .map(({ text }) => text)
    .join('')
    .trim();
