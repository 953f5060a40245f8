import { type Html, html, trustedHtml } from './html.ts';
import { reviewScript } from './review-script.ts';
import { reviewStyle } from './review-style.ts';

/** A whole page around `body`. Style and script are inline and carry the nonce of the page's policy. */
export function document(title: string, body: Html, nonce: string): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="icon" href="${favicon}" />
        <style nonce="${nonce}">
          ${trustedHtml(reviewStyle)}
        </style>
      </head>
      <body>
        ${body}
        <script nonce="${nonce}">
          ${trustedHtml(reviewScript)};
        </script>
      </body>
    </html> `;
}

/** A page with one sentence, for a review that is not there or cannot be shown. */
export function sentencePage(title: string, sentence: string, nonce: string): string {
  const body = html`<main class="sentence">
    <h1>${title}</h1>
    <p>${sentence}</p>
  </main>`;
  return document(title, body, nonce).text;
}

/** Allows what the page brings along, and nothing else: no network but its own service, no frame around it. */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "form-action 'self'",
    'img-src data:',
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const favicon =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3.5" fill="#0f766e"/><path d="M4.5 4h7M4.5 7h7M4.5 10h4" stroke="#fff" stroke-width="1.5" stroke-linecap="round"/><circle cx="11.5" cy="11" r="2" fill="#fbbf24"/></svg>',
  );
