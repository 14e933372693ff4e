export const WITHOUT_SWIFT: string;
/** The Python that has Swift, and its environment variables; undefined if there is none. */
export function findSwift(): { python: string; env: Record<string, string> } | undefined;
/** Fetches Swift if it is missing and that is possible. */
export function ensureSwift(): void;
