import { invalidField } from '../../errors.ts'
import { nearest } from '../../values/nearest.ts'
import type { LiquidTokens } from './liquid-tokens.ts'

/** How deep elements may be in one another. */
const DEEPEST = 100

const ELEMENTS: ReadonlySet<string> = new Set(
  (
    'mjml mj-head mj-body mj-attributes mj-all mj-class mj-html-attributes mj-selector mj-html-attribute mj-breakpoint ' +
    'mj-font mj-preview mj-style mj-title mj-raw mj-section mj-column mj-group mj-wrapper mj-hero mj-text mj-button ' +
    'mj-image mj-divider mj-spacer mj-table mj-social mj-social-element mj-navbar mj-navbar-link mj-accordion ' +
    'mj-accordion-element mj-accordion-title mj-accordion-text mj-carousel mj-carousel-image'
  ).split(' '),
)
/** Elements of HTML without an end. */
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
/** Liquid between the children of these would be lost, or stand across what each child becomes. */
const NOWHERE: ReadonlySet<string> = new Set(
  'mjml mj-head mj-attributes mj-html-attributes mj-social mj-navbar mj-accordion mj-accordion-element mj-carousel'.split(
    ' ',
  ),
)

const MARKUP =
  /<!--[\s\S]*?-->|<(\/?)([a-zA-Z][\w:.-]*)((?:(?:"[^"]*"|'[^']*'|[^\w:.\-"'<>])(?:"[^"]*"|'[^']*'|[^"'<>])*)?)>|</g

interface Open {
  readonly name: string
  readonly at: number
}

/**
 * Checks MJML with tokens for its Liquid where the compiler says less than its author needs: what is open when something
 * else is closed, elements there are none of, Liquid where it would be lost. Throws EngineError `VALIDATION_ERROR` with line and column.
 */
export function checkMjml(text: string, liquid: LiquidTokens, placeOf: (at: number) => string): void {
  const refuse = (at: number, message: string): never => {
    throw invalidField('source.text', 'custom', `${placeOf(at)}: ${message}`)
  }
  const open: Open[] = []
  let at = 0
  const between = (to: number) => {
    const words = text.slice(at, to)
    const parent = open.at(-1)?.name ?? ''
    const found = liquid.pattern.exec(words)
    if (found && NOWHERE.has(parent))
      refuse(
        at + found.index,
        `Liquid cannot stand directly in <${parent}>; put it into an element, into mj-raw or around it`,
      )
  }
  for (const found of text.matchAll(MARKUP)) {
    const [whole, slash, name, attributes = ''] = found
    // what is raw is no MJML
    const isRaw = open.at(-1)?.name === 'mj-style' && name !== 'mj-style'
    between(found.index)
    at = found.index + whole.length
    if (isRaw || whole.startsWith('<!--')) continue
    if (name === undefined) refuse(found.index, 'the sign < begins no tag here; write &lt; for the sign itself')
    else if (slash === '/') close(open, name, found.index, refuse, placeOf)
    else {
      checkElement(name, found.index, refuse)
      const outside = liquid.pattern.exec(attributes.replace(/"[^"]*"|'[^']*'/g, (value) => ' '.repeat(value.length)))
      if (outside)
        refuse(
          found.index + 1 + name.length + outside.index,
          'Liquid cannot stand between the attributes of an element; put it into a value, or around the element',
        )
      if (attributes.endsWith('/') || VOID.has(name)) continue
      open.push({ name, at: found.index })
      if (open.length > DEEPEST) refuse(found.index, `elements are more than ${DEEPEST} deep in one another`)
    }
  }
  between(text.length)
  const [left] = open.reverse()
  if (left) refuse(left.at, `<${left.name}> is not closed`)
}

type Refuse = (at: number, message: string) => never

function close(open: Open[], name: string, at: number, refuse: Refuse, placeOf: (at: number) => string): void {
  const last = open.pop()
  if (last?.name === name || VOID.has(name)) {
    if (last && last.name !== name) open.push(last)
    return
  }
  refuse(
    at,
    last
      ? `</${name}> stands where <${last.name}> of ${placeOf(last.at)} is still open`
      : `</${name}> closes nothing: no <${name}> is open`,
  )
}

function checkElement(name: string, at: number, refuse: Refuse): void {
  if (name === 'mj-include') refuse(at, 'mj-include is not taken: a mail is one text, and no file is read')
  if (!name.startsWith('mj-') || ELEMENTS.has(name)) return
  const meant = nearest(name, [...ELEMENTS])
  refuse(at, `there is no <${name}>${meant === undefined ? '' : `; <${meant}> is probably meant`}`)
}
