import { describe, expect, it } from 'vitest';
import { PUBLIC_PATHS, SCREEN_PATHS } from '#src/locations.ts';
import { galleryPage } from '../gallery/page.ts';
import { STATES } from '../gallery/scene.ts';
import { scenesOf } from '../gallery/scenes.ts';
import type { Place, World } from '../gallery/world.ts';

const place = (name: string): Place => ({
  account: { tokens: { access: '', refresh: '', access_expires_at: 0 }, playground: undefined, credential: undefined },
  orgUuid: `org-of-${name}`,
  projectUuid: `project-of-${name}`,
});
const world: World = {
  demo: place('demo'),
  billed: place('billed'),
  long: { ...place('long'), fileUuid: 'a-file', transcriptionUuid: 'a-transcription' },
  fresh: place('fresh'),
  tokens: { signup: 's', password: 'p', invite: 'i' },
};
const scenes = scenesOf(world);

describe('UXP-03: the gallery', () => {
  it('has every public screen, and every screen of a place in every state', () => {
    const names = (state: string) => scenes.filter((scene) => scene.state === state).map(({ screen }) => screen);
    expect(names('real data')).toEqual(expect.arrayContaining([...PUBLIC_PATHS]));
    const patterns = [...SCREEN_PATHS.keys()].map((path) =>
      path.replace('$orgUuid', 'ORG').replace('$projectUuid', 'PROJECT').replace('$page', 'overview'),
    );
    for (const state of STATES) {
      const shown = names(state).map((name) => name.replace(/\?.*/, ''));
      // A file and a transcription of its own has one place alone.
      const wanted = patterns.filter((path) => !path.includes('$'));
      expect(shown).toEqual(expect.arrayContaining(wanted));
    }
    const past = names('real data').filter((name) => name.endsWith(' with a past'));
    for (const path of ['billing/overview', 'billing/costs', 'api/logs', 'metrics', 'limits', 'usage/cost'])
      expect(past.some((name) => name.includes(`/${path}/`))).toBe(true);
    const long = names('long names').join(' ');
    expect(long).toContain('/new/FILE/');
    expect(long).toContain('/TRANSCRIPTION/');
  });

  it('is a page with each picture once, names as text', () => {
    const page = galleryPage([
      { screen: '/a<b>/', state: 'empty', width: 320, theme: 'dark', file: '0-320-dark.jpg' },
      { screen: '/a<b>/', state: 'empty', width: 1440, theme: 'light', file: '0-1440-light.jpg' },
      { screen: '/c/', state: 'error', width: 320, theme: 'dark', file: '1-320-dark.jpg' },
    ]);
    expect(page.match(/<section/g)).toHaveLength(2);
    expect(page.match(/<img [^>]*src="([^"]+)"/g)).toHaveLength(3);
    expect(page).toContain('/a&lt;b&gt;/ (empty), 320 px, dark');
    expect(page).not.toContain('<b>');
  });
});
