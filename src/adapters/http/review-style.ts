/** The look of the review page: two palettes, one layout that folds to one column, no font from elsewhere. */
export const reviewStyle = `
:root {
  color-scheme: light dark;
  --paper: #f7f6f3; --card: #ffffff; --ink: #1d2126; --soft: #5b626b; --rule: #e2e0da; --shade: #f1efea;
  --accent: #0f766e; --accent-ink: #ffffff; --link: #0b5f58;
  --open: #0f766e; --open-bg: #d9efeb; --merged: #6d3fc0; --merged-bg: #ebe2fa; --closed: #a33a2c; --closed-bg: #f8e1dc;
  --ins-bg: #e9f6ec; --ins-word: #b4e3c1; --ins-ink: #1c6b36; --del-bg: #fdefec; --del-word: #f8c9c0; --del-ink: #a13325;
  --warn: #8a5a00; --warn-bg: #fdf3dc; --shadow: 0 1px 2px #1d212612, 0 6px 20px #1d21260a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15181b; --card: #1c2024; --ink: #e4e6e8; --soft: #9ca4ad; --rule: #30363c; --shade: #23282d;
    --accent: #2dd4bf; --accent-ink: #06231f; --link: #5eead4;
    --open: #5eead4; --open-bg: #123c38; --merged: #c9aefc; --merged-bg: #34255a; --closed: #f5a89c; --closed-bg: #4b211b;
    --ins-bg: #15291c; --ins-word: #23603a; --ins-ink: #79d99a; --del-bg: #2d1c1b; --del-word: #7a2e24; --del-ink: #f3a195;
    --warn: #f3c969; --warn-bg: #392d11; --shadow: 0 1px 2px #0006;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0 auto; padding: 28px clamp(16px, 4vw, 48px) 64px; max-width: 1320px;
  background: var(--paper); color: var(--ink);
  font: 15px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif;
}
h1, h2, h3, p, ul { margin: 0; }
h1 { font-size: clamp(24px, 3vw, 32px); line-height: 1.25; font-weight: 650; letter-spacing: -.015em; margin: 10px 0 14px; text-wrap: balance; overflow-wrap: anywhere; }
h2 { font-size: 16px; line-height: 1.4; font-weight: 650; }
a { color: var(--link); text-underline-offset: 3px; text-decoration-thickness: 1px; }
code, .text, .no { font-family: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .88em; }
p code, .prose code, .quiet code, .meta code { background: var(--shade); border-radius: 5px; padding: .1em .4em; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.icon { flex: none; vertical-align: -2.5px; }
.quiet, .crumbs, .meta { color: var(--soft); }
.sr { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.crumbs, .meta { display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: center; }
.crumbs { font-size: 14px; }
.repository { overflow-wrap: anywhere; }
.number::before { content: "·"; margin-right: 12px; }
.pill { display: inline-flex; gap: 6px; align-items: center; padding: 3px 12px 3px 9px; border-radius: 99px; font-weight: 650; font-size: 14px; }
.pill.open { color: var(--open); background: var(--open-bg); }
.pill.merged { color: var(--merged); background: var(--merged-bg); }
.pill.closed { color: var(--closed); background: var(--closed-bg); }
.outcome { display: flex; gap: 10px; align-items: flex-start; margin-top: 20px; padding: 12px 16px; border-radius: 10px; font-weight: 550; overflow-wrap: anywhere; }
.outcome[hidden] { display: none; }
.outcome .icon { margin-top: 4px; }
#outcome:focus { outline: none; }
.outcome.done { color: var(--open); background: var(--open-bg); }
.outcome.refused { color: var(--warn); background: var(--warn-bg); }
.next, .card, .file { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; box-shadow: var(--shadow); }
.next { display: flex; flex-wrap: wrap; gap: 14px 32px; align-items: center; justify-content: space-between; margin: 20px 0; padding: 18px 22px; border-left: 4px solid var(--open); }
.next.merged { border-left-color: var(--merged); }
.next.closed { border-left-color: var(--closed); }
.next > div:first-child { flex: 1 1 380px; }
.next .lead { font-weight: 650; }
.buttons { position: relative; display: flex; flex-wrap: wrap; gap: 10px; }
.action summary, .action button { display: inline-flex; gap: 8px; align-items: center; padding: 8px 16px; border: 1px solid var(--rule); border-radius: 8px; background: var(--card); color: var(--ink); font: inherit; font-weight: 600; line-height: 1.4; cursor: pointer; list-style: none; user-select: none; }
.action summary::-webkit-details-marker { display: none; }
.action summary:hover, .action[open] summary { background: var(--shade); }
.action.merge summary, .action button { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
.action.merge summary:hover, .action.merge[open] summary, .action button:hover { filter: brightness(1.08); }
.action.close summary { color: var(--closed); }
.action.close button { background: var(--closed); border-color: var(--closed); color: var(--card); }
.action button:disabled { opacity: .5; cursor: default; filter: none; }
.action form { position: absolute; top: 100%; right: 0; z-index: 2; width: min(340px, 84vw); margin-top: 8px; padding: 16px; background: var(--card); border: 1px solid var(--rule); border-radius: 12px; box-shadow: 0 8px 32px #0003; }
.action form p { margin-bottom: 12px; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(280px, 400px); gap: 20px; align-items: start; }
.aside { display: grid; gap: 20px; }
.card { padding: 18px 22px; }
.card h2 { margin-bottom: 10px; }
.count { margin-left: 4px; padding: 1px 8px; border-radius: 99px; background: var(--shade); color: var(--soft); font-size: 13px; font-weight: 600; }
.prose { max-width: 74ch; overflow-wrap: anywhere; }
.prose > * + * { margin-top: .8em; }
.prose h3, .prose h4, .prose h5, .prose h6 { margin: 1.3em 0 .3em; font-size: 15px; font-weight: 650; }
.prose > :first-child { margin-top: 0; }
.prose ul, .prose ol { padding-left: 1.4em; }
.prose li + li { margin-top: .25em; }
.prose pre { margin-bottom: 0; padding: 12px; border-radius: 8px; background: var(--shade); overflow-x: auto; overflow-wrap: normal; }
.prose pre code { padding: 0; background: none; }
.prose blockquote { margin-inline: 0; padding-left: 14px; border-left: 3px solid var(--rule); color: var(--soft); }
.prose table { display: block; overflow-x: auto; border-collapse: collapse; }
.prose th, .prose td { overflow-wrap: break-word; padding: 4px 10px; border: 1px solid var(--rule); text-align: left; }
.prose hr { border: 0; border-top: 1px solid var(--rule); }
.files, .commits { padding: 0; list-style: none; }
.files li { display: grid; grid-template-columns: 1fr auto; gap: 0 10px; padding: 7px 0; align-items: baseline; }
.files a { grid-column: 1 / -1; overflow-wrap: anywhere; }
.files .badge { justify-self: start; }
/* Half a row more than seven, so that one sees that there are others. */
.files { max-height: 450px; overflow-y: auto; }
.files li + li, .commits li + li { border-top: 1px solid var(--rule); }
.commits li { padding: 7px 0; }
.commits .subject { display: block; font-weight: 550; overflow-wrap: anywhere; }
.commits .quiet { font-size: 13.5px; }
.badge { font-size: 13px; color: var(--soft); }
.file .badge { flex: none; padding: 1px 9px; border-radius: 99px; background: var(--card); border: 1px solid var(--rule); font-weight: 600; }
.badge.added { color: var(--ins-ink); }
.badge.deleted { color: var(--del-ink); }
.counts { display: inline-flex; gap: 8px; font-size: 13px; font-variant-numeric: tabular-nums; font-weight: 600; white-space: nowrap; }
.plus { color: var(--ins-ink); }
.minus { color: var(--del-ink); }
.bar { display: flex; flex-wrap: wrap; gap: 8px 14px; align-items: center; margin: 34px 0 12px; }
.bar h2 { font-size: 20px; }
.bar nav { display: flex; margin-left: auto; border: 1px solid var(--rule); border-radius: 9px; background: var(--card); overflow: clip; }
.bar nav a { display: inline-flex; gap: 7px; align-items: center; padding: 6px 14px; color: var(--soft); font-size: 14px; font-weight: 600; text-decoration: none; }
.bar nav a:hover { color: var(--ink); }
.bar nav a:focus-visible { outline-offset: -3px; }
.bar nav a[aria-current] { background: var(--shade); color: var(--ink); }
.file { margin-bottom: 18px; scroll-margin-top: 12px; overflow: clip; }
.file > summary { display: flex; gap: 12px; align-items: center; padding: 9px 16px; background: var(--shade); cursor: pointer; list-style-position: outside; }
.file[open] > summary { border-bottom: 1px solid var(--rule); }
.file:target { border-color: var(--accent); }
.file h3 { flex: 1; min-width: 0; font-size: 14.5px; font-weight: 600; overflow-wrap: anywhere; }
.previous { color: var(--soft); font-weight: 450; }
.note, .file .note { padding: 12px 16px; color: var(--soft); }
.diff { width: 100%; border-collapse: collapse; table-layout: fixed; font-size: 14.5px; line-height: 1.65; }
.diff col.no { width: 50px; }
.diff td { padding: 0; vertical-align: top; }
.diff .no { padding: 1px 10px 0 4px; color: var(--soft); text-align: right; user-select: none; font-size: 12px; line-height: 24px; font-variant-numeric: tabular-nums; }
.diff .text { position: relative; padding: 1px 16px 1px 26px; }
.diff .line { display: block; min-height: 1.65em; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; }
.diff .sign { position: absolute; left: 9px; font-weight: 700; user-select: none; }
.diff tr.ins, .diff td.ins { background: var(--ins-bg); }
.diff tr.del, .diff td.del { background: var(--del-bg); }
.diff .ins .sign { color: var(--ins-ink); } .diff .del .sign { color: var(--del-ink); }
.diff td.none { background: repeating-linear-gradient(-45deg, transparent 0 6px, var(--shade) 6px 7px); }
.diff ins, .diff del { padding: .1em 0; border-radius: 3px; text-decoration: none; color: inherit; }
.diff ins { background: var(--ins-word); } .diff del { background: var(--del-word); }
.diff.split td:nth-child(3) { border-left: 1px solid var(--rule); }
.gap td { padding: 3px 16px 3px 26px; background: var(--shade); color: var(--soft); font-size: 12.5px; }
.remark td { padding: 2px 16px 2px 26px; color: var(--soft); font-size: 12.5px; font-style: italic; }
.mark { margin: 0 1px; padding: 0 4px; border-radius: 4px; background: var(--warn-bg); color: var(--warn); font-size: .8em; }
.sentence { max-width: 560px; margin: 18vh auto 0; }
@media (max-width: 900px) { .columns { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 1000px) {
  .action form { right: auto; left: 0; }
}
@media (max-width: 640px) {
  body { padding-top: 18px; }
  .card, .next { padding: 14px 16px; }
  .diff col.no { width: 34px; }
  .diff .no { padding-right: 5px; font-size: 11px; }
  .diff .text { padding-left: 20px; padding-right: 8px; }
  .diff .sign { left: 5px; }
  .action form { position: fixed; inset: auto 16px 16px; width: auto; }
}
@media (forced-colors: active) {
  .diff ins { text-decoration: underline; } .diff del { text-decoration: line-through; }
  .pill, .badge { border: 1px solid; }
}
@media print {
  .buttons, .bar nav { display: none; }
  .next, .card, .file { box-shadow: none; }
}
`;
