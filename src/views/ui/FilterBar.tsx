import { Badge, Box, Button, CloseButton, Drawer, Flex, Portal, Text } from '@chakra-ui/react';
import { SlidersHorizontal, X } from 'lucide-react';
import type { ReactNode } from 'react';

/** Where a filter stands: in the row above the content, or in the drawer of narrow windows. */
export type FilterPlace = 'row' | 'drawer';

type Props = {
  label: string;
  /** The shown period, beside the button of narrow windows. */
  shown: ReactNode;
  /** How many filters are set. */
  count: number;
  /** Applies what is typed when "Done" is pressed. Returns whether it is right; if not, the drawer stays open. */
  onDone: () => boolean;
  /** Called when the drawer has closed. */
  onClose: () => void;
  children: (place: FilterPlace) => ReactNode;
};

/** Filters in one row above the content (CON-35); narrow windows have a button that opens them. */
export const FilterBar = ({ label, shown, children, ...drawer }: Props) => (
  // Takes the focus of a button that goes once pressed.
  <Box as="section" aria-label={label} data-keeps-focus tabIndex={-1} outline="none">
    <Flex hideBelow="md" wrap="wrap" align="center" gap="2">
      {children('row')}
    </Flex>
    <Flex hideFrom="md" align="center" gap="3">
      <FilterDrawer label={label} {...drawer}>
        {children}
      </FilterDrawer>
      <Text minW="0" fontSize="sm" color="fg.muted" lineHeight="short">
        {shown}
      </Text>
    </Flex>
  </Box>
);

/** The filters one below the other, at the foot of the window. */
const FilterDrawer = ({ label, count, onDone, onClose, children }: Omit<Props, 'shown'>) => (
  <Drawer.Root
    placement="bottom"
    onOpenChange={({ open }) => {
      if (!open) onClose();
    }}
    lazyMount
    unmountOnExit
  >
    <Drawer.Trigger asChild>
      <Button size="sm" variant="outline" flexShrink="0">
        <SlidersHorizontal size={16} aria-hidden /> <span>Filters</span>{' '}
        {count === 0 ? null : (
          <Badge variant="solid" colorPalette="brand" aria-label={`${count} set`}>
            {count}
          </Badge>
        )}
      </Button>
    </Drawer.Trigger>
    <Portal>
      <Drawer.Backdrop />
      <Drawer.Positioner hideFrom="md">
        <Drawer.Content maxH="90dvh" borderTopRadius="l3">
          <Drawer.Header pb="2">
            <Drawer.Title fontSize="lg">{label}</Drawer.Title>
          </Drawer.Header>
          <Drawer.Body display="flex" flexDirection="column" gap="4" pb="4">
            {children('drawer')}
          </Drawer.Body>
          <Drawer.Footer pt="2">
            <Drawer.Context>
              {({ setOpen }) => (
                <Button
                  width="full"
                  onClick={() => {
                    if (onDone()) setOpen(false);
                  }}
                >
                  Done
                </Button>
              )}
            </Drawer.Context>
          </Drawer.Footer>
          <Drawer.CloseTrigger asChild>
            <CloseButton size="sm" aria-label="Close">
              <X aria-hidden />
            </CloseButton>
          </Drawer.CloseTrigger>
        </Drawer.Content>
      </Drawer.Positioner>
    </Portal>
  </Drawer.Root>
);
