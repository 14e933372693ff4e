import { OUTBOX_PATH } from '#contract/settings.ts';
import { ExternalLink } from './ExternalLink.tsx';

/** To the messages that a server without a mail server keeps, in a browser that can open them (UXP-33). */
export const OutboxLink = () => (
  <ExternalLink
    href={OUTBOX_PATH}
    color="brand.fg"
    fontWeight="medium"
    textDecoration="underline"
    textUnderlineOffset="3px"
  >
    the outbox
  </ExternalLink>
);
