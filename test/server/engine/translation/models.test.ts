import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { ModelList } from '#contract/models.ts';
import type { Translation } from '#contract/translation.ts';
import { catalogueOf, createCatalogue } from '#server/speech-api/models/catalogue.ts';
import { optionProblems } from '#server/speech-api/models/options.ts';
import type { EngineInfo } from '#server/engine/port.ts';

const EN_ES = [
  { from: 'en', to: 'es' },
  { from: 'es', to: 'en' },
];
const oneWay = (target_language: string): Translation => ({ type: 'one_way', target_language });
const twoWay = (language_a: string, language_b: string): Translation => ({ type: 'two_way', language_a, language_b });
const messages = (catalogue: ReturnType<typeof createCatalogue>, translation: Translation): string[] =>
  optionProblems(catalogue.models[0]!, { translation }).map(({ message }) => message);

describe('models', () => {
  it("are refused translations that they do not list, in the API's words", () => {
    const none = createCatalogue(['en']);
    expect([oneWay('es'), twoWay('en', 'es')].map((translation) => messages(none, translation))).toEqual([
      ['Model does not support translations.'],
      ['Model does not support translations.'],
    ]);
    const english = createCatalogue(['en'], { translations: EN_ES.slice(0, 1) });
    expect(
      [oneWay('es'), oneWay('fr'), oneWay('en'), twoWay('en', 'es')].map((translation) =>
        messages(english, translation),
      ),
    ).toEqual([[], ...Array.from({ length: 3 }, () => ['Invalid translation target language.'])]);
    const both = createCatalogue(['en', 'es'], { translations: EN_ES });
    expect(
      [twoWay('en', 'es'), twoWay('es', 'en'), twoWay('es', 'es'), twoWay('es', 'fr')].map(
        (translation) => messages(both, translation).length,
      ),
    ).toEqual([0, 0, 1, 1]);
  });

  it('AUD-26: take hints for languages that they lack beside one that they have', () => {
    const [model] = createCatalogue(['en']).models;
    const problems = (...hints: string[]): number => optionProblems(model!, { language_hints: hints }).length;
    expect([problems(), problems('en'), problems('es', 'en'), problems('en', 'yue')]).toEqual([0, 0, 0, 0]);
    expect([problems('es'), problems('en', 'xx'), problems('en', 'en-US'), problems('en', 'en')]).toEqual([1, 1, 1, 1]);
  });

  it('of another service are as it tells; a mode that it has not is not offered', () => {
    const abilities = {
      ...v.parse(ModelList, {
        models: [
          {
            id: 'x',
            name: 'X',
            aliased_model_id: null,
            context_version: 2,
            transcription_mode: 'async',
            languages: [
              { code: 'en', name: 'English' },
              { code: 'ja', name: 'Japanese' },
            ],
            one_way_translation: 'all_languages',
            two_way_translation: 'all_languages',
          },
        ],
      }).models[0]!,
    };
    const catalogue = createCatalogue(['en', 'ja'], { abilities: { async: abilities } });
    expect(catalogue.resolve(null, 'real_time')).toBeUndefined();
    expect(catalogue.models[0]).toMatchObject({
      id: 'parlance-async-1',
      aliased_model_id: null,
      one_way_translation: 'all_languages',
    });
    expect(
      [oneWay('ja'), oneWay('fr'), twoWay('en', 'ja'), twoWay('en', 'fr')].map(
        (translation) => messages(catalogue, translation).length,
      ),
    ).toEqual([0, 1, 0, 1]);
  });

  it('follow an engine that learns later what it can do', () => {
    let info: EngineInfo = { runtime: 'upstream', workers: 1, maxStreams: 1, streams: 0, languages: [], ready: false };
    const catalogue = catalogueOf({ info: () => info });
    expect(catalogue.resolve('stt-rt-v5', 'real_time')?.languages).toEqual([]);
    info = { ...info, languages: ['en'], translations: EN_ES.slice(0, 1), ready: true };
    expect(catalogue.resolve('stt-rt-v5', 'real_time')).toMatchObject({
      id: 'parlance-rt-1',
      languages: [{ code: 'en', name: 'English' }],
      translation_targets: [{ target_language: 'es' }],
    });
    expect(catalogue.models).toBe(catalogue.models);
  });
});
