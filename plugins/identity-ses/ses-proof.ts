import type { PublicProof } from '../../core/ports/sender-identity.ts'

/** Where Amazon publishes its keys unless it says otherwise. */
export const USUAL_ZONE = 'dkim.amazonses.com'

/** The public part of a domain's proof at Amazon. */
export interface SesProof {
  /** Made here, since Amazon gives the same tokens to everyone who adds the domain to this account. */
  readonly ownership: string
  /** The zone the tokens' CNAMEs lead to. */
  readonly zone: string
  readonly tokens: readonly string[]
}

const FORM = /^ses ([0-9a-f]{32}) ([a-z0-9.-]+)((?: [A-Za-z0-9]+)+)$/

/** The proof as the text that is kept with the domain. */
export function writtenProof({ ownership, zone, tokens }: SesProof): string {
  return ['ses', ownership, zone, ...tokens].join(' ')
}

/** Reads such a text. Undefined when another plugin made the proof. */
export function readProof({ publicData }: PublicProof): SesProof | undefined {
  const [, ownership, zone, tokens = ''] = FORM.exec(publicData) ?? []
  if (ownership === undefined || zone === undefined) return undefined
  return { ownership, zone, tokens: tokens.trim().split(' ') }
}
