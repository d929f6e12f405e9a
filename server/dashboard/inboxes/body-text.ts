/** The text of a body, to go on with. */
export function textOf(html: string): string {
  const page = new DOMParser().parseFromString(
    html.replace(/<br\s*\/?>/gi, '\n').replace(/<\/p>\s*<p[^>]*>/gi, '\n\n'),
    'text/html',
  )
  return page.body.textContent ?? ''
}

/** The text of a body with the addresses behind its words and pictures, which a reader would be led to. */
export function comparable(html: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html')
  for (const link of page.querySelectorAll('a[href]')) link.append(` (${link.getAttribute('href')})`)
  for (const picture of page.querySelectorAll('img')) picture.replaceWith(`[${picture.getAttribute('src') ?? ''}]`)
  return textOf(page.body.innerHTML)
}
