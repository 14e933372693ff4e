import { describe, expect, it } from 'vitest';
import { PUBLIC_PATHS, SCREEN_PATHS } from '#src/locations.ts';
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
});
