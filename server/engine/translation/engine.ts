import type { TranscriptToken } from '#contract/transcriptions.ts';
import type { Context, Translation } from '#contract/translation.ts';
import { EngineError, type EngineInfo, type SttEngine } from '../port.ts';
import { directionOf, Interleaver, type Direction } from './interleave.ts';
import type { LanguagePair } from './modes.ts';
import { TranslatedStream } from './stream.ts';
import type { Term } from './terms.ts';
import type { Translator } from './translator.ts';

/**
 * Adds translation to an engine: each sentence is followed by its translation. Offers only pairs whose source language
 * the engine transcribes, so a two-way translation needs both. Turns language identification on for every translation.
 */
export function translatingEngine(engine: SttEngine, translator: Translator): SttEngine {
  const pairs = (): LanguagePair[] => translator.pairs().filter(({ from }) => engine.info().languages.includes(from));
  const prepare = (
    translation: Translation,
    context: Context | undefined,
  ): { direction: Direction; interleaver: Interleaver } => {
    const direction = directionOf(translation, pairs());
    const terms = termsOf(context);
    return {
      direction,
      interleaver: new Interleaver(direction, (text, pair) => translator.translate(text, pair, terms)),
    };
  };
  return {
    info: (): EngineInfo => ({ ...engine.info(), translations: pairs() }),
    ready: () => engine.ready(),
    openStream({ translation, ...options }, events) {
      if (translation === undefined) return engine.openStream(options, events);
      const { direction, interleaver } = prepare(translation, options.context);
      return new TranslatedStream(
        (inner) => engine.openStream({ ...options, languageIdentification: true }, inner),
        events,
        interleaver,
        direction,
      );
    },
    async transcribe(pcm, { translation, ...options } = {}) {
      if (translation === undefined) return engine.transcribe(pcm, options);
      const heard = await engine.transcribe(pcm, { ...options, languageIdentification: true });
      const { interleaver } = prepare(translation, options.context);
      const tokens: TranscriptToken[] = [];
      for (const [index, token] of heard.tokens.entries()) {
        if (options.signal?.aborted === true) throw new EngineError('aborted', 'The transcription was cancelled.');
        tokens.push(...(await interleaver.push([token], heard.tokens[index + 1])));
      }
      tokens.push(...(await interleaver.flush()));
      return { ...heard, tokens };
    },
    async close() {
      await engine.close();
      await translator.close();
    },
  };
}

const termsOf = (context: Context | undefined): readonly Term[] =>
  typeof context === 'object' ? (context.translation_terms ?? []) : [];
