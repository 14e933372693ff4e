/** Fewer paths for the browser, where each of them costs a page. */
import type { Path, Walk } from '../model.ts';

/** The fewest paths that take every transition that any path takes, found greedily; of equal ones the first. */
export function covering({ paths: all, play }: Pick<Walk, 'paths' | 'play'>): Path[] {
  const taken = new Map(all.map((path) => [path, play(path)]));
  const left = new Set([...taken.values()].flatMap((transitions) => [...transitions]));
  const chosen: Path[] = [];
  const gain = (path: Path) => [...(taken.get(path) ?? [])].filter((transition) => left.has(transition)).length;
  while (left.size > 0) {
    const best = all.reduce((a, b) => (gain(b) > gain(a) ? b : a));
    for (const transition of taken.get(best) ?? []) left.delete(transition);
    chosen.push(best);
  }
  return chosen;
}
