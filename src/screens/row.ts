/** What a row of the table of screens says, and how it reads and writes the parameters of its address. */
import type { ComponentType } from 'react';
import { type Destination, type PlacedRoute } from '#machines/shared/route.ts';
import type { ScreenName } from '#machines/shared/screens.ts';

type Text = Record<string, string | undefined>;

/** Path parameters and query of a matched address. */
export type PlaceMatch = { params: Text; search: Record<string, unknown> };

/** Reads a screen's details from its address; null if the address names nothing. */
type Reader<Name extends ScreenName> = (match: PlaceMatch) => Omit<Destination<Name>, 'screen'> | null;

export type Icon =
  | 'audio'
  | 'bars'
  | 'card'
  | 'folder'
  | 'gauge'
  | 'gear'
  | 'key'
  | 'logs'
  | 'overview'
  | 'people'
  | 'pulse'
  | 'scroll'
  | 'webhook';

type Link<Name extends ScreenName> = {
  /** Replaces the screen's title. */
  label?: string;
  icon: Icon;
  /** One of the screen's addresses, if it has several. */
  to?: Omit<Destination<Name>, 'screen'>;
  /** The folder that groups the link with others. */
  folder?: string;
  /** Whether it is current also for addresses below its own. */
  isBranch?: true;
};

export type ScreenRow<Name extends ScreenName = ScreenName> = {
  /** Below the place. The page stays mounted between several paths; all begin with the first one. */
  paths: readonly [string, ...string[]];
  title: string;
  /** The title by address, if its addresses have different titles. */
  titleOf?(to: Destination<Name>): string;
  /** Shorter title for the end of the breadcrumb. */
  crumb?: string;
  /** The title inside a sentence, if not the title in lower case . */
  inSentence?: string;
  /** Links in sidebar and palette. A screen without links has a `command`. */
  links: readonly Link<Name>[];
  /** Fetches the view when the screen opens. */
  view: () => Promise<ComponentType>;
  /** Text in the palette of a screen that is not in the sidebar. */
  command?: string;
  read?: Reader<Name>;
  /** The path, if not the first one, and the query. */
  write?(route: PlacedRoute<Name>): { path?: string; search?: Text };
  /** Drops parameters of the query that `write` does not write. */
  isQueryOwn?: true;
  /** Other addresses below the place that redirect to it. */
  aliases?: Readonly<Record<string, Reader<Name>>>;
  /** Returns the route without parts that mean nothing. */
  plain?(route: PlacedRoute<Name>): PlacedRoute<Name>;
  /** Addresses without a place, which redirect to the first place (NAV-03). */
  short?: Readonly<Record<string, Reader<Name>>>;
};

const textOf = ({ search }: PlaceMatch, key: string) => (typeof search[key] === 'string' ? search[key] : undefined);

/** An object with the value, or an empty one if it is undefined. */
export function optional<Key extends string>(key: Key, value: string | undefined): { [K in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: string });
}

/** Reads no parameters, for addresses that name only the place. */
export const noDetails = () => ({});
/** Reads and writes parameters of the query as plain texts. The chart decides what they mean. */
export function query<const Key extends string>(...keys: readonly Key[]) {
  type Texts = { [K in Key]?: string };
  return {
    read: (match: PlaceMatch) => Object.assign({}, ...keys.map((key) => optional(key, textOf(match, key)))) as Texts,
    write: (route: Texts) => ({ search: Object.fromEntries(keys.map((key) => [key, route[key]])) as Text }),
  };
}
