/** Why a drop was not taken as it was. */
export type DropProblem = 'folder' | 'several';

/** What the toast says then. */
export const DROP_PROBLEMS: Record<DropProblem, string> = {
  folder: 'Error! A folder cannot be uploaded. Drop a file.',
  several: 'Error! Only one file can be uploaded at a time. The first one was taken.',
};
