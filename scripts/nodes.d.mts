export const NODES: readonly string[];
/** @returns the program of a version. @throws Error where npm has none for this machine */
export function fetchNode(version: string): string;
