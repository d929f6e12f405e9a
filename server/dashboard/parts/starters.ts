import { recipes as germanRecipes } from '../texts/de/recipes.ts'
import { starters as german } from '../texts/de/starters.ts'
import { recipes as englishRecipes } from '../texts/en/recipes.ts'
import { starters as english } from '../texts/en/starters.ts'
import type { Texts } from '../texts/types.ts'
import type { Design, DesignNode } from './mail-editor/design.ts'

/** A mail to begin with: drawn, so that it takes the look of the project. */
export interface Starter {
  readonly key: 'letter' | 'newsletter' | 'announcement' | 'receipt' | 'reset' | 'welcome'
  readonly type: 'TRANSACTIONAL' | 'MARKETING'
  readonly subject: string
  readonly design: Design
}

/** Where a button leads until the writer says where. */
const NOWHERE = 'https://example.com/'
/** The words in brackets in the mails of recipes, in all languages. */
const OF_RECIPES = JSON.stringify([englishRecipes, germanRecipes]).match(/\[[^[\]"]+\]/g) ?? []
/** In all languages, since a mail may be begun in one and checked in another. */
const SAMPLES = [...[english, german].flatMap(({ samples }) => Object.values(samples)), ...OF_RECIPES]

/**
 * The samples of the mails to begin with that are still in this text of a mail or in the addresses of its links, as
 * they stand there.
 */
export function samplesIn(text: string, links: readonly string[]): readonly string[] {
  const left = SAMPLES.filter((sample) => text.includes(sample))
  return links.some((url) => url.startsWith(NOWHERE)) ? [...left, NOWHERE] : left
}

/** Whether this is a mail that a recipe made, and whose words are still to be written. */
export function isDraftOfRecipe(body: string): boolean {
  return OF_RECIPES.some((sample) => body.includes(sample))
}

const text = (words: string): DesignNode => ({ type: 'text', text: words })
const line = (...content: readonly DesignNode[]): DesignNode => ({ type: 'paragraph', content })
const words = (said: string): DesignNode => line(text(said))
const heading = (said: string, level = 1): DesignNode => ({ type: 'heading', attrs: { level }, content: [text(said)] })
const button = (label: string, href: string): DesignNode => ({ type: 'button', attrs: { text: label, href } })
const link = (said: string, href: string): DesignNode =>
  line({ ...text(said), marks: [{ type: 'link', attrs: { href } }] })
const field = (name: string, fallback = ''): DesignNode => ({ type: 'variable', attrs: { field: name, fallback } })
const item = (said: string): DesignNode => ({ type: 'listItem', content: [words(said)] })

function drawn(...content: readonly DesignNode[]): Design {
  return { version: 1, content }
}

/** The parts of most mails: the greeting, the name below, and the way out. */
function frameOf({ starters: { greeting, there, regards, samples, why, leave } }: Texts) {
  /** Below a line; with the postal address, which the law of many countries asks for, and the project's profiles. */
  const end: readonly DesignNode[] = [
    { type: 'horizontalRule' },
    { type: 'social', attrs: { links: [], textAlign: 'left' } },
    { type: 'postal' },
    { type: 'wayOut', attrs: { text: why, link: leave } },
  ]
  return {
    hello: line(text(greeting), field('firstName', there), text(',')),
    signed: (regard = regards) => line(text(regard), { type: 'hardBreak' }, text(samples.name)),
    end,
  }
}

/** A mail with nothing in it but where to write. */
export function blankIn(t: Texts): Design {
  const { hello, end } = frameOf(t)
  return drawn(hello, words(t.starters.samples.blank), ...end)
}

/** A snippet with nothing in it but where to write. */
export function blankSnippet(t: Texts): Design {
  return drawn(words(t.starters.samples.blank))
}

/** A layout with nothing around the mail but its end. */
export function blankLayout(t: Texts): Design {
  return drawn({ type: 'mailContent' }, ...frameOf(t).end)
}

/** A short letter of these words: with a button where it has a text, and the way out unless everybody gets it. */
export function letterOf(
  mail: {
    readonly words: readonly string[]
    readonly button: string
    /** Where the button leads. By default to a place that the writer still has to change. */
    readonly link?: string | undefined
    readonly isForAll: boolean
  },
  t: Texts,
): Design {
  const { hello, signed, end } = frameOf(t)
  const pressed = mail.button === '' ? [] : [button(mail.button, mail.link ?? NOWHERE)]
  return drawn(hello, ...mail.words.map(words), ...pressed, signed(), ...(mail.isForAll ? [] : end))
}

/** The mails to begin with, in the language of the dashboard. */
export function startersIn(t: Texts): readonly Starter[] {
  const { hello, signed, end } = frameOf(t)
  const { samples, letter, newsletter, announcement, receipt, reset, welcome } = t.starters
  return [
    {
      key: 'letter',
      type: 'MARKETING',
      subject: letter.subject,
      design: drawn(hello, words(samples.letter), signed(), ...end),
    },
    {
      key: 'newsletter',
      type: 'MARKETING',
      subject: newsletter.subject,
      design: drawn(
        heading(newsletter.subject),
        hello,
        words(samples.news),
        heading(newsletter.first, 2),
        words(samples.story),
        link(newsletter.readFirst, `${NOWHERE}first`),
        heading(newsletter.second, 2),
        words(samples.story),
        link(newsletter.readSecond, `${NOWHERE}second`),
        signed(newsletter.until),
        ...end,
      ),
    },
    {
      key: 'announcement',
      type: 'MARKETING',
      subject: announcement.subject,
      design: drawn(
        heading(announcement.subject),
        hello,
        words(samples.announcement),
        button(announcement.button, `${NOWHERE}new`),
        words(announcement.questions),
        ...end,
      ),
    },
    {
      key: 'receipt',
      type: 'TRANSACTIONAL',
      subject: receipt.subject,
      design: drawn(
        heading(receipt.title),
        hello,
        line(text(receipt.paid), field('number'), text('.')),
        { type: 'source', attrs: { html: receiptLines(receipt.total) } },
        words(receipt.keep),
      ),
    },
    {
      key: 'reset',
      type: 'TRANSACTIONAL',
      subject: reset.subject,
      design: drawn(
        heading(reset.subject),
        hello,
        words(reset.asked),
        button(reset.subject, '{{ link }}'),
        words(reset.notYou),
      ),
    },
    {
      key: 'welcome',
      type: 'MARKETING',
      subject: welcome.subject,
      design: drawn(
        heading(welcome.title),
        hello,
        words(welcome.todo),
        { type: 'orderedList', content: [item(samples.first), item(samples.second), item(samples.third)] },
        button(welcome.button, `${NOWHERE}begin`),
        ...end,
      ),
    },
  ]
}

const receiptLines = (total: string) =>
  `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px">
{% for item in items %}<tr><td style="padding:8px 0;border-bottom:1px solid #d5d9df">{{ item.name }}</td><td align="right" style="padding:8px 0;border-bottom:1px solid #d5d9df">{{ item.price }}</td></tr>
{% endfor %}<tr><td style="padding:12px 0;font-weight:bold">${total}</td><td align="right" style="padding:12px 0;font-weight:bold">{{ total }}</td></tr>
</table>`
