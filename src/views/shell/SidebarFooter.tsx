import { Menu, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { ChevronsUpDown, LogOut, UserRound } from 'lucide-react';
import type { Theme } from '#machines/root/preferences/actors.ts';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useEmail, useMembership, usePreferences, useSignOut, useSwitcher } from '../ui/state.ts';
import { navRow } from './navRow.ts';
import { THEMES } from '../ui/ThemeSwitch.tsx';

/** Shows who is signed in, and opens a menu with account, theme and sign-out (SHL-09). */
export function SidebarFooter() {
  const chart = useSwitcher();
  const email = useEmail();
  const open = useSelector(chart, (snapshot) => snapshot.hasTag('accountOpen'));
  return (
    <div className="sidebar-foot">
      <Menu.Root
        open={open}
        onOpenChange={(details) =>
          chart.send(
            details.open
              ? { type: 'switcher.requested', switcher: 'account' }
              : { type: 'switcher.dismissed', switcher: 'account' },
          )
        }
        positioning={{ strategy: 'fixed', placement: 'top-start', sameWidth: true, gutter: 4 }}
        lazyMount
        unmountOnExit
      >
        <Menu.Trigger asChild>
          <button type="button" className="account-button" title={email} aria-label={`Account: ${email}`}>
            {/* A placeholder for the person's picture. */}
            <i aria-hidden>{email.charAt(0).toUpperCase()}</i>
            <span dir="auto">{email}</span>
            <ChevronsUpDown size={16} aria-hidden />
          </button>
        </Menu.Trigger>
        <Menu.Positioner>
          <AccountMenu email={email} />
        </Menu.Positioner>
      </Menu.Root>
    </div>
  );
}

function AccountMenu({ email }: { email: string }) {
  const signOut = useSignOut();
  const preferences = usePreferences();
  const poi = useMembership()?.organization.uuid;
  return (
    <Menu.Content width="full" minW="0" borderRadius="l2" borderWidth="1px" boxShadow="lg" p="1.5">
      {/* The whole address; the row truncates it. */}
      <Text px="3" py="2" fontSize="sm" color="fg.muted" overflowWrap="anywhere" aria-hidden>
        <bdi>{email}</bdi>
      </Text>
      <Menu.Item value="account" asChild {...row}>
        <ScreenLink
          to={{ screen: 'user', ...(poi ? { poi } : {}) }}
          onClick={() => preferences.send({ type: 'drawer.close.requested' })}
        >
          <UserRound size={16} aria-hidden />
          Manage your account
        </ScreenLink>
      </Menu.Item>
      <ThemeChoice />
      <Menu.Item value="signOut" onSelect={signOut} {...row}>
        <LogOut size={16} aria-hidden />
        Sign out
      </Menu.Item>
    </Menu.Content>
  );
}

/**
 * The theme, while the sidebar is a drawer over the top bar (UXP-43). Otherwise it is absent, not hidden: the menu's
 * keys also visit hidden items.
 */
function ThemeChoice() {
  const preferences = usePreferences();
  const isInDrawer = useSelector(preferences, (snapshot) => snapshot.hasTag('drawerOpen'));
  const chosen = useSelector(preferences, (snapshot) => snapshot.context.theme);
  if (!isInDrawer) return null;
  return (
    <Menu.RadioItemGroup
      value={chosen}
      onValueChange={({ value }) => preferences.send({ type: 'theme.chosen', theme: value as Theme })}
      my="1.5"
      py="1.5"
      borderBlockWidth="1px"
    >
      <Menu.ItemGroupLabel px="3" fontWeight="normal" color="fg.muted">
        Theme
      </Menu.ItemGroupLabel>
      {THEMES.map(({ theme, label, icon: Icon }) => (
        <Menu.RadioItem key={theme} value={theme} {...row}>
          <Icon size={16} aria-hidden />
          <span>{label}</span>
          <Menu.ItemIndicator insetStart="auto" insetEnd="3" />
        </Menu.RadioItem>
      ))}
    </Menu.RadioItemGroup>
  );
}

const row = { ...navRow, _hover: {}, _currentPage: {}, _highlighted: { bg: 'bg.muted', color: 'fg' } } as const;
