import type { Hono } from 'hono';
import { SPEECH_CALLS } from '#contract/api/speech.ts';
import { Calls } from '../../http/calls.ts';
import type { AppEnv } from '../../http/env.ts';
import type { Catalogue } from './catalogue.ts';

/** `GET /models` (speech API §3). */
export const modelRoutes = (catalogue: Catalogue): Hono<AppEnv> =>
  new Calls().answer(SPEECH_CALLS.listModels, () => ({ models: [...catalogue.models] }));
