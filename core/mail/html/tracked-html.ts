import { EngineError } from '../../errors.ts'
import type { JsonObject } from '../../values/json.ts'
import type { Rendering } from '../render/rendering.ts'
import type { InjectedParts, MailVariables } from '../render/scope.ts'
import type { CompiledTemplate } from '../render/template.ts'
import { linkTarget } from './link-target.ts'
import { PAGE_NAMES } from './mentions.ts'
import { readHtml } from './read-html.ts'
import { type TrackedLink, type TrackedSource, trackHtml } from './track-html.ts'

/** An HTML template whose links lead over this service, compiled once and filled in for every recipient. */
export class TrackedHtml {
  readonly template: CompiledTemplate
  readonly #links: readonly Link[]

  private constructor(template: CompiledTemplate, links: readonly Link[]) {
    this.template = template
    this.#links = links
  }

  /**
   * Compiles a checked source, which may render to `most` bytes of UTF-8. When the whole has nothing but placeholders,
   * links with placeholders in their address become separate templates, so that it can still be filled in fast.
   */
  static compile(rendering: Rendering, source: string, most: number, hasPixel = true): TrackedHtml {
    const marks = readHtml(source)
    const part = (address: string, quote: string) => rendering.compileAddress(address, quote, 'body')
    const canRead = (address: string) => isTemplate(() => part(address, ''))
    if (!marks.pieces.some(({ kind }) => kind === 'tag')) {
      const apart = trackHtml(source, 'apart', canRead, { marks, hasPixel })
      const template = rendering.compileAdded(apart.source, 'html', 'body', most)
      if (template.slots) {
        const links = apart.links.map((link) => ({
          ...link,
          template: link.target ? undefined : part(link.source, link.quote),
        }))
        return new TrackedHtml(template, links)
      }
    }
    const inPlace: TrackedSource = trackHtml(source, 'in place', canRead, { marks, hasPixel })
    const links = inPlace.links.map((link) => ({ ...link, template: undefined }))
    return new TrackedHtml(rendering.compileAdded(inPlace.source, 'html', 'body', most), links)
  }

  /** How many links it has in the source. */
  get links(): number {
    return this.#links.length
  }

  /** The target of each link, by number, if it is the same for everybody. */
  get fixedTargets(): readonly (string | undefined)[] {
    return this.#links.map(({ target }) => target)
  }

  /**
   * The target of link `number` in this recipient's mail: an http(s) address, from the writer or the recipient's
   * values. Undefined when the mail has no such link.
   */
  target(number: number, variables: JsonObject, mailVariables: MailVariables): string | undefined {
    const link = this.#links[number % this.#links.length]
    if (link === undefined) return undefined
    if (link.target !== undefined) return number < this.#links.length ? link.target : undefined
    if (link.template) {
      return number < this.#links.length
        ? this.#tracked(link, link.template.render(variables, mailVariables), mailVariables)
        : undefined
    }
    let target: string | undefined
    const injected: InjectedParts = {
      ...NOTHING_INJECTED,
      linkInPlace: (place, occurrence, address) => {
        if (this.#number(place, occurrence) === number) target = this.#tracked(link, address, mailVariables)
        return address
      },
    }
    // a copy would sign every link
    this.template.render(variables, Object.create(mailVariables, { injected: { value: injected } }))
    return target
  }

  /**
   * The `href` of a link with an address template: `click` with its number, or its own address when it cannot be
   * tracked.
   */
  link(number: number, click: string, variables: JsonObject, mailVariables: MailVariables): string {
    const link = this.#links[number]
    const address = link?.template?.render(variables, mailVariables) ?? ''
    return link !== undefined && this.#tracked(link, address, mailVariables) !== undefined
      ? `${click}/${number}`
      : address
  }

  /** The same for a link that was rendered in place. */
  linkInPlace(place: number, occurrence: number, address: string, click: string, mailVariables: MailVariables): string {
    const link = this.#links[place]
    if (link === undefined || this.#tracked(link, address, mailVariables) === undefined) return address
    return `${click}/${this.#number(place, occurrence)}`
  }

  /** Numbers of one link in a loop are equal modulo the number of links. */
  #number(place: number, occurrence: number): number {
    return place + occurrence * this.#links.length
  }

  /** The address if it can be tracked; the recipient's own pages cannot. */
  #tracked({ quote, isWeb }: TrackedLink, address: string, mailVariables: MailVariables): string | undefined {
    const target = linkTarget(address, quote)
    return !isWeb && PAGE_NAMES.some((name) => mailVariables[name] === target) ? undefined : target
  }
}

interface Link extends TrackedLink {
  /** The address as a template; absent when it is the same for everybody or was left in place. */
  readonly template: CompiledTemplate | undefined
}

const NOTHING_INJECTED: InjectedParts = {
  click: undefined,
  pixel: undefined,
  language: undefined,
  reason: undefined,
  unsubscribe: undefined,
  link: () => '',
  linkInPlace: (_place, _occurrence, address) => address,
}

function isTemplate(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (EngineError.is(error)) return false
    throw error
  }
}
