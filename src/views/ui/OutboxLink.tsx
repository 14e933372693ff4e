import { OUTBOX_PATH } from '#contract/settings.ts';
import { ExternalLink } from './ExternalLink.tsx';

/** A link to the e-mails that a server without SMTP keeps; render it only in browsers that may open them (UXP-33). */
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
