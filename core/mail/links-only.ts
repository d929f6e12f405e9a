import { EngineError } from '../errors.ts'
import type { MailContent } from '../ports/store/contents.ts'
import { DELETED_RECIPIENT } from '../ports/store/emails.ts'
import { contentId } from './content.ts'
import { TrackedHtml } from './html/tracked-html.ts'
import { TrackedPlainHtml } from './html/tracked-plain-html.ts'
import { escapeHtml } from './render/printed.ts'
import type { Rendering } from './render/rendering.ts'

/** A longer body would hold everybody else up while its links are looked for; they are given up. */
const LONGEST = 4 * 1024 * 1024

/**
 * What is left of a content when what it said is to be forgotten: who sent it, and its links in their places, so that
 * clicks in the mails that were delivered still lead on. A link made of the recipient's values leads nowhere.
 */
export function linksOnly(rendering: Rendering, content: MailContent): MailContent {
  const { projectId, tracking, createdAt, received } = content
  // of received mail the sender is the person
  const from = received ? { email: DELETED_RECIPIENT, name: '' } : content.from
  const written = {
    projectId,
    subject: '',
    html: content.tracking ? linksOf(rendering, content) : '',
    from,
    cc: [],
    bcc: [],
    headers: [],
    attachments: [],
    marketing: false,
    linksOnly: true,
    ...(tracking === undefined ? {} : { tracking }),
    ...(received ? { received } : {}),
  }
  return { id: contentId(written), ...written, createdAt }
}

function linksOf(rendering: Rendering, { html, submitted }: MailContent): string {
  if (html.length > LONGEST) return ''
  const targets = submitted ? new TrackedPlainHtml(html).targets : targetsOf(rendering, html)
  return targets.map((target) => `<a href="${target === undefined ? NOWHERE : written(target)}"></a>`).join('')
}

/** A body that does not parse was never sent. */
function targetsOf(rendering: Rendering, html: string): readonly (string | undefined)[] {
  try {
    return TrackedHtml.compile(rendering, html, Number.POSITIVE_INFINITY).fixedTargets
  } catch (error) {
    if (EngineError.is(error)) return []
    throw error
  }
}

/** Keeps the number of a link whose address nobody knows any more. */
const NOWHERE = '{{ nowhere }}'

/** As the value of an attribute, with nothing in it that Liquid would read. */
function written(target: string): string {
  return escapeHtml(target).replaceAll('{', '&#123;')
}
