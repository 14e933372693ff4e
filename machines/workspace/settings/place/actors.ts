import type { FormValues, Submitted } from '../../../shared/form/types.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

/** An organization, whose `projectUuid` is empty, or one of its projects. */
export type Place = { orgUuid: string; projectUuid: string };

/** The editable fields of a place: its name and one more. */
export type PlaceFields = FormValues & { name: string };
export type PlaceDetails = { uuid: string; fields: PlaceFields };

/** GET /organizations/{orgUuid}/ or /projects/{projectUuid}/. */
export const loadDetails = promisePlaceholder<PlaceDetails, Place>('loadDetails');

/** PUT of the same path. */
export const saveDetails = promisePlaceholder<PlaceDetails, Submitted<PlaceFields, Place>>('saveDetails');

/** GET /organizations/{orgUuid}/deletion/: the balance of an organization, micro-USD. */
export const loadBalance = promisePlaceholder<number, Place>('loadBalance');

/** `about` of the deletion form. The person has to type `name`; `forfeitedMicros` is the lost balance, micro-USD. */
export type DeletionAbout = Place & { name: string; forfeitedMicros: string };
/** DELETE of the same path. */
export const deletePlace = promisePlaceholder<void, Submitted<{ typed: string }, DeletionAbout>>('deletePlace');
