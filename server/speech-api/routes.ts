import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { REQUEST_ID_HEADER } from '#contract/errors.ts';
import { downloadRoutes } from './files/download.ts';
import { fileRoutes } from './files/routes.ts';
import type { AppEnv } from '../http/env.ts';
import { modelRoutes } from './models/routes.ts';
import { temporaryKeyRoutes } from './temporary-keys/routes.ts';
import { transcriptionRoutes } from './transcriptions/routes.ts';
import { usageRoutes } from './usage/routes.ts';
import { requireCaller } from './authenticate.ts';
import { noteRefusals } from './note-refusals.ts';
import type { SpeechServices } from './services.ts';

/** The speech API under `/v1`. Pages of other origins may call it, because it takes bearer tokens and no cookies. */
export function speechApiRoutes(services: SpeechServices): Hono<AppEnv> {
  const callers = new Hono<AppEnv>();
  callers.use('/v1/*', requireCaller(services));
  callers.post('/v1/transcriptions', noteRefusals(services, 'async'));
  callers.post('/v1/files', noteRefusals(services, 'async'));
  callers.post('/v1/transcriptions/live', noteRefusals(services, 'real_time'));
  for (const area of [
    fileRoutes(services),
    transcriptionRoutes(services),
    modelRoutes(services.models),
    temporaryKeyRoutes(services),
    usageRoutes(services),
  ])
    callers.route('/', area);
  const api = new Hono<AppEnv>();
  api.use(
    '/v1/*',
    cors({
      origin: '*',
      allowMethods: ['GET', 'HEAD', 'POST', 'DELETE'],
      exposeHeaders: [REQUEST_ID_HEADER, 'content-range', 'retry-after'],
      maxAge: 600,
    }),
  );
  api.route('/', downloadRoutes(services));
  api.route('/', callers);
  return api;
}
