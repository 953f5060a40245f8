/** Program and arguments of a line as people type it; double quotes hold spaces together, nothing else counts. */
export function splitCommandLine(line: string): readonly string[] {
  return [...line.trim().matchAll(/(?:[^\s"]|"[^"]*(?:"|$))+/g)].map(([word]) => word.replaceAll('"', ''));
}
