import type { Selectable } from 'kysely';
import { mailOf, type Sender } from '../../identity/accounts/mails.ts';
import type { Services } from '../../platform/context.ts';
import type { LimitTables } from '../../platform/db/limit-tables.ts';
import type { MailMessage } from '../../platform/mail/mail.ts';
import { LIMIT_NAMES, valueInWords } from './words.ts';

type Parts = Sender & Pick<Services, 'publicUrl'>;
type Increase = Selectable<LimitTables['limit_increases']>;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
const limitsPage = ({ publicUrl }: Parts, organizationId: string): string =>
  `${publicUrl()}/org/${organizationId}/limits/`;

/** The mail to the operator. Names and reasons are user input, so their line breaks are removed. */
export function increaseMail(
  services: Parts,
  {
    to,
    by,
    organization,
    row,
    maximum,
  }: { to: string; by: string; organization: string; row: Increase; maximum: number | null },
): MailMessage {
  const name = oneLine(organization);
  return mailOf(services, {
    to,
    link: limitsPage(services, row.organization_id),
    title: `${name} asks for a higher limit`,
    before: `${by} asks for ${valueInWords(row.name, row.value)} ${LIMIT_NAMES[row.name]} for the organization ${name} (${row.organization_id}); the most is ${valueInWords(row.name, maximum)} now. Reason: ${oneLine(row.reason)}`,
    action: 'Open limits',
    after: `Decide on the server: npm run admin -- limits grant ${row.id}, or npm run admin -- limits decline ${row.id} --answer "…".`,
    reason: 'this server sends requests for higher limits to this address.',
  });
}

/** The mail to the person who asked. */
export function decisionMail(
  services: Parts,
  { to, organization, row }: { to: string; organization: string; row: Increase },
): MailMessage {
  const name = oneLine(organization);
  const what = `${valueInWords(row.name, row.value)} ${LIMIT_NAMES[row.name]}`;
  const answer = row.answer === '' ? '' : ` The answer: ${oneLine(row.answer)}`;
  return mailOf(services, {
    to,
    link: limitsPage(services, row.organization_id),
    title: row.state === 'granted' ? 'A higher limit was granted' : 'A higher limit was declined',
    before:
      row.state === 'granted'
        ? `${name} may now have up to ${what}.${answer}`
        : `You asked for ${what} for ${name}. This was declined.${answer}`,
    action: 'Open limits',
    after:
      row.state === 'granted'
        ? 'A lower limit that the organization has set for itself stays until it is changed.'
        : 'What holds now stays as it is.',
    reason: `you asked for a higher limit for the organization ${name}.`,
  });
}
