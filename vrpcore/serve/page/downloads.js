/** Texts as files. */

/** Offers a text as a file. */
export function offer(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A plain file name, whatever the instance is called. */
export function fileName(position, name, ending) {
  const safe = name.slice(0, 76).replace(/[^A-Za-z0-9._-]/g, '_').replace(/^\.+|\.+$/g, '');
  return `${position}-${safe || 'instance'}.${ending}`;
}
