import { escapeHtml } from '../html.ts';

/** The console's colours (checked by a test against src/theme); mail programs know no custom properties. */
export const COLOURS = {
  light: { ground: '#f7f8fa', panel: '#ffffff', border: '#e3e6ec', text: '#09090b', muted: '#52596a' },
  dark: { ground: '#14171c', panel: '#171a20', border: '#2a2f38', text: '#fafafa', muted: '#a3abba' },
  button: '#1d5fd6',
  onButton: '#ffffff',
} as const;

const FONT = "font-family:'Inter Variable',Inter,system-ui,-apple-system,'Segoe UI',sans-serif";

/** The content of a mail, as plain text. */
export interface Letter {
  product: string;
  title: string;
  /** The text above the button. */
  before: string;
  /** Lines of a list below that text. */
  list?: readonly string[];
  /** Absolute URL. */
  link: string;
  /** Label of the button. */
  action: string;
  /** The text about the link, below the button. */
  after: string;
  /** Why the reader gets the mail, and whom to ask. */
  foot: string;
}

/** The plain text part. */
export const letterText = ({ before, list = [], link, after, foot }: Letter): string =>
  `${[before, ...(list.length === 0 ? [] : [list.join('\n')]), link, after, foot].join('\n\n')}\n`;

/**
 * The HTML part, in the console's font and colours, light or dark. Has one button, and its URL as text below (DOC-05).
 */
export function letterHtml({ product, title, before, list = [], link, action, after, foot }: Letter): string {
  const { light, dark } = COLOURS;
  const paragraph = (text: string, style: string, kind: string): string =>
    `<p class="${kind}" style="margin:0 0 20px;overflow-wrap:anywhere;${style}">${escapeHtml(text)}</p>`;
  const items = list.map((line) => `<li>${escapeHtml(line)}</li>`).join('');
  const muted = `color:${light.muted};font-size:14px;line-height:21px`;
  const button = [
    'display:inline-block;padding:12px 20px;border-radius:8px;font-weight:600;text-decoration:none',
    `background:${COLOURS.button};color:${COLOURS.onButton}`,
  ].join(';');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(title)}</title>
<style>:root{color-scheme:light dark}
@media (prefers-color-scheme:dark){
.ground{background:${dark.ground}!important;color:${dark.text}!important}
.panel{background:${dark.panel}!important;border-color:${dark.border}!important}
.muted{color:${dark.muted}!important}
}</style></head>
<body class="ground" style="margin:0;background:${light.ground};color:${light.text};${FONT}">
<div role="main" style="max-width:480px;margin:0 auto;padding:32px 16px;font-size:16px;line-height:24px">
<p style="margin:0 0 24px;font-weight:600;overflow-wrap:anywhere">${escapeHtml(product)}</p>
<div class="panel" style="padding:28px 24px 8px;border:1px solid ${light.border};border-radius:12px;background:${light.panel}">
<h1 style="margin:0 0 12px;font-size:22px;line-height:29px;font-weight:600;overflow-wrap:anywhere">${escapeHtml(title)}</h1>
${paragraph(before, '', 'text')}${items && `\n<ul style="margin:0 0 20px;padding:0 0 0 20px;overflow-wrap:anywhere">${items}</ul>`}
<p style="margin:0 0 20px"><a href="${escapeHtml(link)}" style="${button}">${escapeHtml(action)}</a></p>
${paragraph(`If the button doesn't work, open this address: ${link}`, muted, 'muted')}
${paragraph(after, muted, 'muted')}
</div>
<div style="padding:20px 24px 0">${paragraph(foot, muted, 'muted')}</div>
</div></body></html>`;
}
