import * as v from 'valibot';
import { emailOf } from './emails.ts';
import { CONTACT_EMAIL_MAX, DESCRIPTION_MAX, NAME_MAX, Timestamp, Uuid } from './fields.ts';
import { Role } from './roles.ts';

/** The feature flag that the console knows; it ignores others. */
export const FLAG_STT_TAGS = 'stt-tags';

/** The largest number of existing organizations that one person may have made. */
export const ORGANIZATIONS_MAX = 20;
/** The largest number of projects of an organization. */
export const PROJECTS_MAX = 50;

export const Organization = v.object({
  uuid: Uuid,
  name: v.string(),
  contact_email: v.string(),
  feature_flags: v.array(v.string()),
});
export type Organization = v.InferOutput<typeof Organization>;

export const Project = v.object({ uuid: Uuid, name: v.string() });
export type Project = v.InferOutput<typeof Project>;

/** GET /api/v2/user/organizations/: the user's organizations, oldest first, with the projects that they see. */
export const Membership = v.object({ organization: Organization, role: Role, projects: v.array(Project) });
export type Membership = v.InferOutput<typeof Membership>;
export const Memberships = v.object({ organizations: v.array(Membership) });
export type Memberships = v.InferOutput<typeof Memberships>;

/** POST /api/v2/organizations/ (ORG-01). */
export const OrganizationCreate = v.object({
  name: v.pipe(
    v.string(),
    v.trim(),
    v.minLength(2, "Name can't be empty."),
    v.maxLength(NAME_MAX, `Name must be at most ${NAME_MAX} characters.`),
  ),
  contact_email: emailOf(CONTACT_EMAIL_MAX, `Contact e-mail must be at most ${CONTACT_EMAIL_MAX} characters.`),
});
export type OrganizationCreate = v.InferOutput<typeof OrganizationCreate>;
export const OrganizationCreated = v.object({ organization: v.object({ uuid: Uuid }) });
export type OrganizationCreated = v.InferOutput<typeof OrganizationCreated>;

/**
 * POST /api/v2/user/welcome/ → the organization and the project that the first such call of an account creates. Both
 * null if the account has called before, or already belongs to an organization.
 */
export const Welcome = v.object({ organization_uuid: v.nullable(Uuid), project_uuid: v.nullable(Uuid) });
export type Welcome = v.InferOutput<typeof Welcome>;
export const FIRST_ORGANIZATION = 'Personal';
export const FIRST_PROJECT = 'My first project';

/** POST /api/v2/organizations/{orgUuid}/projects/ (PRJ-01). */
export const ProjectCreate = v.object({
  name: v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1, "Name can't be empty."),
    v.maxLength(NAME_MAX, `Name must be at most ${NAME_MAX} characters.`),
  ),
  description: v.pipe(
    v.string(),
    v.maxLength(DESCRIPTION_MAX, `Description must be at most ${DESCRIPTION_MAX} characters.`),
  ),
});
export type ProjectCreate = v.InferOutput<typeof ProjectCreate>;
export const ProjectCreated = v.object({ project: v.object({ uuid: Uuid }) });
export type ProjectCreated = v.InferOutput<typeof ProjectCreated>;

/** GET and PUT /api/v2/organizations/{orgUuid}/ (ORG-06). DELETE → 204, with all projects; its books stay (LED-09). */
export const OrganizationDetails = v.object({ ...Organization.entries, created_at: Timestamp });
export type OrganizationDetails = v.InferOutput<typeof OrganizationDetails>;
export const OrganizationUpdate = OrganizationCreate;
export type OrganizationUpdate = v.InferOutput<typeof OrganizationUpdate>;

/**
 * GET /api/v2/organizations/{orgUuid}/deletion/: the balance, micro-USD. The deletion loses a positive balance, and is
 * refused for a negative one. 0 if a debt is written off: less than a cent, or any debt if the server has no prices.
 */
export const OrganizationDeletion = v.object({ balance_micros: v.pipe(v.number(), v.safeInteger()) });
export type OrganizationDeletion = v.InferOutput<typeof OrganizationDeletion>;
/**
 * Query of DELETE: the balance, micro-USD, that the caller has read and agrees to lose; 0 by default. Refused if the
 * balance is higher by now.
 */
export const OrganizationDeletionQuery = v.object({
  lost_micros: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d+$/, 'Must be a whole number of millionths of a US dollar.'),
      v.transform(Number),
      v.safeInteger('Must be at most 9007199254740991.'),
    ),
  ),
});

/** GET and PUT /api/v2/projects/{projectUuid}/ (PRJ-02). DELETE → 204, with its files, transcriptions and keys. */
export const ProjectDetails = v.object({ ...Project.entries, description: v.string(), created_at: Timestamp });
export type ProjectDetails = v.InferOutput<typeof ProjectDetails>;
export const ProjectUpdate = ProjectCreate;
export type ProjectUpdate = v.InferOutput<typeof ProjectUpdate>;

/** GET /api/v2/organizations/{orgUuid}/projects/: projects that the caller sees, oldest first. */
export const Projects = v.object({ projects: v.array(ProjectDetails) });
export type Projects = v.InferOutput<typeof Projects>;
