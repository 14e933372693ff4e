import { NodeFS } from '@electric-sql/pglite/nodefs';
import * as v from 'valibot';

const OTHERS = 0o077;
const callable = v.custom<(...parameters: unknown[]) => unknown>((value) => typeof value === 'function');
const FileSystem = v.object({ doSetAttr: callable });
const Attributes = v.looseObject({ mode: v.number() });

/**
 * The embedded database's folder, with private files. The database sets file modes by itself, regardless of the umask.
 */
export class PrivateFolder extends NodeFS {
  override async init(...parameters: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...parameters);
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [withoutOthers, ...[emscriptenOpts.preRun ?? []].flat()] } };
  }
}

function withoutOthers(module: unknown): void {
  const fileSystem: unknown = Reflect.get(Object(module), 'NODEFS');
  const { doSetAttr } = v.parse(FileSystem, fileSystem);
  Reflect.set(
    Object(fileSystem),
    'doSetAttr',
    (file: unknown, node: unknown, attributes: unknown, ...rest: unknown[]) =>
      doSetAttr(
        file,
        node,
        v.is(Attributes, attributes) ? { ...attributes, mode: attributes.mode & ~OTHERS } : attributes,
        ...rest,
      ),
  );
}
