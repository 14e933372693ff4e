import type { Services } from '../platform/context.ts';

const whereKeysAre = ({ publicUrl }: Pick<Services, 'publicUrl'>): string =>
  `You can get an API key at ${publicUrl()}/api-keys/`;

/** The message for a call without a key. */
export const missingKey = (parts: Pick<Services, 'publicUrl'>): string => `Missing API key. ${whereKeysAre(parts)}`;

/** The message for an invalid key, with the console's page where people create keys. */
export const incorrectKey = (parts: Pick<Services, 'publicUrl'>): string =>
  `Incorrect API key provided. ${whereKeysAre(parts)}`;
