import { Button } from '@chakra-ui/react';

/** Loads again what could not be loaded. */
export const RetryButton = ({ actor }: { actor: { send: (event: { type: 'retry.requested' }) => void } }) => (
  <Button size="sm" variant="outline" onClick={() => actor.send({ type: 'retry.requested' })}>
    Retry
  </Button>
);
