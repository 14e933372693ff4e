/**
 * Adds outputs to an ONNX model without rebuilding it: splices entries into the bytes of the file, a protobuf message.
 * Field numbers are those of onnx.proto: ModelProto.graph 7; GraphProto.node 1, .output 12; NodeProto.output 2,
 * .op_type 4, .attribute 5; AttributeProto.g 6; ValueInfoProto.name 1, .type 2; TypeProto.tensor_type 1;
 * Tensor.elem_type 1 (1 = float).
 */

interface Field {
  number: number;
  /** Content of a length-delimited field, else undefined. */
  content: Uint8Array | undefined;
  /** The field as it stands in the file, tag included. */
  bytes: Uint8Array;
}

function readVarint(data: Uint8Array, offset: number): { value: number; next: number } {
  let value = 0;
  let scale = 1;
  for (let at = offset; at < data.length; at += 1) {
    const byte = data[at] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, next: at + 1 };
    scale *= 128;
  }
  throw new Error('The model file ends inside a number.');
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) | 0x80);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

function* fieldsOf(message: Uint8Array): Generator<Field> {
  let offset = 0;
  while (offset < message.length) {
    const tag = readVarint(message, offset);
    let end: number;
    let content: Uint8Array | undefined;
    switch (tag.value % 8) {
      case 0:
        end = readVarint(message, tag.next).next;
        break;
      case 1:
        end = tag.next + 8;
        break;
      case 5:
        end = tag.next + 4;
        break;
      case 2: {
        const length = readVarint(message, tag.next);
        end = length.next + length.value;
        content = message.subarray(length.next, end);
        break;
      }
      default:
        throw new Error('The model file is not a protobuf message.');
    }
    if (end > message.length) throw new Error('The model file ends inside a field.');
    yield { number: Math.floor(tag.value / 8), content, bytes: message.subarray(offset, end) };
    offset = end;
  }
}

const delimited = (number: number, content: Uint8Array): Uint8Array =>
  Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);

function floatValueInfo(name: string): Uint8Array {
  const tensorType = Uint8Array.of(1 * 8, 1);
  return Buffer.concat([delimited(1, Buffer.from(name)), delimited(2, delimited(1, tensorType))]);
}

/** Rewrites the length-delimited fields `number` of a message and appends `extra` fields. */
function rewrite(
  message: Uint8Array,
  number: number,
  change: (content: Uint8Array) => Uint8Array,
  extra: readonly Uint8Array[] = [],
): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const field of fieldsOf(message)) {
    parts.push(
      field.number === number && field.content !== undefined ? delimited(number, change(field.content)) : field.bytes,
    );
  }
  return Buffer.concat([...parts, ...extra]);
}

const isIf = (node: Uint8Array): boolean => {
  for (const field of fieldsOf(node))
    if (field.number === 4 && field.content !== undefined) return Buffer.from(field.content).toString() === 'If';
  return false;
};

/**
 * Exposes inner float tensors of a model. Its graph must be one `If` node, and both branches must have the tensors.
 * @param outputs inner tensor name → name of the new model output, in order
 */
export function exposeBranchTensors(model: Uint8Array, outputs: ReadonlyMap<string, string>): Uint8Array {
  const inner = [...outputs.keys()].map((name) => delimited(12, floatValueInfo(name)));
  const outer = [...outputs.values()];
  let branches = 0;
  const patched = rewrite(model, 7, (graph) =>
    rewrite(
      graph,
      1,
      (node) => {
        if (!isIf(node)) return node;
        return rewrite(
          node,
          5,
          (attribute) =>
            rewrite(attribute, 6, (branch) => {
              branches += 1;
              return Buffer.concat([branch, ...inner]);
            }),
          outer.map((name) => delimited(2, Buffer.from(name))),
        );
      },
      outer.map((name) => delimited(12, floatValueInfo(name))),
    ),
  );
  if (branches !== 2) throw new Error('The model is not a single If node with two branches.');
  return patched;
}
