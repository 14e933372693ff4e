/** The page of the gallery: what there is of a screen side by side, filtered by links that need no script. */
import { escapeHtml } from '#server/platform/html.ts';

export type Picture = { screen: string; state: string; width: number; theme: 'light' | 'dark'; file: string };

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; color-scheme: light dark; }
h2 { margin: 3rem 0 .5rem; font-size: 1.1rem; overflow-wrap: anywhere; }
.row { display: flex; gap: 1rem; overflow-x: auto; align-items: flex-start; padding-bottom: .5rem; }
figure { margin: 0; flex: none; }
figcaption { font-size: .8rem; opacity: .75; }
img { height: 420px; width: auto; max-width: 720px; object-fit: contain; object-position: top; border: 1px solid #8886; }
nav { columns: 3 20rem; font-size: .85rem; }
`;

/** HTML with a section for each screen and state, its pictures by width and theme. */
export function galleryPage(pictures: readonly Picture[]): string {
  const scenes = new Map<string, Picture[]>();
  for (const picture of pictures) {
    const name = `${picture.screen} (${picture.state})`;
    scenes.set(name, [...(scenes.get(name) ?? []), picture]);
  }
  const sections = [...scenes].map(
    ([name, of], index) =>
      `<section id="s${index}"><h2>${escapeHtml(name)}</h2><div class="row">${of
        .map(
          ({ width, theme, file }) =>
            `<figure><a href="${file}">
<img loading="lazy" src="${file}" alt="${escapeHtml(`${name}, ${width} px, ${theme}`)}">
</a><figcaption>${width} px, ${theme}</figcaption></figure>`,
        )
        .join('')}</div></section>`,
  );
  const links = [...scenes.keys()].map((name, index) => `<li><a href="#s${index}">${escapeHtml(name)}</a></li>`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Gallery</title><style>${STYLE}</style>
<h1>Every screen, in every state</h1><nav><ul>${links.join('')}</ul></nav>
${sections.join('')}</html>`;
}
