import { Menu } from 'lucide-react';
import { usePreferences } from '../ui/state.ts';
import { Breadcrumb } from './Breadcrumb.tsx';
import { PaletteButton } from './PaletteButton.tsx';
import { ThemeSwitch } from '../ui/ThemeSwitch.tsx';

/** Above every console page: the drawer's button on small screens, the breadcrumb, the palette, the theme. */
export function TopBar() {
  const preferences = usePreferences();
  return (
    <header className="top-bar">
      <button
        type="button"
        className="menu-button"
        aria-label="Open navigation"
        onClick={() => preferences.send({ type: 'drawer.open.requested' })}
      >
        <Menu size={20} aria-hidden />
      </button>
      <Breadcrumb />
      <PaletteButton />
      <ThemeSwitch />
    </header>
  );
}
