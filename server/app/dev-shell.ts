import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { projectRoot } from '../platform/paths.ts';
import type { Before } from '../http/listen.ts';
import type { Pages } from './pages.ts';

const HMR_PATH = '/__hmr';
/** Paths that the app answers; Vite gets all others first. */
const OURS = /^\/(api|v1|healthz|readyz|outbox|transcribe-websocket)(\/|\?|$)/;

export interface DevShell {
  pages: Pages;
  before: Before;
  /** Whether Vite answers this upgrade: its hot reload socket. */
  foreignUpgrade: (path: string) => boolean;
  close(): Promise<void>;
}

/** Runs Vite in this process, which serves the console's sources with hot reload on the same port. */
export async function createDevShell(server: Server): Promise<DevShell> {
  const { createServer } = await import('vite');
  const vite = await createServer({
    root: projectRoot,
    appType: 'custom',
    server: { middlewareMode: true, hmr: { server, path: HMR_PATH } },
  });
  return {
    pages: {
      dev: true,
      html: async (page, url) => {
        const { pathname, search } = new URL(url);
        return vite.transformIndexHtml(pathname + search, await readFile(join(projectRoot, `${page}.html`), 'utf8'));
      },
    },
    before: (request, response, next) => {
      if (OURS.test(request.url ?? '/')) next();
      else vite.middlewares(request, response, next);
    },
    foreignUpgrade: (path) => path === HMR_PATH,
    close: () => vite.close(),
  };
}
