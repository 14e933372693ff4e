export const WITHOUT_SWIFT: string;
/** The Python that has Swift, and what it needs in its environment; undefined when there is none. */
export function findSwift(): { python: string; env: Record<string, string> } | undefined;
/** Fetches one where none is there and that is possible. */
export function ensureSwift(): void;
