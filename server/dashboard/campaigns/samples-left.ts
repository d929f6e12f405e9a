import { samplesIn } from '../parts/starters.ts'

/** What of the mails to begin with is still in this finished mail. */
export function samplesLeft(html: string): readonly string[] {
  // styles say nothing here, and the page's policy would report each of them
  const plain = html.replace(/<style[\s\S]*?<\/style>|\sstyle\s*=\s*("[^"]*"|'[^']*')/gi, '')
  const { body } = new DOMParser().parseFromString(plain, 'text/html')
  const links = [...body.querySelectorAll('a[href]')].map((a) => a.getAttribute('href') ?? '')
  return samplesIn(body.textContent ?? '', links)
}
