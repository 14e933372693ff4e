import type { Services } from '../../platform/context.ts';

/** Where people read about the APIs. */
export const REFERENCE_PATH = '/api/docs';

/** Where people read about a kind of error: an anchor of the API reference. */
export const moreInfoOf =
  ({ config, publicUrl }: Pick<Services, 'config' | 'publicUrl'>) =>
  (errorType: string): string =>
    `${config.links.apiReference ?? publicUrl() + REFERENCE_PATH}#${errorType.replaceAll('_', '-')}`;
