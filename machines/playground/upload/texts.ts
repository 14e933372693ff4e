/** Why a drop was refused, or only in part taken. */
export type DropProblem = 'folder' | 'several';

export const DROP_PROBLEMS: Record<DropProblem, string> = {
  folder: 'Error! A folder cannot be uploaded. Drop a file.',
  several: 'Error! Only one file can be uploaded at a time. The first one was taken.',
};
