/** How many characters of style sheets are read, and of how many different styles of elements. */
const MOST_SHEET = 256 * 1024
const MOST_STYLES = 5_000

/** Properties that are separate features, whatever their value. */
const PROPERTIES = new Set([
  ...['gap', 'row-gap', 'column-gap', 'box-shadow', 'animation', 'animation-name', 'transform'],
  ...['filter', 'opacity', 'object-fit', 'background-image'],
])

/** Notes what styles use, by the names of the table of features. */
export class StyleReader {
  readonly #features: Set<string>
  readonly #seen = new Set<string>()
  #read = 0

  constructor(features: Set<string>) {
    this.#features = features
  }

  /** The style of an element. Mails repeat theirs, so that most are known. */
  readStyle(style: string): void {
    if (this.#seen.has(style) || this.#seen.size >= MOST_STYLES) return
    this.#seen.add(style)
    for (const declaration of style.split(';')) this.#declaration(declaration)
  }

  readSheet(sheet: string): void {
    const text = sheet.slice(0, Math.max(0, MOST_SHEET - this.#read)).toLowerCase()
    this.#read += text.length
    for (const part of text.split(/[;{}]/)) {
      if (part.includes('@import')) this.#features.add('@import')
      else if (part.includes('@font-face')) this.#features.add('@font-face')
      else if (!part.includes('@')) this.#declaration(part)
    }
  }

  #declaration(declaration: string): void {
    const colon = declaration.indexOf(':')
    if (colon < 0) return
    const name = declaration.slice(0, colon).trim().toLowerCase()
    const value = declaration
      .slice(colon + 1)
      .trim()
      .toLowerCase()
    if (name === 'display' && /^(inline-)?flex\b/.test(value)) this.#features.add('display: flex')
    if (name === 'display' && /^(inline-)?grid\b/.test(value)) this.#features.add('display: grid')
    if (name === 'position' && /^(?:absolute|fixed|relative|sticky)\b/.test(value)) this.#features.add('position')
    if (name.startsWith('--') || value.includes('var(')) this.#features.add('var()')
    if (value.includes('calc(')) this.#features.add('calc()')
    if (value.includes('-gradient(')) this.#features.add('gradient')
    else if (name === 'background' && value.includes('url(')) this.#features.add('background-image')
    if (PROPERTIES.has(name) && !/^(?:none|0(?:px)?|normal|1)\b/.test(value)) this.#features.add(name)
  }
}
