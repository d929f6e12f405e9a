import { linkTarget } from './link-target.ts'
import { isLonePixel } from './lone-pixel.ts'
import { readPlainHtml } from './read-html.ts'
import { PIXEL } from './track-html.ts'

/** HTML that is no template, with its web links leading over this service, and the tracking pixel where it is not alone. */
export class TrackedPlainHtml {
  /** The pieces between the filled-in addresses: one more than there are addresses. */
  readonly texts: readonly string[]
  /** The target of each link, by number. */
  readonly targets: readonly string[]
  /** The fillings of the slots, in order: the number of a link, or the pixel. */
  readonly #slots: readonly (number | 'pixel')[]

  constructor(source: string) {
    const texts: string[] = []
    const targets: string[] = []
    const slots: (number | 'pixel')[] = []
    const { hrefs, end } = readPlainHtml(source)
    const links = hrefs.flatMap(({ from, to, quote }) => {
      const target = linkTarget(source.slice(from, to), quote)
      return target === undefined ? [] : [{ from, to, target }]
    })
    let at = 0
    let isPixelIn = isLonePixel(source)
    const pixel = () => {
      isPixelIn = true
      texts.push(source.slice(at, end) + PIXEL[0])
      slots.push('pixel')
      at = end
    }
    for (const { from, to, target } of links) {
      if (!isPixelIn && end <= from) pixel()
      texts.push(behind(slots) + source.slice(at, from))
      slots.push(targets.push(target) - 1)
      at = to
    }
    if (!isPixelIn) pixel()
    texts.push(behind(slots) + source.slice(at))
    this.texts = texts
    this.targets = targets
    this.#slots = slots
  }

  /** The values for the slots of one mail, whose links begin with `click`. */
  values({ click, pixel }: { readonly click: string; readonly pixel: string }): readonly string[] {
    return this.#slots.map((slot) => (slot === 'pixel' ? pixel : `${click}/${slot}`))
  }
}

/** The rest of the image, after its address. */
function behind(slots: readonly (number | 'pixel')[]): string {
  return slots.at(-1) === 'pixel' ? PIXEL[1] : ''
}
