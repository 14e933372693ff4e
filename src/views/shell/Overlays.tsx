import { PartBoundary } from '../ui/PartBoundary.tsx';
import { CommandPalette } from './CommandPalette.tsx';
import { CreateDialogs } from './CreateDialogs.tsx';
import { LeaveDialog } from './LeaveDialog.tsx';
import { ShortcutSheet } from './ShortcutSheet.tsx';

/** The dialogs that can open over any screen, closed at first. */
export function Overlays() {
  return (
    <>
      <PartBoundary>
        <CommandPalette />
      </PartBoundary>
      <PartBoundary>
        <ShortcutSheet />
      </PartBoundary>
      <PartBoundary>
        <CreateDialogs />
      </PartBoundary>
      <PartBoundary>
        <LeaveDialog />
      </PartBoundary>
    </>
  );
}
