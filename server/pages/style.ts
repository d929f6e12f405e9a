import { createHash } from 'node:crypto'
import { fontOf } from '../../core/mail/formats/mail-page.ts'
import { type Look, readableOn } from '../../core/values/look.ts'

/**
 * The pages' style: one card, readable from 320 pixels on, light or dark as the reader prefers. All pairs of colours
 * have a contrast of 4.5 or more (WCAG 2.2, 1.4.3), the focus outline 3 or more (1.4.11).
 */
const STYLE = `
:root{color-scheme:light dark;--ground:#f3f4f6;--card:#fff;--text:#1f2937;--quiet:#4b5563;--edge:#d1d5db;--accent:#0b7285;--on-accent:#fff}
@media(prefers-color-scheme:dark){:root{--ground:#0f172a;--card:#1e293b;--text:#f1f5f9;--quiet:#cbd5e1;--edge:#475569;--accent:#66d9e8;--on-accent:#0f172a}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;align-items:center;justify-content:center;padding:1.25rem;background:var(--ground);color:var(--text);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK JP","Noto Sans CJK SC",sans-serif}
main{width:100%;max-width:30rem;padding:2rem 1.75rem;background:var(--card);border:1px solid var(--edge);border-radius:.75rem;overflow-wrap:anywhere}
h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.3}
p{margin:0}
.words,.consent{white-space:pre-line}
.consent{margin:0 0 1rem;color:var(--quiet);font-size:.875rem}
.consent a,label a{color:inherit}
.optional{color:var(--quiet);font-size:.875rem}
.wrong{margin:0 0 1rem;padding:.5rem .75rem;border:2px solid var(--text);border-radius:.5rem}
.trap{position:absolute;left:-9999px}
.logo{display:block;max-width:100%;height:3rem;margin:0 0 1rem}
.post{margin-top:2rem;color:var(--quiet);font-size:.8125rem}
.profiles{margin-top:2rem;font-size:.8125rem}
.profiles a{color:var(--quiet);margin-inline-end:.75rem}
.profiles+.post{margin-top:.75rem}
.sender{margin:0 0 1rem;color:var(--quiet);font-size:.9375rem}
form{margin:1.5rem 0 0}
.notice{margin:0 0 1rem;padding:.5rem .75rem;border:1px solid var(--edge);border-radius:.5rem}
.choice{margin-top:2rem;padding-top:1.5rem;border-top:1px solid var(--edge)}
fieldset{margin:0 0 1rem;padding:0;border:0;min-width:0}
legend{padding:0;font-weight:600}
label{display:flex;gap:.75rem;align-items:baseline;padding:.5rem 0;cursor:pointer}
input{flex:none;width:1rem;height:1rem;margin:0;accent-color:var(--accent);transform:translateY(.125rem)}
input:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
.field{display:block;margin:0 0 1rem}
.field input,.field select{display:block;width:100%;height:2.75rem;margin:.25rem 0 0;padding:0 .75rem;border:1px solid var(--quiet);border-radius:.5rem;background:var(--ground);color:var(--text);font:inherit;transform:none}
h2{margin:0 0 .25rem;font-size:1rem}
small{display:block;color:var(--quiet);font-size:.875rem}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem}
.buttons form{margin:0}
p+.buttons,h2+.buttons{margin-top:1rem}
.link{margin-top:1.5rem}
.link a{color:var(--accent)}
.link.next a{display:inline-block;min-height:2.75rem;padding:.625rem 1.25rem;border-radius:.5rem;background:var(--accent);color:var(--on-accent);font-weight:600;text-decoration:none}
button{min-height:2.75rem;padding:.625rem 1.25rem;border:1px solid var(--accent);border-radius:.5rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;cursor:pointer}
button.quiet{background:transparent;color:var(--accent)}
button:hover{text-decoration:underline}
button:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
@media(max-width:24rem){body{padding:.75rem}main{padding:1.5rem 1.25rem}button,.buttons form{width:100%}}
`

/**
 * The style of a page with what `more` of it there is, its buttons in this colour (#rrggbb), and the style as a source for a Content-Security-Policy
 * (CSP Level 3, section 2.3.1), which allows no other style on the page.
 */
export function styleOf(
  { color, font }: Pick<Look, 'color' | 'font'>,
  more = '',
): { readonly css: string; readonly source: string } {
  if (color === undefined && font === undefined && more === '') return PLAIN
  const letters =
    font === undefined ? '' : `body{font-family:${fontOf({ font })}}button,.field input{font-family:inherit}\n`
  return sourced(`${STYLE}${more}${color === undefined ? '' : colored(color)}${letters}`)
}

/** Buttons in this colour. */
function colored(color: string): string {
  // what is no button keeps the colours of text, since not every colour can be read on the card
  const root = `:root{--accent:${color};--on-accent:${readableOn(color)}}`
  const others = `button{border-color:var(--quiet)}button.quiet,.link a{color:var(--text)}input{accent-color:var(--text)}button:focus-visible,input:focus-visible{outline-color:var(--text)}`
  return `${root}@media(prefers-color-scheme:dark){${root}}${others}\n`
}

function sourced(css: string) {
  return { css, source: `'sha256-${createHash('sha256').update(css).digest('base64')}'` }
}

const PLAIN = sourced(STYLE)
