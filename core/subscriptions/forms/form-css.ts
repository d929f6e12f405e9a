import { ACCENT, type Look, readableOn } from '../../values/look.ts'

/**
 * The style of a form in pages of others, in the colour of the project: for a tree of its own, so that neither side
 * changes the other. Letters and the colour of text are those of the page; fields have their own colours, which can be
 * read on any ground.
 */
export function formCss({ color = ACCENT }: Pick<Look, 'color'> = {}): string {
  return `${CSS}button{background:${color};color:${readableOn(color)}}`
}

const CSS = `form,.mailwright-thanks{max-width:30rem;line-height:1.5;text-align:start}
*{box-sizing:border-box}
h2{margin:0 0 .25rem;font-size:1.375em;line-height:1.3}
p{margin:0 0 1rem}
.intro,.consent{white-space:pre-line}
.consent,.optional{font-size:.875em}
.consent a,label a{color:inherit}
label{display:flex;gap:.625rem;align-items:baseline;margin:0 0 1rem;cursor:pointer}
.field{display:block}
.field input,.field select{display:block;width:100%;height:2.75rem;margin:.25rem 0 0;padding:0 .75rem;border:1px solid #6b7280;border-radius:.5rem;background:#fff;color:#1f2937;color-scheme:light;font:inherit}
[type=checkbox]{flex:none;width:1rem;height:1rem;margin:0;transform:translateY(.125rem)}
.wrong{padding:.5rem .75rem;border:2px solid currentColor;border-radius:.5rem}
.trap{position:absolute;left:-9999px}
button{min-height:2.75rem;padding:.625rem 1.25rem;border:1px solid #6b7280;border-radius:.5rem;font:inherit;font-weight:600;cursor:pointer}
button:hover{text-decoration:underline}
button:disabled{opacity:.6;cursor:default}
:focus-visible{outline:3px solid #1f2937;outline-offset:2px;box-shadow:0 0 0 2px #fff}
.mailwright-thanks p:first-child{margin:0 0 .25rem;font-size:1.375em;font-weight:600}
`
