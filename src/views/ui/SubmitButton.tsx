import { type ButtonProps, Button, Spinner } from '@chakra-ui/react';

type Props = ButtonProps & {
  busy: boolean;
  /** What happens meanwhile: "Creating…". */
  busyLabel: string;
};

/** A form's main button. While busy it says so and keeps the focus; the chart ignores a second press. */
export function SubmitButton({ busy, busyLabel, children, ...rest }: Props) {
  return (
    <Button type="submit" aria-disabled={busy} aria-busy={busy} opacity={busy ? 0.8 : 1} {...rest}>
      {busy ? (
        <>
          <Spinner size="sm" aria-hidden />
          {busyLabel}
        </>
      ) : (
        children
      )}
    </Button>
  );
}
