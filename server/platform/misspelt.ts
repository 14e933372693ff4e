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
  return inSingular(name) === inSingular(own) || slipsBetween(name, own) <= (own.length >= LONG ? 2 : 1);
}

const inSingular = (name: string): string =>
  name
    .split('_')
    .map((word) => word.replace(/IES$/, 'Y').replace(/S$/, ''))
    .join('_');

/** Letters too many, too few, wrong, or swapped with their neighbour, at least. */
function slipsBetween(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= one.length; row += 1) {
    rows[row] = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const slips = [at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (isSame ? 0 : 1)];
      if (isSwapped) slips.push(at(row - 2, column - 2) + 1);
      rows[row]?.push(Math.min(...slips));
    }
  }
  return at(one.length, other.length);
}
