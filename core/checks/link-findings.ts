import { nameOf, shown } from './address-checks.ts'
import { type AskedAddress, MOST_ASKED, MOST_REDIRECTS, tellsNothing } from './ask-addresses.ts'
import { type CheckFinding, finding } from './check-sentences.ts'
import type { SeenImage, SeenLink } from './mail-shape.ts'

/** A link or a picture whose address can be asked. */
export interface Target {
  readonly kind: 'link' | 'image'
  readonly number: number
  /** Without what stands behind `#`. */
  readonly address: string
}

/**
 * The addresses to request, each once, links first: complete http(s) URLs, except the recipient's own pages and the
 * project's `own` images.
 */
export function targetsOf(
  links: readonly SeenLink[],
  images: readonly SeenImage[],
  own: ReadonlySet<string>,
): readonly Target[] {
  const all = new Map<string, Target>()
  const add = (kind: Target['kind'], { number, address = '' }: SeenLink | SeenImage) => {
    const url = /^https?:\/\//i.test(address) && !own.has(address) ? URL.parse(address) : null
    if (url === null) return
    url.hash = ''
    if (!all.has(url.href)) all.set(url.href, { kind, number, address: url.href })
  }
  for (const link of links) add('link', link)
  for (const image of images) add('image', image)
  return [...all.values()]
}

/** The findings from the answers. */
export function askedFindings(
  targets: readonly Target[],
  answers: ReadonlyMap<string, AskedAddress>,
): readonly CheckFinding[] {
  const found = targets.map((target) => [target, answers.get(target.address)] as const)
  const count = (outcome: AskedAddress['outcome']) => found.filter(([, answer]) => answer?.outcome === outcome).length
  const late = count('not asked')
  const leftOut = Math.max(0, targets.length - MOST_ASKED)
  return [
    ...found.flatMap(([target, answer]) => (answer ? findingOf(target, answer) : [])),
    ...(count('impossible') > 0 ? [finding('links_cannot_be_asked', 'body')] : []),
    ...(late > 0 ? [finding('links_out_of_time', 'body', { count: late })] : []),
    ...(leftOut > 0 ? [finding('links_left_out', 'body', { count: leftOut, limit: MOST_ASKED })] : []),
  ]
}

function findingOf({ kind, number, address }: Target, answer: AskedAddress): readonly CheckFinding[] {
  const isImage = kind === 'image'
  const place = { number, address: isImage ? nameOf(address) : shown(address) }
  switch (answer.outcome) {
    case 'answered':
      return statusFinding(isImage, place, answer.status)
    case 'forbidden':
      return [finding('address_forbidden', 'body', { address: shown(address) })]
    case 'failed':
      return [finding(isImage ? 'image_unreachable' : 'link_unreachable', 'body', { ...place, reason: answer.reason })]
    case 'redirects':
      return [finding('link_redirects', 'body', { ...place, limit: MOST_REDIRECTS })]
    default:
      return []
  }
}

function statusFinding(
  isImage: boolean,
  place: { readonly number: number; readonly address: string },
  status: number,
): readonly CheckFinding[] {
  if (status < 400) return []
  if (isImage) return tellsNothing(status) ? [] : [finding('image_broken', 'body', { ...place, status })]
  if (tellsNothing(status)) return [finding('link_unchecked', 'body', { ...place, status })]
  return [finding(status < 500 ? 'link_broken' : 'link_failing', 'body', { ...place, status })]
}
