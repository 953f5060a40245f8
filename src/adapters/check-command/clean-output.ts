/** What moves a cursor or paints: CSI and OSC sequences, then all that is left of control characters. */
const sequences = /\u001B\[[0-?]{0,50}[ -/]{0,10}[@-~]|\u001B\][^\u0007\u001B]{0,2000}(?:\u0007|\u001B\\)/g;

/**
 * What a command wrote, as lines for a pull request: without colours, and without where it ran and whose
 * machine it was.
 *
 * @param places the folder that it ran in, by all its names
 */
export function cleanOutput(output: string, places: readonly string[], home: string): string {
  let text = output.replace(sequences, '').replace(/\r\n?/g, '\n');
  for (const place of places) {
    for (const spelling of new Set([place, place.replaceAll('\\', '/')])) {
      if (spelling.length < 2) continue;
      text = text.replaceAll(`${spelling}/`, '').replaceAll(`${spelling}\\`, '').replaceAll(spelling, '.');
    }
  }
  if (home.length > 1) text = text.replaceAll(home, '~').replaceAll(home.replaceAll('\\', '/'), '~');
  return text.replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, '').trimEnd();
}
