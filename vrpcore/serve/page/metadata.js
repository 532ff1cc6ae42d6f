/** What an ONNX file says of itself: its `metadata_props`, read from the protobuf's top level. */

const METADATA_FIELD = 14;
const BYTES = 2;
const WIDTHS = { 1: 8, 5: 4 };

/**
 * The metadata of a model.
 * @param {ArrayBuffer} buffer The whole file.
 * @returns {Object<string, string>}
 * @throws {Error} It is no such file.
 */
export function modelMetadata(buffer) {
  const found = {};
  for (const [field, part] of fields(new Uint8Array(buffer))) {
    if (field !== METADATA_FIELD || !part) continue;
    const [key, value] = [...fields(part)].map(([, text]) => new TextDecoder().decode(text));
    found[key] = value;
  }
  return found;
}

function* fields(data) {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 1; at < data.length; shift *= 128) {
      const byte = data[at];
      at += 1;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
    throw new Error('the model file is damaged');
  };
  while (at < data.length) {
    const tag = varint();
    const [field, kind] = [Math.floor(tag / 8), tag % 8];
    if (kind === 0) varint();
    else if (kind === BYTES) {
      const size = varint();
      if (at + size > data.length) throw new Error('the model file is damaged');
      yield [field, data.subarray(at, at + size)];
      at += size;
    } else if (WIDTHS[kind]) at += WIDTHS[kind];
    else throw new Error('the model file is damaged');
  }
}
