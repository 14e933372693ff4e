import { describe, expect, it } from 'vitest';
import type { LogDetails } from '#contract/logs.ts';
import { LoggedRequest } from '#src/views/playground/LoggedRequest.tsx';
import { PlaygroundContext } from '#src/views/playground/state.ts';
import { logDetails, logRequest } from '../../machines/logged.ts';
import { MODELS } from '../../machines/playground-fixtures.ts';
import { drawnOn, still } from './drawn.tsx';

describe('LOG-15: the request of the logs above the panel', () => {
  /** Its words in the tab of files. */
  const shown = (details: LogDetails | null, tag = 'shown') => {
    const actors = {
      loggedRequest: still({
        context: { details, failure: { message: 'Away.' } },
        hasTag: (name: string) => name === tag,
        can: () => true,
      }),
      playground: still({
        context: { orgUuid: 'o1', projectUuid: 'p1', models: MODELS },
        hasTag: (name: string) => name === 'async',
      }),
    };
    return drawnOn(
      { screen: 'home' },
      {},
      <PlaygroundContext.Provider value={actors}>
        <LoggedRequest />
      </PlaygroundContext.Provider>,
    ).replaceAll(/<style.*?<\/style>|<[^>]*>/gs, ' ');
  };
  const refused = logDetails({
    error_type: 'limit_exceeded',
    refusal: { code: 429, message: 'Too many.', several_models: false, several_references: false, requests: 1 },
    request: logRequest(),
  });

  it('tells code, sentence, and what the panel has of it', () => {
    expect(shown(refused)).toMatch(/limit_exceeded \(429\).*Too many\..*The panel has the settings of this request\./s);
    expect(shown({ ...refused, request: logRequest({ left_out: ['context'] }) })).toContain('but not: context.');
    expect(shown({ ...refused, request: null })).toContain('The logs have no settings of this request.');
    expect(shown({ ...refused, refusal: null })).toContain('The message of this error was not kept.');
  });

  it('is shown only in the tab of its kind, and says so where there is none', () => {
    expect(shown({ ...refused, kind: 'real_time' }).trim()).toBe('');
    expect(shown(null, 'none').trim()).toBe('');
    expect(shown(null, 'missing')).toContain('This project has no such request.');
    expect(shown(null, 'failed')).toMatch(/could not be loaded\..*Away\..*Retry/s);
  });
});
