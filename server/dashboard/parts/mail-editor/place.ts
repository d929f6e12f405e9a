import { compose, type DrawnKind } from './compose.ts'
import type { Design, DesignNode } from './design.ts'

type Project = Parameters<typeof compose>[1]

/** `{{ content }}`, where the mail's own body stands in a layout. */
const PLACE = /\{\{-?\s*content\s*-?\}\}/

/** A layout around a few words instead of a mail. */
export function withSample(body: string, sample: string): string {
  return body.replace(PLACE, () => sample)
}

/** The body of a mail, a snippet or a layout as a whole mail, for looking at it: a layout around a few words. */
export function shownAs(
  kind: DrawnKind,
  {
    body,
    design,
    project,
    sample,
  }: {
    readonly body: string
    readonly design?: Design | undefined
    readonly project: Project
    readonly sample: string
  },
): string {
  if (kind === 'layout') return withSample(body, sample)
  return kind === 'snippet' && design !== undefined ? compose(design, project) : body
}

/**
 * A layout with the place of the mail as a block. Undefined where it does not stand in a paragraph of its own: elsewhere,
 * blocks have no place for it.
 */
export function withPlace({ content }: Design): Design | undefined {
  const isPlace = ({ type, content: inside = [] }: DesignNode) =>
    type === 'paragraph' &&
    inside.length === 1 &&
    inside[0]?.type === 'variable' &&
    inside[0].attrs?.field === 'content'
  const drawn = content.map((node): DesignNode => (isPlace(node) ? { type: 'mailContent' } : node))
  const rest = JSON.stringify(drawn.filter(({ type }) => type !== 'mailContent'))
  const isElsewhere = PLACE.test(rest) || rest.includes('"field":"content"')
  return drawn.length > content.filter((node) => !isPlace(node)).length && !isElsewhere
    ? { version: 1, content: drawn }
    : undefined
}
