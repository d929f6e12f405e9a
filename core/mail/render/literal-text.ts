/** Where a placeholder or a tag may begin. */
const OPENING = /\{[{%]/g

/** The source of a template that prints this text as it stands, whatever looks like a placeholder in it. */
export function literalText(text: string): string {
  return text.replace(OPENING, '{% raw %}$&{% endraw %}')
}
