import type { Figure } from './figure.ts'

const REFERENCE = "reference: nodemailer pooled sendMail, a campaign's mail"

/**
 * How many times as fast as nodemailer the campaigns were, signed ones compared with signed ones. Empty unless both
 * were measured.
 */
export function ratios(figures: readonly Figure[]): readonly Figure[] {
  return figures.flatMap(({ what, value, unit }) => {
    if (!what.startsWith('campaign to ') || unit !== 'mails/s') return []
    const name = what.includes(', signed') ? `${REFERENCE}, signed` : REFERENCE
    const reference = figures.find((figure) => figure.what === name)
    return reference ? [{ what: `${what} / nodemailer`, value: value / reference.value, unit: 'times' }] : []
  })
}
