import { FailsAlone } from '../ui/FailsAlone.tsx';
import { CommandPalette } from './CommandPalette.tsx';
import { CreateDialogs } from './CreateDialogs.tsx';
import { LeaveDialog } from './LeaveDialog.tsx';
import { ShortcutSheet } from './ShortcutSheet.tsx';

/** The dialogs that can open over any screen, closed at first. */
export function Overlays() {
  return (
    <>
      <FailsAlone>
        <CommandPalette />
      </FailsAlone>
      <FailsAlone>
        <ShortcutSheet />
      </FailsAlone>
      <FailsAlone>
        <CreateDialogs />
      </FailsAlone>
      <FailsAlone>
        <LeaveDialog />
      </FailsAlone>
    </>
  );
}
