import { EngineError } from '../errors.ts'
import type { MailContent } from '../ports/store/contents.ts'
import { DELETED_RECIPIENT } from '../ports/store/emails.ts'
import { contentId } from './content.ts'
import { TrackedHtml } from './html/tracked-html.ts'
import { TrackedPlainHtml } from './html/tracked-plain-html.ts'
import { literalHtml } from './render/printed.ts'
import type { Rendering } from './render/rendering.ts'

/** Links in longer bodies are given up, since searching them would block other work. */
const MAX_LENGTH = 4 * 1024 * 1024

/**
 * The rest of a content that is deleted: its sender, and its links with their numbers, so that clicks in delivered
 * mails still work. A link made of the recipient's values leads nowhere.
 */
export function linksOnly(rendering: Rendering, content: MailContent): MailContent {
  const { projectId, tracking, createdAt, received } = content
  // the sender of received mail is a person, too
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
  if (html.length > MAX_LENGTH) return ''
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

/** Keeps the number of a link whose address is lost. */
const NOWHERE = '{{ nowhere }}'

/** The target as an attribute value, without anything Liquid would interpret. */
function written(target: string): string {
  return literalHtml(target)
}
