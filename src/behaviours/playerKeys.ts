import { SKIP_MS, type PlayerActor } from '#machines/player/machine.ts';

const TYPING = 'input, select, textarea, button, a, [contenteditable], [role=slider], [role=tab], [role=dialog], [role=alertdialog]';

/**
 * Plays by keyboard wherever the focus is in the element and nothing is typed: Space, J and L, < and >; Enter on a word,
 * or a click on it, plays from there. As a ref callback it returns its own undo.
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
      if (event.altKey || event.ctrlKey || event.metaKey || !(event.target instanceof Element) || event.target.closest(TYPING)) return;
      if (perform(player, event.key) || (event.key === 'Enter' && playFrom(event.target))) event.preventDefault();
    };
    // Whoever marks text to copy it does not want to hear it.
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
  switch (key) {
    case ' ':
      player.send({ type: 'toggle.requested' });
      return true;
    case 'j':
    case 'J':
      player.send({ type: 'skip.requested', byMs: -SKIP_MS });
      return true;
    case 'l':
    case 'L':
      player.send({ type: 'skip.requested', byMs: SKIP_MS });
      return true;
    case '<':
      player.send({ type: 'rate.stepped', by: -1 });
      return true;
    case '>':
      player.send({ type: 'rate.stepped', by: 1 });
      return true;
    default:
      return false;
  }
}
