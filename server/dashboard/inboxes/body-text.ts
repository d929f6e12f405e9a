/** The text of a body, to go on with or to compare. */
export function textOf(html: string): string {
  const page = new DOMParser().parseFromString(
    html.replace(/<br\s*\/?>/gi, '\n').replace(/<\/p>\s*<p[^>]*>/gi, '\n\n'),
    'text/html',
  )
  return page.body.textContent ?? ''
}
