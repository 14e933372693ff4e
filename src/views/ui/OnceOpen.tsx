import { type ReactNode, useMemo } from 'react';

type Props = { open: boolean; children: ReactNode };

/** Draws a dialog from its first opening on, so that it can also fade out. A dozen closed ones would slow each start. */
export function OnceOpen({ open, children }: Props) {
  const isNeeded = useMemo(() => createMemory(), []);
  return isNeeded(open) ? children : null;
}

/** Says whether it has ever been told yes. */
function createMemory(): (isSo: boolean) => boolean {
  let wasSo = false;
  return (isSo) => (wasSo ||= isSo);
}
