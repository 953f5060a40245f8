/**
 * Notifications and input boxes read `[words](target)` as a link, command links included; words of a
 * service, a repository or a prompt must not become one.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}

/** Quick picks and input boxes read `$(name)` as an icon, in descriptions and details as well as in labels. */
export function withoutIcons(text: string): string {
  return text.replaceAll('$(', '$\u200b(');
}
