/** Packs a folder under its own name. The same files make the same bytes. @returns the archive's SHA-256 */
export function pack(folder: string, archive: string): Promise<string>;
