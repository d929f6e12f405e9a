import type { Design, DesignNode } from './mail-editor/design.ts'

/** The mails to begin with: drawn, so that they take the look of the project. */
export interface Starter {
  readonly key: 'letter' | 'newsletter' | 'announcement' | 'receipt' | 'reset' | 'welcome'
  readonly type: 'TRANSACTIONAL' | 'MARKETING'
  readonly subject: string
  readonly design: Design
}

/** What stands where to write: a mail that still says it is not finished. */
const SAMPLE = {
  blank: 'Write here.',
  letter: 'A letter needs no pictures. Say what you have to say, as you would to one person.',
  news: 'One or two sentences on what is in this issue, and why it matters.',
  story: 'Two or three sentences that make one want to read on.',
  announcement: 'Say in one sentence what is new, and in another what it is good for.',
  first: 'The first step, in one sentence.',
  second: 'The second step, in one sentence.',
  third: 'The third step, in one sentence.',
  name: '[Your name]',
  link: 'https://example.com/',
}

/** What of the mails to begin with is still in this text of a mail or in the addresses of its links, as it stands there. */
export function samplesIn(text: string, links: readonly string[]): readonly string[] {
  return Object.values(SAMPLE).filter((sample) =>
    sample === SAMPLE.link ? links.some((url) => url.startsWith(sample)) : text.includes(sample),
  )
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
const signed = (greeting: string): DesignNode => line(text(greeting), { type: 'hardBreak' }, text(SAMPLE.name))

const GREETING = line(text('Hello '), field('firstName', 'there'), text(','))
const WAY_OUT: DesignNode = { type: 'wayOut', attrs: { text: 'You get this because you signed up for it.' } }
const RULE: DesignNode = { type: 'horizontalRule' }
const POSTAL: DesignNode = { type: 'postal' }
/** The way out, below a line; with the postal address, which the law of many countries asks for. */
const END: readonly DesignNode[] = [RULE, POSTAL, WAY_OUT]

const RECEIPT_LINES = `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px">
{% for item in items %}<tr><td style="padding:8px 0;border-bottom:1px solid #d5d9df">{{ item.name }}</td><td align="right" style="padding:8px 0;border-bottom:1px solid #d5d9df">{{ item.price }}</td></tr>
{% endfor %}<tr><td style="padding:12px 0;font-weight:bold">Total</td><td align="right" style="padding:12px 0;font-weight:bold">{{ total }}</td></tr>
</table>`

function drawn(...content: readonly DesignNode[]): Design {
  return { version: 1, content }
}

/** A mail with nothing in it but where to write. */
export const BLANK = drawn(GREETING, words(SAMPLE.blank), ...END)

/** A short letter of these words: with a button where it has a text, and the way out unless everybody gets it. */
export function letterOf({
  greeting,
  there,
  words: said,
  button: label,
  link: href = SAMPLE.link,
  signature: [regards, name],
  wayOut,
}: {
  readonly greeting: string
  /** What stands for the first name of those whose name is not known. */
  readonly there: string
  readonly words: readonly string[]
  readonly button: string
  /** Where the button leads. By default to where somebody has to say it still. */
  readonly link?: string | undefined
  readonly signature: readonly [regards: string, name: string]
  readonly wayOut?: { readonly why: string; readonly leave: string } | undefined
}): Design {
  return drawn(
    line(text(greeting), field('firstName', there), text(',')),
    ...said.map(words),
    ...(label === '' ? [] : [button(label, href)]),
    line(text(regards), { type: 'hardBreak' }, text(name)),
    ...(wayOut ? [RULE, POSTAL, { type: 'wayOut', attrs: { text: wayOut.why, link: wayOut.leave } }] : []),
  )
}

export const STARTERS: readonly Starter[] = [
  {
    key: 'letter',
    type: 'MARKETING',
    subject: 'A few words',
    design: drawn(GREETING, words(SAMPLE.letter), signed('Kind regards'), ...END),
  },
  {
    key: 'newsletter',
    type: 'MARKETING',
    subject: 'News of this month',
    design: drawn(
      heading('News of this month'),
      GREETING,
      words(SAMPLE.news),
      heading('The first story', 2),
      words(SAMPLE.story),
      link('Read the first story', `${SAMPLE.link}first`),
      heading('The second story', 2),
      words(SAMPLE.story),
      link('Read the second story', `${SAMPLE.link}second`),
      signed('Until next month'),
      ...END,
    ),
  },
  {
    key: 'announcement',
    type: 'MARKETING',
    subject: 'Something new',
    design: drawn(
      heading('Something new'),
      GREETING,
      words(SAMPLE.announcement),
      button('See what is new', `${SAMPLE.link}new`),
      words('If you have questions, just answer this mail.'),
      ...END,
    ),
  },
  {
    key: 'receipt',
    type: 'TRANSACTIONAL',
    subject: 'Your receipt {{ number }}',
    design: drawn(
      heading('Thank you for your order'),
      GREETING,
      line(text('We have received your payment. This is your receipt '), field('number'), text('.')),
      { type: 'source', attrs: { html: RECEIPT_LINES } },
      words('Keep this mail as your receipt.'),
    ),
  },
  {
    key: 'reset',
    type: 'TRANSACTIONAL',
    subject: 'Set a new password',
    design: drawn(
      heading('Set a new password'),
      GREETING,
      words('Somebody, probably you, asked for a new password. This link works for one hour:'),
      button('Set a new password', '{{ link }}'),
      words('If it was not you, leave this mail alone: your password stays as it is.'),
    ),
  },
  {
    key: 'welcome',
    type: 'MARKETING',
    subject: 'Welcome{% if firstName %}, {{ firstName }}{% endif %}',
    design: drawn(
      heading('Welcome'),
      GREETING,
      words('Good to have you. This is what to do first:'),
      { type: 'orderedList', content: [item(SAMPLE.first), item(SAMPLE.second), item(SAMPLE.third)] },
      button('Begin', `${SAMPLE.link}begin`),
      ...END,
    ),
  },
]
