import type { Services } from '../platform/context.ts';

/** What is said of a key that opens nothing, wherever it comes: with the page of the console where keys are made. */
export const incorrectKey = ({ publicUrl }: Pick<Services, 'publicUrl'>): string =>
  `Incorrect API key provided. You can get an API key at ${publicUrl()}/api-keys/`;
