import { type Html, trustedHtml } from './html.ts';

/** Line drawings on a grid of 16, drawn for this page. They stand beside words, so they are hidden from readers. */
const drawings = {
  docs: '<path d="M9.5 1.75H4.25a1.5 1.5 0 0 0-1.5 1.5v9.5a1.5 1.5 0 0 0 1.5 1.5h7.5a1.5 1.5 0 0 0 1.5-1.5V5.500z"/><path d="M9.5 1.750V5.500h3.750M5.5 8.500h5M5.5 11h3.5"/>',
  pull: '<circle cx="4" cy="3.5" r="1.75"/><circle cx="4" cy="12.5" r="1.75"/><circle cx="12" cy="12.5" r="1.75"/><path d="M4 5.250v5.500M12 10.750V6a2 2 0 0 0-2-2H7.500M9.5 2 7.5 4l2 2"/>',
  merged:
    '<circle cx="4" cy="3.5" r="1.75"/><circle cx="4" cy="12.5" r="1.75"/><circle cx="12" cy="8.5" r="1.75"/><path d="M4 5.250v5.500M4 5.250c.3 2.2 2.5 3.25 6.25 3.25"/>',
  closed:
    '<circle cx="4" cy="3.5" r="1.75"/><circle cx="4" cy="12.5" r="1.75"/><circle cx="12" cy="12.5" r="1.75"/><path d="M4 5.250v5.500M12 10.750V7.500M10 2l4 4M14 2l-4 4"/>',
  merge: '<path d="M3 8.5 6.5 12 13 4.5"/>',
  checkout: '<path d="M8 2v7.500M4.75 6.5 8 9.750l3.25-3.250M2.75 13.500h10.5"/>',
  close: '<path d="m4 4 8 8M12 4l-8 8"/>',
  check: '<circle cx="8" cy="8" r="6.25"/><path d="m5.25 8.25 2 2 3.75-4.25"/>',
  warning: '<path d="M8 1.9 14.6 13.500H1.400zM8 6.250v3.500M8 11.600v.1"/>',
  unified:
    '<rect x="2" y="2.5" width="12" height="11" rx="1.5"/><path d="M4.75 6h6.500M4.75 8.500h6.500M4.75 11h4"/>',
  split:
    '<rect x="2" y="2.5" width="12" height="11" rx="1.5"/><path d="M8 2.500v11M4 6h2M4 8.500h2M10 6h2M10 8.500h2"/>',
} as const;

export function icon(name: keyof typeof drawings): Html {
  return trustedHtml(
    `<svg class="icon" viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${drawings[name]}</svg>`,
  );
}
