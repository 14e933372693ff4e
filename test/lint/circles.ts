import type { ImportGraph } from './imports.ts';

/** The shortest way from a file back to itself along its imports, both ends included; undefined when there is none. */
function wayBack(graph: ImportGraph, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const next of graph.get(at) ?? []) {
      if (next === start) return [...wayTo(at, cameFrom), start];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, at);
      queue.push(next);
    }
  }
  return undefined;
}

function wayTo(end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const before = cameFrom.get(end);
  return before === undefined ? [end] : [...wayTo(before, cameFrom), end];
}

/**
 * A sentence for each circle of imports, the shortest way round. A file that is named in one starts no other, so that
 * several circles through the same files are told by some of them.
 */
export function circles(graph: ImportGraph): string[] {
  const named = new Set<string>();
  return [...graph.keys()].flatMap((start) => {
    const way = named.has(start) ? undefined : wayBack(graph, start);
    if (way === undefined) return [];
    for (const file of way) named.add(file);
    return `${way.join(' → ')} is a circle of imports. `
      + `Move what ${way.at(-2)} takes from ${start} into a file below both, or hand it in.`;
  });
}

/** An import that is known to close a circle, as `from → to`. */
export type KnownArrow = `${string} → ${string}`;

/** The graph without known arrows, and a sentence for each of them that closes no circle any more. */
export function withoutKnown(
  graph: ImportGraph, known: readonly KnownArrow[],
): { graph: ImportGraph; outdated: string[] } {
  const isOther = (from: string) => (to: string): boolean => !known.some((arrow) => arrow === `${from} → ${to}`);
  const rest = new Map([...graph].map(([from, targets]) => [from, targets.filter(isOther(from))]));
  const outdated = known.filter((arrow) => {
    const [from = '', to = ''] = arrow.split(' → ');
    const closes = wayBack(new Map([...rest, [from, [to]]]), from) !== undefined;
    return !closes || graph.get(from)?.includes(to) !== true;
  });
  return {
    graph: rest,
    outdated: outdated.map((arrow) => `${arrow} closes no circle any more. Remove it from the list of known ones.`),
  };
}
