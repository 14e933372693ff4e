import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

type PageName = 'index' | 'inspector' | 'document';

/** Source of the pages' HTML: the build, or Vite in development. */
export interface Pages {
  dev: boolean;
  html(page: PageName, url: string): Promise<string>;
}

/** The pages of a build in a folder. */
export function builtPages(folder: string): Pages {
  return { dev: false, html: (page) => readFile(join(folder, `${page}.html`), 'utf8') };
}
