/** Which projects and services a report is about: what the address asks for, and what of that there is. */
import * as v from 'valibot';
import { BILLED_SERVICES, type BillingReport } from '#contract/billing.ts';
import { Uuid } from '#contract/fields.ts';
import type { ReportsView } from '../../../shared/route.ts';
import { dated } from '../../usage/period.ts';
import { isSameView as hasSamePeriod } from '../../usage/range.ts';

/** The most projects that one call may name. */
const NAMED_MAX = 1000;

/** What a list with commas names, each once. */
const namedIn = (list: string | undefined): string[] => [
  ...new Set((list ?? '').split(',').flatMap((name) => name.trim().toLowerCase() || [])),
];

/** The projects that an address asks for, as far as they can be any; none for all of them. */
export const askedProjects = ({ project_ids }: ReportsView): string[] =>
  namedIn(project_ids)
    .filter((name) => v.is(Uuid, name))
    .slice(0, NAMED_MAX);

type Known = BillingReport['projects'];

const isKnown = (known: Known, name: string): boolean => known.some(({ uuid }) => uuid === name);

/** Whether projects are asked for, of which the organization has none. */
export const isOfStrangers = (asked: readonly string[], known: Known): boolean =>
  asked.length > 0 && !asked.some((uuid) => isKnown(known, uuid));

/** How many names of the address are of no project of the organization. */
export const strangersIn = ({ project_ids }: ReportsView, known: Known): number =>
  namedIn(project_ids).filter((name) => !isKnown(known, name)).length;

/** Whether the address asks for a service that is not billed. */
export const isOfOtherService = ({ service_ids }: ReportsView): boolean =>
  namedIn(service_ids).some((name) => !BILLED_SERVICES.some((service) => service === name));

/** The projects with one more or one less, in the order of their names; none where that is all of them. */
export function toggled(asked: readonly string[], known: Known, project: string): string[] {
  const uuids = known.map(({ uuid }) => uuid);
  const chosen = uuids.filter((uuid) => asked.includes(uuid) !== (uuid === project));
  return chosen.length === uuids.length ? [] : chosen;
}

/** What an address tells besides the period. */
export const namesOf = ({ project_ids, service_ids }: ReportsView): ReportsView => ({
  ...(project_ids === undefined ? {} : { project_ids }),
  ...(service_ids === undefined ? {} : { service_ids }),
});

/** Only what an address tells of a report. */
export const viewOf = (view: ReportsView): ReportsView => ({ ...dated(view), ...namesOf(view) });

/** An address that asks for other projects; of all of them it says nothing. */
export function withProjects(view: ReportsView, chosen: readonly string[]): ReportsView {
  const { project_ids: _, ...others } = view;
  return { ...others, ...(chosen.length === 0 ? {} : { project_ids: chosen.join(',') }) };
}

/** Whether two addresses ask for the same report. */
export const isSameView = (one: ReportsView, other: ReportsView): boolean =>
  hasSamePeriod(one, other) && one.project_ids === other.project_ids && one.service_ids === other.service_ids;
