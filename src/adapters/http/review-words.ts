import { type Html, html } from './html.ts';

export function pages(count: number): string {
  return count === 1 ? '1 changed page' : `${count} changed pages`;
}

/** In the service's own time zone, which is the writer's: the service runs on their computer. */
const shownTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** `at` in milliseconds since the epoch. */
export function time(at: number): Html {
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}">${shownTime.format(date)}</time>`;
}
