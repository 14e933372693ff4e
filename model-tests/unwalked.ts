/** The names that stand in every list, as often as in the shortest of them. */
export function unwalkedByAll([first = [], ...others]: readonly (readonly string[])[]): string[] {
  return others.reduce<string[]>(
    (left, list) => {
      const rest = [...list];
      return left.filter((name) => {
        const index = rest.indexOf(name);
        if (index >= 0) rest.splice(index, 1);
        return index >= 0;
      });
    },
    [...first],
  );
}
