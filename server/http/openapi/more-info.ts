import type { Services } from '../../platform/context.ts';
import { REFERENCE_PATH } from '../../app/openapi-routes.ts';

/** Where people read about a kind of error: an anchor of the API reference. */
export const moreInfoOf = ({ config, publicUrl }: Pick<Services, 'config' | 'publicUrl'>) => (errorType: string): string =>
  `${config.links.apiReference ?? publicUrl() + REFERENCE_PATH}#${errorType.replaceAll('_', '-')}`;
