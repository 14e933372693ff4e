/**
 * Every screen in every state that it can stand in, as pictures and checks visit them. The screens come from the tables of
 * addresses, so a new one is here by itself; what opens over them is listed below.
 */
import type { Page, Route } from '@playwright/test';
import { PUBLIC_PATHS, SCREEN_PATHS } from '#src/locations.ts';
import { OVERLAYS } from './overlays.ts';
import { framed, type Scene, settle, type State } from './scene.ts';
import { type Place, showLongTranscription, showLongWebhooks, type World } from './world.ts';

/** Calls that the frame around a screen waits for, or that never end: they are answered as ever. */
const FRAME = /\/api\/v2\/(token\/|events\/|user\/$|user\/organizations\/)|\/v1\/models/;

/** Every address below a place, without those that need what it does not have. */
function addressesOf(pattern: string, place: Place): string[] {
  const path = pattern
    .replace('$orgUuid', place.orgUuid)
    .replace('$projectUuid', place.projectUuid)
    .replace('$fileUuid', place.fileUuid ?? '$fileUuid')
    .replace('$transcriptionUuid', place.transcriptionUuid ?? '$transcriptionUuid');
  if (path.includes('$')) return [];
  if (path.endsWith('/speech-to-text/'))
    return [`${path}?mode=async`, `${path}?mode=async&panel=history`, `${path}?mode=real-time`];
  return [path.includes('/speech-to-text/') ? `${path}?mode=async` : path];
}

/** The address without what is different in every run. */
const nameOf = (address: string, { orgUuid, projectUuid, fileUuid, transcriptionUuid }: Place) =>
  [
    [orgUuid, 'ORG'],
    [projectUuid, 'PROJECT'],
    [fileUuid, 'FILE'],
    [transcriptionUuid, 'TRANSCRIPTION'],
  ].reduce((name, [id, word]) => (id ? name.replace(id, word ?? '') : name), address);

/** Has what a screen reads never answered, or answered with a failure. */
async function answer(page: Page, how: (route: Route) => Promise<void>): Promise<void> {
  for (const pattern of ['**/api/v2/**', '**/v1/**'])
    await page.route(pattern, (route) => (FRAME.test(route.request().url()) ? route.fallback() : how(route)));
}

const failed = (route: Route) =>
  route.fulfill({
    status: 500,
    json: {
      status_code: 500,
      error_type: 'internal_error',
      message: 'Something went wrong on our side. Please try again later.',
      validation_errors: [],
      request_id: 'f2b9c1d4-5a0e-4a55-9d5e-0d5a7c4f8e21',
    },
  });

/** The screens that show what was used and paid. */
const OF_A_PAST = /^\/org\/\$orgUuid\/$|\/(billing|usage|logs|webhooks|metrics|limits)\//;

function patternsOf(who: 'demo' | 'billed' | 'long' | 'fresh'): string[] {
  const screens = [...SCREEN_PATHS.keys()];
  if (who === 'billed') return screens.filter((pattern) => OF_A_PAST.test(pattern));
  return ['/', '/user/', ...screens, ...(who === 'long' ? ['/no/such/page/'] : [])];
}

function placeScenes(world: World, who: 'demo' | 'billed' | 'long' | 'fresh', states: readonly State[]): Scene[] {
  const place = world[who];
  const patterns = patternsOf(who);
  const addresses = patterns.flatMap((pattern) => addressesOf(pattern, place));
  return states.flatMap((state) =>
    addresses.map((address) => ({
      screen: nameOf(address, place) + (who === 'billed' ? ' with a past' : ''),
      state,
      who,
      open: async (page: Page) => {
        if (who === 'long') {
          await showLongTranscription(page, place);
          await showLongWebhooks(page);
        }
        if (state === 'loading') await answer(page, () => new Promise(() => {}));
        if (state === 'error') await answer(page, failed);
        await page.goto(address);
        if (state === 'loading') await framed(page);
        else await settle(page);
      },
    })),
  );
}

function publicScenes({ tokens }: World): Scene[] {
  const addresses = PUBLIC_PATHS.map((pattern) =>
    pattern.replace(
      /^\/(signup|password|invite)\/\$token/,
      (_, kind: keyof World['tokens']) => `/${kind}/${tokens[kind]}`,
    ),
  );
  return addresses.map((address, index) => ({
    screen: PUBLIC_PATHS[index] ?? address,
    state: 'real data' as const,
    who: null,
    open: async (page: Page) => {
      await page.goto(address);
      await settle(page);
    },
  }));
}

export const scenesOf = (world: World): Scene[] => [
  ...publicScenes(world),
  ...placeScenes(world, 'demo', ['real data', 'loading', 'error']),
  ...placeScenes(world, 'billed', ['real data']),
  ...placeScenes(world, 'long', ['long names']),
  ...placeScenes(world, 'fresh', ['empty']),
  ...OVERLAYS,
];
