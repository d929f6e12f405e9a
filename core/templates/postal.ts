import { literalHtml } from '../mail/render/printed.ts'
import type { Look } from '../values/look.ts'

const PLACES = /\{\{-?\s*mailwright_postal\s*-?\}\}/g
/** A paragraph of a drawn mail that has the place and nothing else. */
const PARAGRAPH = /<p class="quiet"[^<>]*>\{\{ mailwright_postal \}\}<\/p>\n?/g

/** The body with the project's postal address in its place; without an address a drawn mail has no empty paragraph there. */
export function withPostal(body: string, { postalAddress }: Look = {}): string {
  if (!body.includes('mailwright_postal')) return body
  if (postalAddress === undefined) return body.replace(PARAGRAPH, '').replace(PLACES, '')
  const address = literalHtml(postalAddress)
  return body.replace(PLACES, () => address)
}
