import type { PlayerActor } from '#machines/playground/player/machine.ts';

/** The word spoken at a position: its start in milliseconds, and its row. */
export type PlaceAt = (positionMs: number) => { startMs: number; row: number } | undefined;

/**
 * Marks the spoken word with `data-said`, and while the player plays keeps the word in view, until the user scrolls
 * away. For the element that scrolls; `scrollTo` brings a row into the page. A ref callback that returns its undo.
 */
export function followPlayback(
  player: PlayerActor,
  placeAt: PlaceAt,
  scrollTo: (row: number) => void,
): (element: HTMLElement) => () => void {
  return (element) => {
    let marked: Element | null = null;
    let markedAt: number | undefined;
    let wasPlaying = false;
    let isAway = false;
    const mark = (word: Element | null) => {
      if (word === marked) return;
      marked?.removeAttribute('data-said');
      word?.setAttribute('data-said', '');
      marked = word;
    };
    const look = (positionMs: number, isPlaying: boolean) => {
      // A user who starts, pauses or seeks wants to see the place.
      if (isPlaying !== wasPlaying || !isPlaying) isAway = false;
      wasPlaying = isPlaying;
      if (!isPlaying && positionMs === 0) return mark(null);
      const place = placeAt(positionMs);
      const word = place ? element.querySelector(`[data-start="${place.startMs}"]`) : null;
      mark(word);
      const isOther = place?.startMs !== markedAt;
      markedAt = place?.startMs;
      if (!place || !isOther || isAway) return;
      if (word) keepInSight(element, word);
      else scrollTo(place.row);
    };
    const subscription = player.subscribe((snapshot) => look(snapshot.context.positionMs, snapshot.hasTag('playing')));
    const leave = () => {
      isAway = true;
    };
    element.addEventListener('wheel', leave, { passive: true });
    element.addEventListener('touchmove', leave, { passive: true });
    return () => {
      subscription.unsubscribe();
      element.removeEventListener('wheel', leave);
      element.removeEventListener('touchmove', leave);
      mark(null);
    };
  };
}

/** Scrolls only if the word is out of view. */
function keepInSight(scroller: HTMLElement, word: Element): void {
  const sight = scroller.getBoundingClientRect();
  const place = word.getBoundingClientRect();
  if (place.top >= sight.top && place.bottom <= sight.bottom) return;
  scroller.scrollTop += place.top - sight.top - sight.height / 3;
}
