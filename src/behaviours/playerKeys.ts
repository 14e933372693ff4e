import { SKIP_MS, type PlayerActor } from '#machines/playground/player/machine.ts';
import type { Described } from './shortcuts.ts';

const SECONDS = SKIP_MS / 1000;

type PlayerEvent = Parameters<PlayerActor['send']>[0];

/** The keys, in either case, and their text in the list of shortcuts. */
const BOUND: readonly (Described & { key: string; event: PlayerEvent })[] = [
  { keys: ['Space'], text: 'Play or pause', key: ' ', event: { type: 'toggle.requested' } },
  { keys: ['J'], text: `Back ${SECONDS} seconds`, key: 'j', event: { type: 'skip.requested', byMs: -SKIP_MS } },
  { keys: ['L'], text: `Forward ${SECONDS} seconds`, key: 'l', event: { type: 'skip.requested', byMs: SKIP_MS } },
  { keys: ['<'], text: 'Slower', key: '<', event: { type: 'rate.stepped', by: -1 } },
  { keys: ['>'], text: 'Faster', key: '>', event: { type: 'rate.stepped', by: 1 } },
];

export const PLAYER_KEYS: readonly Described[] = [...BOUND, { keys: ['Enter'], text: 'Play from the focused word' }];

const TYPING =
  'input, select, textarea, button, a, [contenteditable], [role=slider], [role=tab], [role=dialog], [role=alertdialog]';

/**
 * Controls the player by keys anywhere in the element, except in fields and controls. Enter on a word, or a click on
 * it, plays from there. A ref callback that returns its undo.
 */
export function playerKeys(player: PlayerActor): (element: HTMLElement) => () => void {
  return (element) => {
    const playFrom = (target: EventTarget | null): boolean => {
      const word = target instanceof Element ? target.closest<HTMLElement>('[data-start]') : null;
      if (!word) return false;
      player.send({ type: 'word.chosen', startMs: Number(word.dataset['start']) });
      return true;
    };
    const keyDown = (event: KeyboardEvent) => {
      if (
        event.altKey ||
        event.ctrlKey ||
        event.metaKey ||
        !(event.target instanceof Element) ||
        event.target.closest(TYPING)
      )
        return;
      if (perform(player, event.key) || (event.key === 'Enter' && playFrom(event.target))) event.preventDefault();
    };
    // A click that ends a selection of text does not play.
    const click = ({ target }: Event) => {
      if (element.ownerDocument.getSelection()?.isCollapsed !== false) playFrom(target);
    };
    element.addEventListener('keydown', keyDown);
    element.addEventListener('click', click);
    return () => {
      element.removeEventListener('keydown', keyDown);
      element.removeEventListener('click', click);
    };
  };
}

function perform(player: PlayerActor, key: string): boolean {
  const bound = BOUND.find((binding) => binding.key === key.toLowerCase());
  if (bound) player.send(bound.event);
  return bound !== undefined;
}
