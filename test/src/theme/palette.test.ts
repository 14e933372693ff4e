/** The console's colours outside of the console: on the pages beside it, and in mails. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COLOURS, letterHtml, letterText } from '#server/platform/mail/letter.ts';
import { publicSystem } from '#src/theme/public.ts';

const css = readFileSync(new URL('../../../src/pages/palette.css', import.meta.url), 'utf8');

/** A colour of the theme, light and dark, in lower case. */
function themed(name: string): [string, string] {
  const token = publicSystem().tokens.getByName(`colors.${name}`);
  const resolve = (value: unknown): string => {
    const text = String(value);
    const [, path] = /^\{colors\.(.+)\}$/.exec(text) ?? [];
    return path === undefined
      ? text.toLowerCase()
      : resolve(publicSystem().tokens.getByName(`colors.${path}`)?.originalValue);
  };
  const { _light, _dark, base } = (token?.extensions.conditions ?? {}) as Record<string, unknown>;
  return [resolve(_light ?? base ?? token?.originalValue), resolve(_dark ?? base ?? token?.originalValue)];
}

/** The same from the stylesheet. */
function styled(name: string): [string, string] {
  const [, value = ''] = new RegExp(`--${name}: ([^;]+);`).exec(css) ?? [];
  const [, light = value, dark = value] = /light-dark\((\S+), (\S+)\)/.exec(value) ?? [];
  return [light, dark];
}

describe('the palette', () => {
  it.each([
    ['bg', 'bg'],
    ['bg-subtle', 'bg.subtle'],
    ['bg-panel', 'bg.panel'],
    ['fg', 'fg'],
    ['fg-muted', 'fg.muted'],
    ['fg-subtle', 'fg.subtle'],
    ['fg-error', 'fg.error'],
    ['border', 'border'],
    ['brand', 'brand.solid'],
    ['brand-contrast', 'brand.contrast'],
    ['brand-fg', 'brand.fg'],
    ['brand-subtle', 'brand.subtle'],
    ['focus', 'brand.focusRing'],
  ])("DOC-03: --%s of the pages beside the console is the theme's %s", (variable, token) => {
    expect(styled(variable)).toEqual(themed(token));
  });

  it("DOC-05: mails have the theme's colours", () => {
    const { light, dark, button, onButton } = COLOURS;
    expect([
      [light.ground, dark.ground],
      [light.panel, dark.panel],
      [light.border, dark.border],
      [light.text, dark.text],
      [light.muted, dark.muted],
      [button, button],
      [onButton, onButton],
    ]).toEqual(['bg.subtle', 'bg.panel', 'border', 'fg', 'fg.muted', 'brand.solid', 'brand.contrast'].map(themed));
  });
});

describe('a mail', () => {
  const letter = {
    product: 'Parlance',
    title: 'Join <b>Ada & Co</b>',
    before: 'Ada invites you.',
    link: 'https://e.x/?a=1&b="2"',
    action: 'Accept invitation',
    after: 'This link works once.',
    foot: 'You get this e-mail because Ada entered this address.',
  };

  it('DOC-05: has one button, its address as text below, and the reason why one gets it', () => {
    const html = letterHtml(letter);
    expect(html.match(/<a /g)).toHaveLength(1);
    expect(html).toContain('href="https://e.x/?a=1&amp;b=&quot;2&quot;"');
    expect(html).toContain('open this address: https://e.x/?a=1&amp;b=&quot;2&quot;<');
    expect(html).toContain('You get this e-mail because Ada entered this address.');
    expect(html).not.toMatch(/<b>|<img|<script|https?:\/\/(?!e\.x)/);
  });

  it('DOC-05: says the same in its text part', () => {
    expect(letterText(letter)).toBe(
      'Ada invites you.\n\nhttps://e.x/?a=1&b="2"\n\nThis link works once.\n\nYou get this e-mail because Ada entered this address.\n',
    );
  });
});
