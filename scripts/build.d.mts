/** Sources of the server's built files, by name. `…-worker` are threads or processes, the others programs. */
export const SERVER_ENTRIES: Readonly<Record<string, string>>;
/** Builds console and server into dist/ if sources have changed, or always with `force`. */
export function buildAll(options?: { force?: boolean }): Promise<void>;
/** Builds the server into `dist/server` of a folder. */
export function buildServer(into?: string): Promise<unknown>;
