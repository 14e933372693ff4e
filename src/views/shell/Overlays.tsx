import { FailsAlone } from '../ui/FailsAlone.tsx';
import { CommandPalette } from './CommandPalette.tsx';
import { CreateDialogs } from './CreateDialogs.tsx';
import { LeaveDialog } from './LeaveDialog.tsx';
import { ShortcutSheet } from './ShortcutSheet.tsx';

/** What may open over any screen; nothing of it shows at first. */
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
