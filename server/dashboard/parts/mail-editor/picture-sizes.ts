/** How many pixels a picture has. */
export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** How long the page waits for a picture, in milliseconds, and how many it asks for of one mail. */
const PATIENCE = 5000
const MOST = 50

/** The size of the picture at this address; undefined where none comes, or Liquid decides which one does. */
export async function sizeOf(src: string): Promise<PictureSize | undefined> {
  if (!/^https?:/i.test(src) || src.includes('{')) return undefined
  return await new Promise((resolve) => {
    const picture = new Image()
    const end = (size?: PictureSize) => {
      clearTimeout(timer)
      resolve(size)
    }
    const timer = setTimeout(end, PATIENCE)
    picture.referrerPolicy = 'no-referrer'
    picture.onload = () => end({ width: picture.naturalWidth, height: picture.naturalHeight })
    picture.onerror = () => end()
    picture.src = src
  })
}

/** The sizes of the pictures in the source of a mail, by their addresses: those that do not say how wide they are. */
export async function sizesIn(source: string): Promise<ReadonlyMap<string, PictureSize>> {
  const page = new DOMParser().parseFromString(source, 'text/html')
  const unknown = [...page.querySelectorAll('img')].filter((picture) => saidWidth(picture) === undefined)
  const addresses = new Set(unknown.map((picture) => picture.getAttribute('src')?.trim() ?? ''))
  const found = await Promise.all([...addresses].slice(0, MOST).map(async (src) => [src, await sizeOf(src)] as const))
  return new Map(found.flatMap(([src, size]) => (size === undefined ? [] : [[src, size]])))
}

/** How wide a picture says to be, in pixels or as a share of its place, which is read as that of a mail `whole` wide. */
export function saidWidth(picture: Element, whole = 0): number | undefined {
  const style = styleOf(picture)
  const width = read(style.get('width')) ?? read(picture.getAttribute('width'))
  const most = read(style.get('max-width'))
  const said = [width, most].flatMap((each) => (each === undefined ? [] : [each(whole)]))
  // a limit alone says nothing of a picture that is narrower
  return width === undefined ? undefined : Math.min(...said)
}

function read(said: string | null | undefined): ((whole: number) => number) | undefined {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)(px|%)?\s*$/i.exec(said ?? '') ?? []
  if (number === undefined) return undefined
  return unit === '%' ? (whole) => Math.round((Number(number) / 100) * whole) : () => Math.floor(Number(number))
}

/** How high a picture says to be, in pixels. */
export function saidHeight(picture: Element): number | undefined {
  const style = styleOf(picture)
  const heights = [style.get('height'), style.get('max-height'), picture.getAttribute('height')]
  return heights.map((each) => (each?.includes('%') ? undefined : read(each))).find(Boolean)?.(0)
}

/** The values of its style, by the names of properties. */
function styleOf(picture: Element): ReadonlyMap<string, string> {
  const declarations = (picture.getAttribute('style') ?? '').split(';').map((each) => each.split(':'))
  return new Map(declarations.map(([name = '', value = '']) => [name.trim().toLowerCase(), value.replace(/!.*$/, '')]))
}
