import { Button, IconButton, type ButtonProps, type IconButtonProps } from '@chakra-ui/react';

type Props = Omit<ButtonProps, 'disabled'> & {
  /** Whether the button works now. */
  can: boolean;
  /** Whether its action is in progress. */
  busy?: boolean;
};

/**
 * A button that uses `aria-disabled`, so that it stays focusable while it does not work. A `disabled` button would lose
 * the focus to the page.
 */
export function ReachableButton({ can, busy = false, onClick, ...rest }: Props) {
  return (
    <Button
      aria-disabled={!can}
      aria-busy={busy}
      opacity={busy ? 0.8 : undefined}
      {...rest}
      {...(can && onClick ? { onClick } : {})}
    />
  );
}

/** Like {@link ReachableButton}, with an icon. */
export function ReachableIconButton({ can, onClick, ...rest }: Omit<IconButtonProps, 'disabled'> & Pick<Props, 'can'>) {
  return <IconButton aria-disabled={!can} {...rest} {...(can && onClick ? { onClick } : {})} />;
}
