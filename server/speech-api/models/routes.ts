import { Hono } from 'hono';
import type { AppEnv } from '../../http/env.ts';
import type { Catalogue } from './catalogue.ts';

/** `GET /models` (speech API §3). */
export const modelRoutes = (models: Catalogue): Hono<AppEnv> =>
  new Hono<AppEnv>().get('/models', (c) => c.json({ models: models.models }));
