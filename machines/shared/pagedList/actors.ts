/** A page of a list; `nextCursor` null means that it is the last. */
export type ListPage<Item> = { items: Item[]; nextCursor: string | null };
/** `cursor` null asks for the first page; `of` and `only` are those of the list's input. */
export type PageRequest = { cursor: string | null; of?: string; only?: string };
