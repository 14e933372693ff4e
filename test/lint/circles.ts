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
    return (
      `${way.join(' → ')} is a circle of imports. ` +
      `Move what ${way.at(-2)} takes from ${start} into a file below both, or hand it in.`
    );
  });
}
