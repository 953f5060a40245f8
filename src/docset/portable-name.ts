/** Windows opens a device for these, with any extension and in any folder. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00B9\u00B2\u00B3])(?:[ .:].*)?$/i;

/** No file system takes a name of more bytes. */
const longestName = 255;

/**
 * Why a name cannot be given to a new file or folder that people on Linux, macOS and Windows will check out,
 * as the end of a sentence that begins with the name; undefined when it can.
 *
 * @param name one part of a path
 */
export function whyNotPortable(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'is no name';
  if (/[\u0000-\u001F\u007F-\u009F<>:"|?*/\\]/.test(name))
    return 'has a character that Windows does not take in names';
  // A lone surrogate is no text: file systems keep something else in its place.
  if (/[\p{Cf}\p{Zl}\p{Zp}]/u.test(name) || !name.isWellFormed()) return 'has an invisible character';
  if (/[. ]$/.test(name) || name.startsWith(' ')) return 'begins or ends with a space or ends with a dot';
  if (device.test(name)) return 'is the name of a device on Windows';
  return Buffer.byteLength(name) > longestName ? 'is too long' : undefined;
}

/** What file systems of Windows and macOS may take for the same name: composition, case, invisible signs, end dots. */
export function foldedName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')
    .toLowerCase()
    .normalize('NFC');
}

/** True for all spellings that some file system takes for `.git`, the short name of Windows among them. */
export function isGitName(name: string): boolean {
  return /^(?:\.git|git~\d+)$/.test(foldedName(name));
}
