import type { Services } from '../../platform/context.ts';

/** Path of the speech API's reference. */
export const REFERENCE_PATH = '/api/docs';
/** Path of the reference of the console's own API. */
export const CONSOLE_REFERENCE_PATH = `${REFERENCE_PATH}/console`;
/** The anchor of the quickstart. */
export const QUICKSTART = 'quickstart';

type Parts = Pick<Services, 'config' | 'publicUrl'>;

/** URLs of the links 'API reference' and 'Docs': this server's own page, unless the settings name others (UXP-31). */
export function referenceLinks({ config: { links }, publicUrl }: Parts): { apiReference: string; docs: string } {
  const own = publicUrl() + REFERENCE_PATH;
  return { apiReference: links.apiReference ?? own, docs: links.docs ?? links.apiReference ?? `${own}#${QUICKSTART}` };
}

/** The URL of an error type's entry in the API reference. */
export const moreInfoOf =
  (parts: Parts) =>
  (errorType: string): string =>
    `${referenceLinks(parts).apiReference}#${errorType.replaceAll('_', '-')}`;
