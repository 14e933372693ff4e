import type { Services } from '../platform/context.ts';

/** The message for an invalid key, with the console's page where people create keys. */
export const incorrectKey = ({ publicUrl }: Pick<Services, 'publicUrl'>): string =>
  `Incorrect API key provided. You can get an API key at ${publicUrl()}/api-keys/`;
