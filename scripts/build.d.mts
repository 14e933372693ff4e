/** Builds what is out of date into dist/; `force` builds in any case. */
export function buildAll(options?: { force?: boolean }): Promise<void>;
/** The server's part, into `dist/server` of a folder. */
export function buildServer(into?: string): Promise<void>;
