export const NODES: readonly string[];
/** @returns the path of a version's program @throws Error if npm has none for this machine */
export function fetchNode(version: string): string;
