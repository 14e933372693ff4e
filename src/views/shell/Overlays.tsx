import { CommandPalette } from './CommandPalette.tsx';
import { CreateDialogs } from './CreateDialogs.tsx';
import { LeaveDialog } from './LeaveDialog.tsx';
import { ShortcutSheet } from './ShortcutSheet.tsx';

/** What may open over any screen; nothing of it shows at first. */
export function Overlays() {
  return (
    <>
      <CommandPalette />
      <ShortcutSheet />
      <CreateDialogs />
      <LeaveDialog />
    </>
  );
}
