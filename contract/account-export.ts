/** The files in the ZIP archive of GET /api/v2/user/export/: JSON, or JSON lines for lists that may be long. */
export const EXPORT_FILES = [
  { name: 'profile.json', what: 'your name, e-mail address, and single sign-on' },
  { name: 'organizations.json', what: 'your organizations, your role in each, and the projects you can see' },
  { name: 'sessions.jsonl', what: 'your sign-ins of the last weeks: when they began and ended' },
  { name: 'api-keys.jsonl', what: 'API keys you created in these organizations, without their secrets' },
  { name: 'invitations.jsonl', what: 'invitations to you, and those you sent for these organizations' },
  { name: 'audit-log.jsonl', what: 'audit log entries of these organizations that you caused or that are about you' },
  { name: 'requests.jsonl', what: 'requests you made in the console, in projects you can see' },
  {
    name: 'transcriptions.jsonl',
    what: 'transcripts you made in the playground of those projects, each with its address',
  },
] as const;
export type ExportFile = (typeof EXPORT_FILES)[number]['name'];

/** What the archive leaves out, in sentences. */
export const EXPORT_LEFT_OUT = [
  'Recordings, which belong to their projects. Each transcript gives the address where its recording can be played.',
  'Word times and speakers, which the playground exports from each transcript.',
  'Requests that were refused before they began. The logs of each project show who made them.',
  'What programs did with an API key, and anything in organizations you have left. Ask their owners.',
] as const;
