/** The pages of the API reference, written from the OpenAPI documents. */
import { escapeHtml as text } from '../../../platform/html.ts';
import { type Chapter, contentsOf, entriesOf } from './entries.ts';
import { guide, GUIDE, type Limit } from './guide.ts';
import { code } from './types.ts';

/** Body of the speech API's page: a guide, then every call (DOC-01). */
export function speechReference(product: string, chapter: Chapter, limits: readonly Limit[]): string {
  const parts = GUIDE.map(([anchor, name]) => `<li><a href="#${anchor}">${name}</a></li>`).join('');
  const server = chapter.document.servers[0]?.url ?? '';
  return framed(
    `<li><a href="#guide">Guide</a><ul>${parts}</ul></li>${contentsOf(chapter)}`,
    `<h1 id="guide">${text(product)} API reference</h1>
<p>Calls are JSON over HTTP, at ${code(server)}. The server ignores fields that it does not know.
${documentLink(chapter)}</p>
${guide(chapter.document, limits)}
${entriesOf(chapter)}`,
  );
}

/** Body of the page of the console's own API. */
export const consoleReference = (product: string, chapter: Chapter): string =>
  framed(
    contentsOf(chapter),
    `<h1>${text(product)} console API</h1>
<p>The console itself calls this API, at ${code(chapter.document.servers[0]?.url ?? '')}.
It may change with any version; other programs should use the speech API.
${documentLink(chapter)}</p>${entriesOf(chapter)}`,
  );

const documentLink = ({ href }: Chapter): string => `<a href="${href}">Get the OpenAPI 3.1 document</a>.`;

const framed = (contents: string, main: string): string =>
  `<div class="reference">
<nav aria-label="Contents">
<details class="contents" open><summary>Contents</summary><ul>${contents}</ul></details>
</nav>
<main id="content">${main}</main>
</div>`;
