import { Button, IconButton, type ButtonProps, type IconButtonProps } from '@chakra-ui/react';
import type { MouseEvent } from 'react';

type Props = Omit<ButtonProps, 'disabled'> & {
  /** Whether the button works now. */
  can: boolean;
  /** Whether its action is in progress. */
  busy?: boolean;
};

/**
 * A button that uses `aria-disabled`, so that it stays focusable while it does not work. A `disabled` button would lose
 * the focus to the page. While it does not work, it does not submit its form either, nor does Enter in a field.
 */
export function ReachableButton({ can, busy = false, onClick, ...rest }: Props) {
  return (
    <Button
      aria-disabled={!can}
      aria-busy={busy}
      opacity={busy ? 0.8 : undefined}
      {...rest}
      {...reachable(can, onClick)}
    />
  );
}

const prevent = (event: MouseEvent) => event.preventDefault();

function reachable(can: boolean, onClick: ButtonProps['onClick']): Pick<ButtonProps, 'onClick'> {
  if (!can) return { onClick: prevent };
  return onClick ? { onClick } : {};
}

/** Like {@link ReachableButton}, with an icon. */
export function ReachableIconButton({ can, onClick, ...rest }: Omit<IconButtonProps, 'disabled'> & Pick<Props, 'can'>) {
  return <IconButton aria-disabled={!can} {...rest} {...reachable(can, onClick)} />;
}
