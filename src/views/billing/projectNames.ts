/** What the screens of billing call projects. */

type Project = { uuid: string; name: string; is_deleted: boolean };

/** As much of an id as tells projects of one name apart. */
const TELLING = 8;

/** 'Call notes', 'Call notes (deleted)'; of several with the same name, each with the beginning of its id. By UUID. */
export function projectNames(projects: readonly Project[]): ReadonlyMap<string, string> {
  const plain = ({ name, is_deleted }: Project) => (is_deleted ? `${name} (deleted)` : name);
  const counts = new Map<string, number>();
  for (const project of projects) counts.set(plain(project), (counts.get(plain(project)) ?? 0) + 1);
  return new Map(
    projects.map((project) => {
      const name = plain(project);
      return [project.uuid, (counts.get(name) ?? 0) > 1 ? `${name} ${project.uuid.slice(0, TELLING)}` : name];
    }),
  );
}
