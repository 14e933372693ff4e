/** The server's built files by name, from their sources. `…-worker` are threads, the others programs. */
export const SERVER_ENTRIES: Readonly<Record<string, string>>;
/** Builds what is out of date into dist/; `force` builds in any case. */
export function buildAll(options?: { force?: boolean }): Promise<void>;
/** The server's part, into `dist/server` of a folder. */
export function buildServer(into?: string): Promise<unknown>;
