import * as v from 'valibot'
import { headerText } from './header-text.ts'

const Value = v.nullish(headerText(1, 200))

/**
 * The parameters that web analytics read of a link's address, as Google Analytics and Matomo name them: `source`
 * becomes `utm_source`, and so on.
 */
export const Utm = v.object({
  /** Where readers come from, such as `newsletter`. */
  source: Value,
  /** How they come, such as `email`. */
  medium: Value,
  /** The campaign that they come by; without it the name of the campaign or the workflow. */
  campaign: Value,
  /** A search term, for paid links. */
  term: Value,
  /** Which of several links or versions. */
  content: Value,
})

/** The same without what is not set. */
export interface Utm {
  /** The value of `utm_source`. */
  readonly source?: string
  /** The value of `utm_medium`. */
  readonly medium?: string
  /** The value of `utm_campaign`. */
  readonly campaign?: string
  /** The value of `utm_term`. */
  readonly term?: string
  /** The value of `utm_content`. */
  readonly content?: string
}

/** The fields of a project's that are set; undefined when none is. */
export function setUtm(given: v.InferOutput<typeof Utm> | null): Utm | undefined {
  const utm = utmOf(given ?? {})
  return Object.keys(utm).length === 0 ? undefined : utm
}

/** The fields of it that are set. */
export function utmOf(given: v.InferOutput<typeof Utm>): Utm {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value != null))
}

/** The parameters of links in mails of this name, in one order on every store; none when nothing is set. */
export function utmQuery(utm: Utm | undefined, name: string): [name: string, value: string][] {
  if (utm === undefined || Object.keys(utm).length === 0) return []
  const all = { ...utm, campaign: utm.campaign ?? name }
  return PARAMETERS.flatMap((each) => (all[each] === undefined ? [] : [[`utm_${each}`, all[each]]]))
}

const PARAMETERS = ['source', 'medium', 'campaign', 'term', 'content'] as const
