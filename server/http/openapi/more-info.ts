import type { Services } from '../../platform/context.ts';

/** Where people read about the APIs. */
export const REFERENCE_PATH = '/api/docs';
/** Where those who look into the console itself read about its own. */
export const CONSOLE_REFERENCE_PATH = `${REFERENCE_PATH}/console`;
/** The anchor of its first steps. */
export const QUICKSTART = 'quickstart';

type Told = Pick<Services, 'config' | 'publicUrl'>;

/** Where the links 'API reference' and 'Docs' lead: this server's own page unless the settings name others (UXP-31). */
export function referenceLinks({ config: { links }, publicUrl }: Told): { apiReference: string; docs: string } {
  const own = publicUrl() + REFERENCE_PATH;
  return { apiReference: links.apiReference ?? own, docs: links.docs ?? links.apiReference ?? `${own}#${QUICKSTART}` };
}

/** Where people read about a kind of error: an anchor of the API reference. */
export const moreInfoOf =
  (told: Told) =>
  (errorType: string): string =>
    `${referenceLinks(told).apiReference}#${errorType.replaceAll('_', '-')}`;
