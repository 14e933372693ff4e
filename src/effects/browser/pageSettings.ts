import * as v from 'valibot';
import { PageSettings, SETTINGS_ELEMENT_ID } from '#contract/settings.ts';

/** The page's settings are missing or invalid, so the console cannot start. */
export class PageSettingsError extends Error {
  constructor(reason: string) {
    super(`The page settings cannot be read: ${reason}`);
    this.name = 'PageSettingsError';
  }
}

/**
 * Reads the settings that the server wrote into the page's JSON element.
 * @throws PageSettingsError with the reason, for the 'Console error' screen.
 */
export function readPageSettings(page: Pick<Document, 'getElementById'> = document): PageSettings {
  let value: unknown;
  try {
    value = JSON.parse(page.getElementById(SETTINGS_ELEMENT_ID)?.textContent ?? '');
  } catch {
    throw new PageSettingsError('they are not JSON.');
  }
  const parsed = v.safeParse(PageSettings, value);
  if (!parsed.success) throw new PageSettingsError(v.summarize(parsed.issues));
  return parsed.output;
}
