/** Names of projects on billing screens. */

type Project = { uuid: string; name: string; is_deleted: boolean };

/** Characters of an id that tell projects with the same name apart. */
const ID_LENGTH = 8;

/** By UUID: 'Call notes', 'Call notes (deleted)'. Adds the beginning of the id if several have the same name. */
export function projectNames(projects: readonly Project[]): ReadonlyMap<string, string> {
  const plain = ({ name, is_deleted }: Project) => (is_deleted ? `${name} (deleted)` : name);
  const counts = new Map<string, number>();
  for (const project of projects) counts.set(plain(project), (counts.get(plain(project)) ?? 0) + 1);
  return new Map(
    projects.map((project) => {
      const name = plain(project);
      return [project.uuid, (counts.get(name) ?? 0) > 1 ? `${name} ${project.uuid.slice(0, ID_LENGTH)}` : name];
    }),
  );
}
