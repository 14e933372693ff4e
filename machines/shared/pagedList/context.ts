// What a paged list holds, and how its rows change.
import type { Failure } from '../failure.ts';
import type { ListPage } from './actors.ts';
import { newAmong, withBeginning, type Row } from './rows.ts';

/** A removed item and the id of its predecessor then, so that it can return to its place. */
type Removed<Item> = { item: Item; previousId: string | null };

/** `of` is the list's owner, such as an organization's UUID; `only` filters the list. */
export type PagedListInput = { of: string; only?: string } | undefined;

export type PagedListContext<Item> = {
  scope: PagedListInput;
  items: readonly Item[];
  /** Where the next page starts; null before the first page and after the last. */
  nextCursor: string | null;
  /** Kept even after the server removed them, because a page under way may still contain them. */
  removed: readonly Removed<Item>[];
  /** Kept during a retry of the first page, while there is nothing else to show. */
  failure: Failure | null;
  /**
   * The row to focus: the first of a page that the person asked for, or a restored one; {@link LIST_ITSELF} for the
   * list. Null once the view has focused it.
   */
  focusId: string | null;
  /** How many rows the last further page added; null before, and after any other change of rows. */
  added: number | null;
};

/** The `focusId` of the list itself, if it has no row to focus. */
export const LIST_ITSELF = '';

type Change<Item> = Partial<PagedListContext<Item>>;

const without = <Item extends Row>(items: readonly Item[], id: string): Item[] =>
  items.filter((item) => item.id !== id);

const removedItems = <Item extends Row>({ removed }: PagedListContext<Item>): Item[] => removed.map(({ item }) => item);

/** Appends what the page has and the list neither has nor had. */
const appended = <Item extends Row>(context: PagedListContext<Item>, page: ListPage<Item>): Item[] => [
  ...context.items,
  ...newAmong(page.items, [...context.items, ...removedItems(context)]),
];

/** @param wasAsked whether the person asked for the page, by a retry */
export function withFirstPage<Item extends Row>(
  context: PagedListContext<Item>,
  page: ListPage<Item>,
  wasAsked: boolean,
): Change<Item> {
  // Items may have been added while the page was under way.
  const items = appended(context, page);
  const focusId = wasAsked ? (items[0]?.id ?? LIST_ITSELF) : null;
  return { items, nextCursor: page.nextCursor, failure: null, focusId };
}

export function withFurtherPage<Item extends Row>(context: PagedListContext<Item>, page: ListPage<Item>): Change<Item> {
  const items = appended(context, page);
  const before = context.items.length;
  return {
    items,
    nextCursor: page.nextCursor,
    failure: null,
    focusId: items[before]?.id ?? null,
    added: items.length - before,
  };
}

/** Replaces the beginning with a newer first page. Rows behind it stay if they follow without a gap. */
export function withNewBeginning<Item extends Row>(
  context: PagedListContext<Item>,
  page: ListPage<Item>,
): Change<Item> {
  const { items, nextCursor } = withBeginning(context, page);
  return { items: newAmong(items, removedItems(context)), nextCursor, failure: null };
}

export const withAdded = <Item extends Row>({ items }: PagedListContext<Item>, item: Item): Change<Item> => ({
  items: [item, ...without(items, item.id)],
  added: null,
});

export const withUpdated = <Item extends Row>({ items }: PagedListContext<Item>, item: Item): Change<Item> => ({
  items: items.map((other) => (other.id === item.id ? item : other)),
});

/** Puts the item at the top, or updates its row; ignores an item removed here. */
export function withArrived<Item extends Row>(context: PagedListContext<Item>, item: Item): Change<Item> {
  const hasId = ({ id }: Row) => id === item.id;
  if (removedItems(context).some(hasId)) return {};
  return context.items.some(hasId) ? withUpdated(context, item) : withAdded(context, item);
}

/** Drops an item that was deleted elsewhere. */
export const withoutGone = <Item extends Row>({ items }: PagedListContext<Item>, id: string): Change<Item> => ({
  items: without(items, id),
});

/** Removes an item, and notes its place. */
export function withRemoved<Item extends Row>(context: PagedListContext<Item>, id: string): Change<Item> {
  const index = context.items.findIndex((item) => item.id === id);
  const item = context.items[index];
  if (!item) return {};
  const previousId = context.items[index - 1]?.id ?? null;
  return {
    items: without(context.items, id),
    removed: [...context.removed, { item, previousId }],
    focusId: null,
    added: null,
  };
}

/** Puts a removed item back to its place; to the top if its predecessor is gone. */
export function withRestored<Item extends Row>(context: PagedListContext<Item>, id: string): Change<Item> {
  const entry = context.removed.find(({ item }) => item.id === id);
  if (!entry) return {};
  const index = context.items.findIndex((item) => item.id === entry.previousId) + 1;
  return {
    items: context.items.toSpliced(index, 0, entry.item),
    removed: context.removed.filter((other) => other !== entry),
    focusId: id,
    added: null,
  };
}

/** The row at the place of `id`: itself, else the next, else the previous one; null in an empty list. */
export function rowAtPlaceOf<Item extends Row>({ items, removed }: PagedListContext<Item>, id: string): string | null {
  if (items.some((item) => item.id === id)) return id;
  const entry = removed.find(({ item }) => item.id === id);
  const previous = items.findIndex((item) => item.id === entry?.previousId);
  return (items[previous + 1] ?? items[previous])?.id ?? null;
}
