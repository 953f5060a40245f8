/** Characters of a job's title: one line of the sidebar. */
const maxTitleLength = 72;

/** The first words of a prompt, on one line. */
export function titleOf(prompt: string): string {
  const line = prompt
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  const characters = [...line];
  if (characters.length <= maxTitleLength) return line || 'Untitled';
  const cut = characters.slice(0, maxTitleLength - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${space > maxTitleLength / 2 ? cut.slice(0, space) : cut}…`;
}
