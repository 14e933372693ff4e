/** A page of a list; `nextCursor` null means that it is the last. */
export type ListPage<Item> = { items: Item[]; nextCursor: string | null };
/** `cursor` null asks for the first page; `of` is what the list belongs to, `only` which of it is asked for, where they were told. */
export type PageRequest = { cursor: string | null; of?: string; only?: string };
