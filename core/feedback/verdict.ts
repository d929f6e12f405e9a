import type { Figures } from '../ports/store/reputation.ts'
import type { ReputationSettings } from '../settings/reputation-settings.ts'
import { type Sentence, sentencesOf } from '../values/advice.ts'
import { percentage } from '../values/percentage.ts'

/** How many days count, including today: a week has each kind of day once. */
export const RATED_DAYS = 7
/** With fewer mails of a sending domain in that time a rate would mean little. */
export const LEAST_MAILS = 200
/** From this percentage on operators are warned, and earlier where little more stops marketing mail. */
const WARN = { 'bounce rate': 5, 'complaint rate': 0.1 }
/** One or two are an accident, however few mails there were. */
const MIN_COUNT = 3

/** A rate of a sending domain that is too high. */
export interface HighRate {
  readonly kind: 'bounce rate' | 'complaint rate'
  readonly level: 'warning' | 'stopped'
  /** In percent. */
  readonly rate: number
  readonly limit: number
  readonly count: number
}

/** The state of a sending domain. */
export type ReputationState = 'ok' | 'warning' | 'stopped'

/** The rates of these figures that are too high; none while there is too little mail to tell. Pure. */
export function highRates(figures: Figures, settings: ReputationSettings): readonly HighRate[] {
  const { sent, bounced, complained } = figures
  if (sent < LEAST_MAILS) return []
  const of = (kind: HighRate['kind'], count: number, { stop }: ReputationSettings['bounceRate']) => {
    const share = (count / sent) * 100
    const warn = Math.min(WARN[kind], stop === false ? 100 : stop / 2)
    const found = { kind, count, rate: percentage(count, sent) }
    if (count < MIN_COUNT) return []
    if (stop !== false && share >= stop) return [{ ...found, level: 'stopped' as const, limit: stop }]
    return share >= warn ? [{ ...found, level: 'warning' as const, limit: warn }] : []
  }
  return [
    ...of('bounce rate', bounced, settings.bounceRate),
    ...of('complaint rate', complained, settings.complaintRate),
  ]
}

/** The worst state among them. */
export function stateOf(rates: readonly HighRate[]): ReputationState {
  if (rates.some(({ level }) => level === 'stopped')) return 'stopped'
  return rates.length > 0 ? 'warning' : 'ok'
}

export const RATE_ADVICE = {
  bounce_rate: '{rate} % of its mails of the last {days} days ({count}) bounced; {limit} % is the limit.',
  complaint_rate:
    '{rate} % of its mails of the last {days} days ({count}) were reported as spam by their recipients; {limit} % is the limit.',
} as const
const rateAdvice = sentencesOf(RATE_ADVICE)

/** The rate in a sentence. */
export function inWords({ kind, rate, limit, count }: HighRate): Sentence {
  return rateAdvice(kind === 'bounce rate' ? 'bounce_rate' : 'complaint_rate', { rate, days: RATED_DAYS, count, limit })
}
