import { OUTBOX_PATH, type PageSettings } from '#contract/settings.ts';
import { ExternalLink } from './ExternalLink.tsx';

/** Where a mail is that no mail server sends, as the end of a sentence and what follows it (UXP-33). */
export function Unsent({ mails }: { mails: Exclude<PageSettings['mails'], 'sent'> }) {
  if (mails === 'lost')
    return <>ready, but can't be sent: this server has no mail server. Ask whoever runs it to set SMTP_URL.</>;
  if (mails === 'outboxClosed')
    return (
      <>
        waiting in the outbox. This server has no mail server, so nothing is sent; whoever runs it opens the outbox with
        the link that was printed at the start.
      </>
    );
  return (
    <>
      waiting in{' '}
      <ExternalLink
        href={OUTBOX_PATH}
        color="brand.fg"
        fontWeight="medium"
        textDecoration="underline"
        textUnderlineOffset="3px"
      >
        the outbox
      </ExternalLink>
      . This server has no mail server, so nothing is sent.
    </>
  );
}
