/** Names of settings that somebody misspelt: a server without a setting that its operator believes to be set may be open. */

/** From so many letters on two slips are taken for one name; of shorter names, other programs' are too near. */
const LONG = 10;

/**
 * A sentence for each of the given names that is nearly one of ours: a slip or two in it, singular instead of plural, or
 * lower case. Only names of several words are ours beyond doubt; `HOSTS` or `PATH` may be anybody's.
 */
export function misspeltSettings(given: readonly string[], ours: readonly string[]): string[] {
  const compound = ours.filter((name) => name.includes('_'));
  return given
    .filter((name) => !ours.includes(name))
    .flatMap((name) => {
      const meant = compound.find((own) => isNearly(name.toUpperCase(), own));
      return meant === undefined ? [] : [`Unknown setting ${name}, did you mean ${meant}?`];
    });
}

function isNearly(name: string, own: string): boolean {
  return inSingular(name) === inSingular(own) || isWithin(own.length >= LONG ? 2 : 1, name, own);
}

const inSingular = (name: string): string =>
  name
    .split('_')
    .map((word) => word.replace(/IES$/, 'Y').replace(/S$/, ''))
    .join('_');

/** Whether at most so many letters are too many, too few, wrong, or swapped with their neighbour. */
function isWithin(slips: number, one: string, other: string): boolean {
  if (slips < 0) return false;
  if (one === other) return true;
  if (one[0] === other[0]) return isWithin(slips, one.slice(1), other.slice(1));
  const isSwapped = one[0] === other[1] && one[1] === other[0];
  const steps = [[1, 0], [0, 1], [1, 1], ...(isSwapped ? [[2, 2]] : [])];
  return steps.some(([ofOne, ofOther]) => isWithin(slips - 1, one.slice(ofOne), other.slice(ofOther)));
}
