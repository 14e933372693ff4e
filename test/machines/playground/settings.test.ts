import { CONTEXT_MAX_CHARS } from '#contract/translation.ts';
import { contextDoubt, countedCharacters, refusedContext } from '#machines/playground/settings/context.ts';
import type { Failure } from '#machines/shared/failure.ts';
import { obstacleOf } from '#machines/playground/settings/obstacles.ts';
import { describe, expect, it } from 'vitest';
import {
  asyncTranslation,
  changeTranslation,
  chooseLanguageA,
  fitAsyncSettings,
  fitLiveSettings,
  liveTranslation,
  mayChangeTranslation,
  toggleTranslationType,
  withAsyncTranslation,
  withLiveTranslation,
} from '#machines/playground/settings/change.ts';
import {
  hintsDisabled,
  languageAChoices,
  languageBChoices,
  oneWayTargets,
} from '#machines/playground/settings/choices.ts';
import { languageName } from '#machines/playground/settings/languageName.ts';
import { asyncModels, defaultLiveHints, realTimeModels } from '#machines/playground/settings/models.ts';
import { buildCreatePayload, buildLiveConfig } from '#machines/playground/settings/payload.ts';
import { ASYNC_DEFAULTS, LIVE_DEFAULTS } from '#machines/playground/settings/types.ts';
import {
  leavesOutText,
  liveSettingsLike,
  notTaken,
  requestLike,
  settingsLike,
} from '#machines/playground/settings/reuse.ts';
import { logRequest } from '../logged.ts';
import { ASYNC, ASYNC_ALIAS, model, MODELS, RT, transcription } from '../playground-fixtures.ts';

const codes = (languages: { code: string }[]) => languages.map(({ code }) => code);

describe('models', () => {
  it('ASY-13: offers async models that are no alias', () => {
    expect(asyncModels(MODELS)).toEqual([ASYNC]);
    expect(asyncModels([ASYNC_ALIAS])).toEqual([]);
  });
  it('LIV-18: the first real-time model that is no alias comes first', () => {
    expect(realTimeModels(MODELS)[0]).toBe(RT);
    expect(realTimeModels([model({ id: 'rt-2' }), ...MODELS])[0]?.id).toBe('rt-2');
  });
  it('LIV-23: hints come from the browser, without region and duplicates, as far as the model knows them', () => {
    expect(defaultLiveHints(['de-AT', 'en-GB', 'en', 'DE', 'xx-YY'], RT)).toEqual(['de', 'en']);
    expect(defaultLiveHints(['en'], null)).toEqual([]);
  });
});

describe('choices', () => {
  it('ASY-16: without pairs, A is any language and B any but A', () => {
    expect(codes(languageAChoices(RT))).toEqual(['en', 'de', 'fr']);
    expect(codes(languageBChoices(RT, 'de'))).toEqual(['en', 'fr']);
  });
  it('ASY-16: with pairs, A is a first part and B a second part of a pair that starts with A', () => {
    const paired = model({ two_way_translation_pairs: ['en:de', 'en:es', 'fr:de'] });
    expect(codes(languageAChoices(paired))).toEqual(['en', 'fr']);
    expect(languageBChoices(paired, 'en')).toEqual([
      { code: 'de', name: 'German' },
      { code: 'es', name: 'Spanish' },
    ]);
    expect(codes(languageBChoices(paired, 'de'))).toEqual([]);
  });
  it('ASY-16: one-way targets are all languages, a list, or the listed targets of the model', () => {
    expect(codes(oneWayTargets(RT))).toEqual(['en', 'de', 'fr']);
    expect(codes(oneWayTargets(model({ one_way_translation: ['de'] })))).toEqual(['de']);
    const listed = model({
      translation_targets: [{ target_language: 'fr', source_languages: [], exclude_source_languages: [] }],
    });
    expect(codes(oneWayTargets(listed))).toEqual(['fr']);
    expect(oneWayTargets(model({ one_way_translation: null }))).toEqual([]);
  });
  it('ASY-16: a language that the model lists without a name has its English one', () => {
    expect(oneWayTargets(model({ one_way_translation: ['pt', 'de'] }))).toEqual([
      { code: 'pt', name: 'Portuguese' },
      { code: 'de', name: 'German' },
    ]);
    expect(['zz', 'not a code'].map(languageName)).toEqual(['zz', 'not a code']);
  });
  it('ASY-15: B has no choices until A is chosen', () => {
    expect(languageBChoices(RT, null)).toEqual([]);
    expect(mayChangeTranslation(asyncTranslation(ASYNC_DEFAULTS), { type: 'languageB.selected', code: 'de' }, RT)).toBe(
      false,
    );
  });
  it('ASY-17: hints are disabled for a model without languages', () => {
    expect(hintsDisabled(model({ languages: [] }))).toBe(true);
    expect(hintsDisabled(RT)).toBe(false);
  });
});

describe('translation', () => {
  it('ASY-15: the type toggles between one way, two way and none', () => {
    expect(toggleTranslationType(null, 'one_way')).toBe('one_way');
    expect(toggleTranslationType('one_way', 'two_way')).toBe('two_way');
    expect(toggleTranslationType('two_way', 'two_way')).toBeNull();
  });
  it('ASY-15: changing A clears B; choosing the same A again does not', () => {
    const choice = { type: 'two_way', target: null, languageA: 'en', languageB: 'de' } as const;
    expect(chooseLanguageA(choice, 'fr')).toEqual({ ...choice, languageA: 'fr', languageB: null });
    expect(chooseLanguageA(choice, 'en').languageB).toBe('de');
  });
  it('takes back what another model cannot do', () => {
    const chosen = { type: 'two_way', target: 'fr', languageA: 'en', languageB: 'fr' } as const;
    const weak = model({
      languages: [{ code: 'en', name: 'English' }],
      two_way_translation: null,
      one_way_translation: null,
    });
    const asynchronous = fitAsyncSettings(
      withAsyncTranslation({ ...ASYNC_DEFAULTS, language_hints: ['en', 'fr'] }, chosen),
      weak,
    );
    expect(asyncTranslation(asynchronous)).toEqual({ type: null, target: null, languageA: null, languageB: null });
    expect(asynchronous.language_hints).toEqual(['en']);
    const live = fitLiveSettings(withLiveTranslation({ ...LIVE_DEFAULTS, languageHints: ['en', 'fr'] }, chosen), RT);
    expect(liveTranslation(live)).toEqual(chosen);
    expect(live.languageHints).toEqual(['en', 'fr']);
  });
});

describe('the create payload', () => {
  it('ASY-11 ASY-12: holds model, file, hints, context and flags, by default none of them, and no translation', () => {
    expect(buildCreatePayload(ASYNC_DEFAULTS, ASYNC, 'f1')).toEqual({
      model: 'async-1',
      file_id: 'f1',
      language_hints: [],
      context: '',
      enable_speaker_diarization: false,
      enable_language_identification: false,
      enable_audio_event_detection: false,
    });
    const chosen = {
      language_hints: ['de'],
      context: 'a talk',
      enable_speaker_diarization: true,
      enable_language_identification: false,
      enable_audio_event_detection: true,
    };
    expect(buildCreatePayload({ ...ASYNC_DEFAULTS, ...chosen }, ASYNC, 'f1')).toEqual({
      model: 'async-1',
      file_id: 'f1',
      ...chosen,
    });
  });
  const oneWay = { type: 'translation.toggled', translationType: 'one_way' } as const;
  const twoWay = { type: 'translation.toggled', translationType: 'two_way' } as const;
  it.each<[string, Parameters<typeof changeTranslation>[1][], object | undefined]>([
    ['one way', [oneWay, { type: 'targetLanguage.selected', code: 'de' }], { type: 'one_way', target_language: 'de' }],
    ['two-way, half chosen', [twoWay, { type: 'languageA.selected', code: 'en' }], undefined],
    [
      'two-way',
      [twoWay, { type: 'languageA.selected', code: 'en' }, { type: 'languageB.selected', code: 'de' }],
      { type: 'two_way', language_a: 'en', language_b: 'de' },
    ],
  ])('ASY-12: a translation has the shape of its type: %s', (_name, events, translation) => {
    const chosen = events.reduce(
      (settings, event) => withAsyncTranslation(settings, changeTranslation(asyncTranslation(settings), event)),
      ASYNC_DEFAULTS,
    );
    expect(buildCreatePayload(chosen, ASYNC, 'f1').translation).toEqual(translation);
  });
  it('ASY-12: a structured context goes as an object where the model takes one', () => {
    const settings = { ...ASYNC_DEFAULTS, context: '{"terms":["Parlance"]}' };
    expect(buildCreatePayload(settings, ASYNC, 'f1').context).toEqual({ terms: ['Parlance'] });
    expect(buildCreatePayload(settings, model({ context_version: 1 }), 'f1').context).toBe(settings.context);
    expect(buildCreatePayload({ ...settings, context: 'just words' }, ASYNC, 'f1').context).toBe('just words');
  });
});

describe('the live configuration', () => {
  it('LIV-15 LIV-24: names only what is set', () => {
    expect(buildLiveConfig(LIVE_DEFAULTS, null)).toEqual({ config: {} });
    const all = withLiveTranslation(
      {
        ...LIVE_DEFAULTS,
        languageHints: ['en'],
        context: '{"text":"a talk"}',
        enableSpeakerDiarization: true,
        enableLanguageIdentification: true,
        enableAudioEventDetection: true,
        enableEndpointDetection: true,
      },
      { type: 'one_way', target: 'de', languageA: null, languageB: null },
    );
    expect(buildLiveConfig(all, RT)).toEqual({
      config: {
        model: 'rt-1',
        language_hints: ['en'],
        context: { text: 'a talk' },
        enable_speaker_diarization: true,
        enable_language_identification: true,
        enable_audio_event_detection: true,
        enable_endpoint_detection: true,
        translation: { type: 'one_way', target_language: 'de' },
      },
    });
    const twoWay = { type: 'two_way', target: null, languageA: 'en', languageB: 'de' } as const;
    expect(buildLiveConfig(withLiveTranslation(LIVE_DEFAULTS, twoWay), null)).toEqual({
      config: { translation: { type: 'two_way', language_a: 'en', language_b: 'de' } },
    });
  });
  it.each(['no JSON', '{terms: []}', "'text'"])('LIV-17 ERR-05: %s is no JSON', (context) => {
    expect(buildLiveConfig({ ...LIVE_DEFAULTS, context }, RT)).toEqual({
      error: { code: 'invalid_context_structure', message: 'Context input must be valid JSON string.' },
    });
    expect(buildLiveConfig({ ...LIVE_DEFAULTS, context }, model({ context_version: 1 }))).toMatchObject({
      config: { context },
    });
  });
  it.each([
    ['[1,2]', [1, 2]],
    ['"x"', 'x'],
    ['5', 5],
    ['null', null],
    ['{"terms":"x"}', { terms: 'x' }],
  ])('LIV-17: %s is JSON, and goes as it is for the server to judge', (context, sent) => {
    expect(buildLiveConfig({ ...LIVE_DEFAULTS, context }, RT)).toEqual({ config: { model: 'rt-1', context: sent } });
  });
  it('LIV-17: an empty context is not sent', () => {
    expect(buildLiveConfig({ ...LIVE_DEFAULTS, context: '  ' }, RT)).toEqual({ config: { model: 'rt-1' } });
  });
});

describe('what is in the way of sending', () => {
  const NONE = { type: null, target: null, languageA: null, languageB: null };
  it('CON-27: a context over the limit, which counts as it is sent', () => {
    const text = 'x'.repeat(CONTEXT_MAX_CHARS);
    expect(obstacleOf(text, NONE, null)).toBeNull();
    expect(obstacleOf(`${text}x`, NONE, null)).toBe('contextTooLong');
    // Blanks between the parts of JSON are not sent.
    const json = JSON.stringify({ text: 'x'.repeat(CONTEXT_MAX_CHARS - 11) });
    expect(countedCharacters(json, RT)).toBe(CONTEXT_MAX_CHARS);
    expect(obstacleOf(json.replace(':', ' :  '), NONE, RT)).toBeNull();
    expect(obstacleOf(json.replace('x', 'xx'), NONE, RT)).toBe('contextTooLong');
  });
  it('CON-27: sends what counts: a list as text for a transcription, as JSON for a live session, blanks as nothing', () => {
    const toAsync = { ...RT, transcription_mode: 'async' as const };
    expect(countedCharacters('[1, 2]', toAsync)).toBe(6);
    expect(countedCharacters('[1, 2]', RT)).toBe(5);
    expect(countedCharacters('{"text": "a"}', toAsync)).toBe(12);
    expect(countedCharacters('   ', RT)).toBe(0);
    expect(countedCharacters('a talk  ', null)).toBe(8);
  });
  it.each([
    [{ type: 'one_way' }, 'targetMissing'],
    [{ type: 'one_way', target: 'de' }, null],
    [{ type: 'two_way' }, 'languageAMissing'],
    [{ type: 'two_way', languageA: 'en' }, 'languageBMissing'],
    [{ type: 'two_way', languageA: 'en', languageB: 'de' }, null],
  ] as const)('CON-13: a translation without its languages: %j', (chosen, obstacle) => {
    expect(obstacleOf('', { ...NONE, ...chosen }, RT)).toBe(obstacle);
  });
});

describe('why a context may have been refused', () => {
  it.each([
    ['[1,2]', 'a list'],
    ['"x"', 'a text'],
    ['5', 'a number'],
    ['true', 'a truth value'],
    ['null', 'null'],
  ])('LIV-17: %s is %s, not an object', (context, kind) => {
    expect(contextDoubt(context, RT)).toBe(
      `The context you gave is ${kind}, not an object; the server accepts an object.`,
    );
  });
  it('LIV-17: an object with a part of another form names the part', () => {
    expect(contextDoubt('{"text":"a talk","terms":"x"}', RT)).toBe(
      'The context you gave has a "terms" of a form that the server does not accept.',
    );
  });
  it.each(['{"text":"a talk"}', '{}', '', 'no JSON'])('LIV-17: nothing is said against %s', (context) => {
    expect(contextDoubt(context, RT)).toBeNull();
  });
  it('LIV-17: a model that takes text gets any', () => {
    expect(contextDoubt('[1,2]', { ...RT, context_version: null })).toBeNull();
  });
  it('LIV-17: a refused transcription marks the context only where the server names it', () => {
    const refusal = (location: string): Failure => ({
      kind: 'HTTP',
      status: 400,
      message: 'No.',
      problems: [{ location, message: 'Not this.' }],
    });
    expect(refusedContext(refusal('body.payload.context'), '[1,2]', RT)).toMatch(/is a list/);
    expect(refusedContext(refusal('body.payload.context.terms.0'), '{}', RT)).toBe('Not this.');
    expect(refusedContext(refusal('body.payload.model'), '[1,2]', RT)).toBeNull();
    expect(refusedContext(null, '[1,2]', RT)).toBeNull();
  });
});

describe('LOG-15: a request that is tried again', () => {
  const asked = logRequest({
    model: 'rt-alias',
    language_hints: ['de', 'de', 'xx'],
    enable_speaker_diarization: true,
    enable_endpoint_detection: true,
    translation: { type: 'one_way', target_language: 'fr' },
  });

  it('gives the panel of its kind what the model has', () => {
    expect(liveSettingsLike(asked, RT)).toEqual({
      ...LIVE_DEFAULTS,
      languageHints: ['de'],
      enableSpeakerDiarization: true,
      enableEndpointDetection: true,
      translationType: 'one_way',
      translationOneWay: { targetLanguage: 'fr' },
    });
    expect(settingsLike(logRequest(), ASYNC)).toEqual(ASYNC_DEFAULTS);
  });

  it('names what the panel cannot take over', () => {
    expect(notTaken(asked, MODELS, 'real_time')).toEqual(['language_hints “xx”']);
    expect(notTaken(logRequest({ ...asked, language_hints: [] }), MODELS, 'async')).toEqual([
      'model “rt-alias”',
      'enable_endpoint_detection',
    ]);
    expect(
      notTaken(
        logRequest({
          model: 'nope',
          language_hints_strict: true,
          enable_audio_event_detection: true,
          translation: { type: 'two_way', language_a: 'de', language_b: 'xx' },
          left_out: ['context', 'webhook_url'],
        }),
        MODELS,
        'async',
      ),
    ).toEqual([
      'model “nope”',
      'enable_audio_event_detection',
      'translation',
      'language_hints_strict',
      'context',
      'webhook_url',
    ]);
    expect(notTaken(logRequest(), MODELS, 'async')).toEqual([]);
  });

  it('ASY-20: goes with its reference and webhook, but without a webhook whose header nobody can read again', () => {
    const hook = { client_reference_id: 'call-7', webhook_url: 'https://example.com/hook' };
    expect(requestLike(MODELS, transcription(hook))).toMatchObject(hook);
    expect(leavesOutText(transcription(hook))).toBeNull();
    const secret = transcription({ ...hook, webhook_auth_header_name: 'x-key', webhook_auth_header_value: '***' });
    expect(requestLike(MODELS, secret)).toMatchObject({ client_reference_id: 'call-7' });
    expect(requestLike(MODELS, secret)).not.toHaveProperty('webhook_url');
    expect(leavesOutText(secret)).toBe('No webhook will be sent: nobody can read the value of its header again.');
  });
});
