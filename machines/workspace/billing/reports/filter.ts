// Reads and writes the projects and services of a report in its address.
import * as v from 'valibot';
import { BILLED_SERVICES, type BillingReport } from '#contract/billing.ts';
import { Uuid } from '#contract/fields.ts';
import type { ReportsView } from '../../../shared/route.ts';
import { periodView } from '../../usage/period.ts';
import { isSameView as hasSamePeriod } from '../../usage/range.ts';

/** The most projects in one call. */
const NAMED_MAX = 1000;

/** The distinct names in a comma-separated list. */
const namedIn = (list: string | undefined): string[] => [
  ...new Set((list ?? '').split(',').flatMap((name) => name.trim().toLowerCase() || [])),
];

/** The valid project UUIDs in an address; none for all projects. */
export const askedProjects = ({ project_ids }: ReportsView): string[] =>
  namedIn(project_ids)
    .filter((name) => v.is(Uuid, name))
    .slice(0, NAMED_MAX);

type ReportProjects = BillingReport['projects'];

const isKnown = (known: ReportProjects, name: string): boolean => known.some(({ uuid }) => uuid === name);

/** Whether the organization has none of the requested projects. */
export const areAllUnknown = (asked: readonly string[], known: ReportProjects): boolean =>
  asked.length > 0 && !asked.some((uuid) => isKnown(known, uuid));

/** Number of names in the address that are no project of the organization. */
export const countUnknown = ({ project_ids }: ReportsView, known: ReportProjects): number =>
  namedIn(project_ids).filter((name) => !isKnown(known, name)).length;

/** Whether the address names a service that is not billed. */
export const hasUnbilledService = ({ service_ids }: ReportsView): boolean =>
  namedIn(service_ids).some((name) => !BILLED_SERVICES.some((service) => service === name));

/** Adds or removes a project; in the organization's order, and none if all are chosen. */
export function toggled(asked: readonly string[], known: ReportProjects, project: string): string[] {
  const uuids = known.map(({ uuid }) => uuid);
  const chosen = uuids.filter((uuid) => asked.includes(uuid) !== (uuid === project));
  return chosen.length === uuids.length ? [] : chosen;
}

/** The parameters of an address besides the period. */
export const namesOf = ({ project_ids, service_ids }: ReportsView): ReportsView => ({
  ...(project_ids === undefined ? {} : { project_ids }),
  ...(service_ids === undefined ? {} : { service_ids }),
});

/** The parameters of a report in an address. */
export const viewOf = (view: ReportsView): ReportsView => ({ ...periodView(view), ...namesOf(view) });

/** The address with these projects; without the parameter if there are none, which means all. */
export function withProjects(view: ReportsView, chosen: readonly string[]): ReportsView {
  const { project_ids: _, ...others } = view;
  return { ...others, ...(chosen.length === 0 ? {} : { project_ids: chosen.join(',') }) };
}

/** Whether two addresses show the same report. */
export const isSameView = (one: ReportsView, other: ReportsView): boolean =>
  hasSamePeriod(one, other) && one.project_ids === other.project_ids && one.service_ids === other.service_ids;
