import { fromCallback, type EventObject } from 'xstate';
import { inRem, type ViewportEvent, type ViewportInput } from '#machines/shared/viewport.ts';

type Port = Pick<Window, 'matchMedia'>;

/** The `viewport` actor: reports whether the window is narrow, at once and after changes (ASY-08, SHL-01). */
export const createViewport = (port: Port = window) =>
  fromCallback<EventObject, ViewportInput>(({ input: { wideFromPx }, sendBack }) => {
    const wide = port.matchMedia(`(width >= ${inRem(wideFromPx)})`);
    const sendWidth = () =>
      sendBack({ type: wide.matches ? 'viewport.widened' : 'viewport.narrowed' } satisfies ViewportEvent);
    wide.addEventListener('change', sendWidth);
    sendWidth();
    return () => wide.removeEventListener('change', sendWidth);
  });
