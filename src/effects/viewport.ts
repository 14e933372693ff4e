import { fromCallback, type EventObject } from 'xstate';
import { NARROW_PX, type ViewportEvent } from '#machines/sidePanel/actors.ts';

type Port = Pick<Window, 'matchMedia'>;

/** The `viewport` actor: tells whether the window is narrow, at once and whenever that changes (ASY-08). */
export const createViewport = (port: Port = window) =>
  fromCallback<EventObject, void>(({ sendBack }) => {
    const narrow = port.matchMedia(`(max-width: ${NARROW_PX}px)`);
    const tell = () => sendBack({ type: narrow.matches ? 'viewport.narrowed' : 'viewport.widened' } satisfies ViewportEvent);
    narrow.addEventListener('change', tell);
    tell();
    return () => narrow.removeEventListener('change', tell);
  });
