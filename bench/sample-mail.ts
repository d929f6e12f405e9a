/** A newsletter of about 13 KB HTML with ten placeholders, for `POST /v1/send`. */
export function sampleHtml(): string {
  const paragraph =
    '<tr><td style="padding:16px 24px;font-family:Arial,sans-serif;font-size:15px;line-height:22px;color:#333333">' +
    'The quick brown fox jumps over the lazy dog, and the five boxing wizards jump quickly past it; here is a link to ' +
    '<a href="https://www.example.com/articles/the-quick-brown-fox?utm_source=mail&amp;utm_medium=news">the article</a>.' +
    '</td></tr>\n'
  const personal = [
    'firstName',
    'lastName',
    'city',
    'plan',
    'company',
    'role',
    'country',
    'language',
    'points',
    'manager',
  ]
  const greeting = personal.map((key) => `<p>Your ${key}: <b>{{ ${key} }}</b></p>\n`).join('')
  return (
    '<!doctype html><html><head><meta charset="utf-8"><title>News</title></head><body><table width="600">\n' +
    `<tr><td>${greeting}</td></tr>\n${paragraph.repeat(32)}</table></body></html>\n`
  )
}

/** One recipient's variables. */
export function sampleData(i: number): Record<string, string | number> {
  return {
    firstName: `Ada${i}`,
    lastName: 'Lovelace',
    city: 'London',
    plan: 'pro',
    company: 'Analytical Engines & Sons',
    role: 'countess',
    country: 'GB',
    language: 'en',
    points: i,
    manager: 'Charles',
  }
}

/** The same mail filled in, for the references. */
export function filledHtml(i: number): string {
  const data = sampleData(i)
  return sampleHtml().replace(/\{\{ (\w+) \}\}/g, (_, key: string) => String(data[key]).replaceAll('&', '&amp;'))
}
