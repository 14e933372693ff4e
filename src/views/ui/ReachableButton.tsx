import { Button, IconButton, type ButtonProps, type IconButtonProps } from '@chakra-ui/react';

type Props = Omit<ButtonProps, 'disabled'> & {
  /** Whether a press does anything now. */
  can: boolean;
  /** Whether it is at work on what it was asked for. */
  busy?: boolean;
};

/**
 * A button that can be reached, and keeps the focus, while there is nothing for it to do: were it `disabled` in the moment
 * it is pressed, the focus would drop to the page.
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

/** The same with a sign in place of words. */
export function ReachableIconButton({ can, onClick, ...rest }: Omit<IconButtonProps, 'disabled'> & Pick<Props, 'can'>) {
  return <IconButton aria-disabled={!can} {...rest} {...(can && onClick ? { onClick } : {})} />;
}
