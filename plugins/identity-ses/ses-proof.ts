import type { PublicProof } from '../../core/ports/sender-identity.ts'

/** Where Amazon publishes its keys, unless it says otherwise. */
export const USUAL_ZONE = 'dkim.amazonses.com'

/** What is public of a domain at Amazon. */
export interface SesProof {
  /** Ours alone: Amazon's tokens are the same for whoever adds the domain to this account. */
  readonly ownership: string
  /** Where the tokens lead. */
  readonly zone: string
  readonly tokens: readonly string[]
}

const FORM = /^ses ([0-9a-f]{32}) ([a-z0-9.-]+)((?: [A-Za-z0-9]+)+)$/

/** As the text that is kept with the domain. */
export function writtenProof({ ownership, zone, tokens }: SesProof): string {
  return ['ses', ownership, zone, ...tokens].join(' ')
}

/** Undefined when the proof was made by another plugin. */
export function readProof({ publicData }: PublicProof): SesProof | undefined {
  const [, ownership, zone, tokens = ''] = FORM.exec(publicData) ?? []
  if (ownership === undefined || zone === undefined) return undefined
  return { ownership, zone, tokens: tokens.trim().split(' ') }
}
