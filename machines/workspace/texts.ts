/** Texts of load failures (ERR-04). */
export const USER_FAILED = 'Failed to load user data. Try again later. If the problem persists contact support.';
/** For the organization in the address. */
export const ORGANIZATION_MISSING =
  'Failed to load organization data. Make sure you have a valid url or try again later. If the problem persists contact support.';
export const NO_ORGANIZATION =
  'Failed to load organization data. Make sure you have a valid project id. If the problem persists contact support.';
export const PROJECT_FAILED =
  'Failed to load project data. Make sure you have a valid project id. If the problem persists contact support.';
export const projectMissing = (supportEmail: string): string =>
  `Failed to load project data. Make sure you have a valid url or try again later. If the problem persists contact ${supportEmail}.`;
/** Why a short address leads nowhere (NAV-04). */
export const NO_PLACE = {
  organization: 'There is no organization to open it in.',
  project: 'There is no project to open it in.',
} as const;
