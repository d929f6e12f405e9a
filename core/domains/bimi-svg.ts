import { XMLParser, XMLValidator } from 'fast-xml-parser'
import type { Sentence } from '../values/advice.ts'
import { bimiAdvice } from './bimi-advice.ts'

/** Elements of SVG that SVG Tiny PS leaves out: what runs, moves, loads or needs a style sheet. */
const LEFT_OUT: ReadonlySet<string> = new Set(
  (
    'script handler listener animate animateColor animateMotion animateTransform set animation ' +
    'audio video image foreignObject iframe style filter mask clipPath pattern marker symbol'
  ).split(' '),
)
/** How deep elements may stand in each other; drawings need less. */
const DEEPEST = 100

/** An element as the parser gives it in order: its children by its name, and its attributes. */
type Element = Readonly<Record<string, unknown>>

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  preserveOrder: true,
  parseTagValue: false,
  processEntities: false,
  maxNestedTags: DEEPEST,
})

/** Says what keeps a picture from being an SVG Tiny PS (draft-svg-tiny-ps-abrotman); undefined when nothing does. */
export function svgProblem(text: string): Sentence | undefined {
  if (/<!ENTITY/i.test(text)) return bimiAdvice('bimi_svg_left_out', { name: '!ENTITY' })
  const root = rootOf(text)
  if (root === undefined) return bimiAdvice('bimi_svg_none')
  const attributes = attributesOf(root)
  if (attributes.get('baseProfile') !== 'tiny-ps' || attributes.get('version') !== '1.2')
    return bimiAdvice('bimi_svg_profile')
  if (attributes.has('x') || attributes.has('y')) return bimiAdvice('bimi_svg_place')
  const children = childrenOf(root)
  if (!children.some((child) => nameOf(child) === 'title')) return bimiAdvice('bimi_svg_title')
  return problemIn([root]) ?? (isSquare(attributes.get('viewBox')) ? undefined : bimiAdvice('bimi_svg_square'))
}

/** Looks at every element, without recursion. */
function problemIn(elements: Element[]): Sentence | undefined {
  for (let element = elements.pop(); element !== undefined; element = elements.pop()) {
    const name = nameOf(element)
    if (LEFT_OUT.has(name)) return bimiAdvice('bimi_svg_left_out', { name })
    for (const [attribute, value] of attributesOf(element)) {
      if (/^on[a-z]/i.test(attribute)) return bimiAdvice('bimi_svg_left_out', { name: attribute })
      if (/^(?:\w{1,20}:)?href$/.test(attribute) && !value.startsWith('#'))
        return bimiAdvice('bimi_svg_link', { url: value.slice(0, 100) })
      if (loads(value)) return bimiAdvice('bimi_svg_link', { url: value.slice(0, 100) })
    }
    elements.push(...childrenOf(element))
  }
  return undefined
}

/** Whether a value such as that of `fill` leads out of the picture. */
function loads(value: string): boolean {
  const [, ...places] = value.toLowerCase().split('url(')
  return places.some((place) => !/^["']?#/.test(place.trimStart()))
}

function rootOf(text: string): Element | undefined {
  if (XMLValidator.validate(text) !== true) return undefined
  try {
    const top = parser.parse(text) as readonly Element[]
    const root = top.find((each) => nameOf(each) === 'svg')
    return root && attributesOf(root).get('xmlns') === 'http://www.w3.org/2000/svg' ? root : undefined
  } catch {
    // nested deeper than any drawing
    return undefined
  }
}

function nameOf(element: Element): string {
  return Object.keys(element).find((key) => key !== ':@') ?? ''
}

function childrenOf(element: Element): readonly Element[] {
  const children = element[nameOf(element)]
  return Array.isArray(children) ? (children as readonly Element[]) : []
}

function attributesOf(element: Element): ReadonlyMap<string, string> {
  return new Map(Object.entries(element[':@'] ?? {}).map(([name, value]) => [name, String(value)]))
}

function isSquare(viewBox = ''): boolean {
  const [, , width, height] = viewBox
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  return width !== undefined && width > 0 && width === height
}
