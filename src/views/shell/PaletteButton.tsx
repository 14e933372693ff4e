import { useSelector } from '@xstate/react';
import { Search } from 'lucide-react';
import { keyCap, SHORTCUTS } from '../../behaviours/shortcuts.ts';
import { useWorkspace } from '../ui/state.ts';

const KEYS = SHORTCUTS.find(({ event }) => event.type === 'palette.requested')?.keys ?? [];

/** Opens the command palette, and shows its keyboard shortcut. */
export function PaletteButton() {
  const palette = useSelector(useWorkspace(), (snapshot) => snapshot.children.palette);
  return (
    <button
      type="button"
      className="palette-button"
      aria-label="Search screens and commands"
      onClick={() => palette?.send({ type: 'palette.requested' })}
    >
      <Search size={16} aria-hidden />
      <span aria-hidden>
        {KEYS.map((key) => (
          <kbd key={key} className="kbd-sm notranslate">
            {keyCap(key)}
          </kbd>
        ))}
      </span>
    </button>
  );
}
