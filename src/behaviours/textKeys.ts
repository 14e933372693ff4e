import { extendByPage, extendToEdge, scrollerOf } from './rowSelection.ts';
import { MODIFIER, type Described } from './shortcuts.ts';

/** Actions of the keys of a long text. */
type Keys = {
  /** Opens the text's own search. */
  search: () => void;
  /** Scrolls to a row, also to one not in the page; Infinity for the last one. */
  goTo: (row: number) => void;
};

type Scope = Keys & { element: HTMLElement; scroller: HTMLElement };

/** The keys, and their texts in the list of shortcuts. */
const BOUND: readonly (Described & {
  key: string;
  withModifier: boolean | 'either';
  withShift?: true;
  inText: boolean;
  act: (scope: Scope) => void;
})[] = [
  {
    keys: ['Home'],
    text: 'To the beginning of the text',
    key: 'home',
    withModifier: 'either',
    inText: true,
    act: ({ goTo }) => goTo(0),
  },
  {
    keys: ['End'],
    text: 'To the end of the text',
    key: 'end',
    withModifier: 'either',
    inText: true,
    act: ({ goTo }) => goTo(Infinity),
  },
  {
    keys: ['Shift', 'Home'],
    text: 'Select to the beginning',
    key: 'home',
    withModifier: 'either',
    withShift: true,
    inText: true,
    act: ({ goTo, scroller }) => {
      extendToEdge(scroller, -1);
      goTo(0);
    },
  },
  {
    keys: ['Shift', 'End'],
    text: 'Select to the end',
    key: 'end',
    withModifier: 'either',
    withShift: true,
    inText: true,
    act: ({ goTo, scroller }) => {
      extendToEdge(scroller, 1);
      goTo(Infinity);
    },
  },
  {
    keys: ['Shift', 'Page Up'],
    text: 'Select a page back',
    key: 'pageup',
    withModifier: false,
    withShift: true,
    inText: true,
    act: ({ scroller }) => extendByPage(scroller, -1),
  },
  {
    keys: ['Shift', 'Page Down'],
    text: 'Select a page on',
    key: 'pagedown',
    withModifier: false,
    withShift: true,
    inText: true,
    act: ({ scroller }) => extendByPage(scroller, 1),
  },
  {
    keys: [MODIFIER, 'A'],
    text: 'Select the whole text',
    key: 'a',
    withModifier: true,
    inText: true,
    act: ({ scroller }) => scroller.ownerDocument.getSelection()?.selectAllChildren(scroller),
  },
  {
    keys: [MODIFIER, 'F'],
    text: 'Search in the text',
    key: 'f',
    withModifier: true,
    inText: false,
    act: ({ search, element }) => {
      search();
      element.querySelector<HTMLElement>('[role=search] input')?.focus();
    },
  },
];

export const TEXT_KEYS: readonly Described[] = [...BOUND, { keys: ['Esc'], text: 'From the search back to the text' }];

/**
 * Keys of a text of which only some rows are in the page: go to its ends, select, search, and Escape from the search
 * back to the text. For the element around the text's `[data-scroller]` and a `[role=search]`. A ref callback that
 * returns its undo.
 */
export function textKeys(keys: Keys): (element: HTMLElement) => () => void {
  return (element) => {
    const scroller = scrollerOf(element);
    const keyDown = (event: KeyboardEvent) => {
      const isInText = event.target instanceof Node && scroller.contains(event.target);
      if (event.key === 'Escape' && !isInText) scroller.focus({ preventScroll: true });
      if (event.altKey) return;
      const isModified = event.ctrlKey || event.metaKey;
      // Caps Lock gives capital letters.
      const key = event.key.toLowerCase();
      const bound = BOUND.find(
        (binding) =>
          binding.key === key &&
          (binding.withShift ?? false) === event.shiftKey &&
          (isInText || !binding.inText) &&
          (binding.withModifier === 'either' || binding.withModifier === isModified),
      );
      if (!bound) return;
      event.preventDefault();
      bound.act({ ...keys, element, scroller });
    };
    element.addEventListener('keydown', keyDown);
    return () => element.removeEventListener('keydown', keyDown);
  };
}
