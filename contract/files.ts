import * as v from 'valibot';
import { Timestamp, Uuid } from './fields.ts';

export const StoredFile = v.object({
  id: Uuid,
  filename: v.string(),
  /** Bytes. */
  size: v.number(),
  created_at: Timestamp,
  client_reference_id: v.nullish(v.string(), null),
});
export type StoredFile = v.InferOutput<typeof StoredFile>;

export const FilePage = v.object({ files: v.array(StoredFile), next_page_cursor: v.nullable(v.string()) });
export type FilePage = v.InferOutput<typeof FilePage>;

/** GET /v1/files/{id}/url: an address that works without credentials for an hour. */
export const FileUrl = v.object({ url: v.string() });
export type FileUrl = v.InferOutput<typeof FileUrl>;

export const Counts = v.object({ total: v.number(), public_api: v.number(), playground: v.number() });
export type Counts = v.InferOutput<typeof Counts>;

/** Name of the multipart field of an upload. */
export const UPLOAD_FIELD = 'file';
/** Largest upload of the public API. */
export const UPLOAD_MAX_BYTES = 1_073_741_824;
export const CLIENT_REFERENCE_MAX = 256;
