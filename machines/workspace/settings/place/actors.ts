import type { FormValues, Submitted } from '../../../shared/form/types.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

/** An organization, whose `projectUuid` is empty, or one of its projects. */
export type Place = { orgUuid: string; projectUuid: string };

/** What can be changed of a place: its name, and one thing more. */
export type PlaceFields = FormValues & { name: string };
export type PlaceDetails = { uuid: string; fields: PlaceFields };

/** GET /organizations/{orgUuid}/ or /projects/{projectUuid}/. */
export const loadDetails = promisePlaceholder<PlaceDetails, Place>('loadDetails');

/** PUT of the same address. */
export const saveDetails = promisePlaceholder<PlaceDetails, Submitted<PlaceFields, Place>>('saveDetails');

/** GET /organizations/{orgUuid}/deletion/: the balance of an organization, micro-USD. */
export const loadBalance = promisePlaceholder<number, Place>('loadBalance');

/** What the question before a deletion is about: `name` is to be typed, and so much of a balance, micro-USD, is said to be lost. */
export type DeletionAbout = Place & { name: string; forfeitedMicros: string };
/** DELETE of the same address. */
export const deletePlace = promisePlaceholder<void, Submitted<{ typed: string }, DeletionAbout>>('deletePlace');
