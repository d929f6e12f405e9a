import { EngineError } from '../../errors.ts'
import type { CompiledMails } from '../../mail/compiled-mails.ts'
import type { FilterTrouble } from '../../mail/render/filter-troubles.ts'
import type { Campaign } from '../../ports/store/campaigns.ts'
import { harmless, splitTemplate } from './fill-items.ts'
import type { FeedItem } from './read-feed.ts'

/** The part of a feed that goes into an issue. */
export interface FeedOfIssue {
  readonly title: string
  readonly items: readonly FeedItem[]
}

type Texts = Pick<Campaign, 'subject' | 'preheader' | 'body'>

/** Places of a pattern that ask for items and for something else at once; empty when it can be filled in. */
export function mixedPlaces({ subject, preheader = '', body }: Texts): readonly string[] {
  return [
    ...splitTemplate(subject, 'text').problems,
    ...splitTemplate(preheader, 'text').problems,
    ...splitTemplate(body, 'html').problems,
  ]
}

/** Whether the pattern shows items at all. */
export function usesItems({ subject, preheader = '', body }: Texts): boolean {
  return [subject, preheader, body].some((text) => splitTemplate(text, 'text').usesItems)
}

/**
 * The texts of an issue: the pattern's with the items filled in, while what is different for each recipient stays a
 * placeholder. No value of a feed can become one. Throws EngineError `VALIDATION_ERROR` when a limit is broken or when a place
 * mixes both. `noted` is called for each filter that could not do its work on a value of the feed.
 */
export async function filledTexts(
  compiled: CompiledMails,
  pattern: Texts,
  feed: FeedOfIssue,
  noted?: (trouble: FilterTrouble) => void,
): Promise<Texts> {
  const [mixed] = mixedPlaces(pattern)
  if (mixed !== undefined) throw new EngineError('VALIDATION_ERROR', mixedMessage(mixed))
  const { title, items } = feed
  const variables = {
    items: items.map(({ key: _, ...item }) => harmless({ ...item })),
    feed: harmless({ title }),
  }
  const fill = async (subject: string, body: string) => {
    const [line, html] = [splitTemplate(subject, 'text'), splitTemplate(body, 'html')]
    const rendered = await compiled.render(line.source, html.source, { variables, mailVariables: {} })
    if (noted) rendered.troubles.forEach(noted)
    return { subject: line.join(rendered.subject), body: html.join(rendered.html) }
  }
  const texts = await fill(pattern.subject, pattern.body)
  if (pattern.preheader === undefined) return texts
  return { ...texts, preheader: (await fill(pattern.preheader, '')).subject }
}

/** Says which place asks for items and for something else. */
export function mixedMessage(place: string): string {
  return `asks for items and for something else in one place: ${place}. A loop or a condition about items can only use the items; put values of recipients outside of it`
}
