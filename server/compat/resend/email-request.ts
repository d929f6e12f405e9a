import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignRequest, OurApi } from '../../../core/ports/foreign-api.ts'
import type { Untrusted } from '../../../core/values/json.ts'
import { MailboxText } from '../../../core/values/mailbox.ts'
import { parse } from '../../../core/values/parse.ts'
import { variablesOf } from '../../../core/values/resend-placeholders.ts'
import { typedApi } from '../kit/typed-api.ts'
import { valuesOnce } from '../kit/values-once.ts'
import { Attachment, attached, type Fetcher } from './attachments.ts'
import { when } from './when.ts'

const MOST_TO = 50
const Addresses = v.union([v.string(), v.array(v.string())])
const TagText = v.pipe(
  v.string(),
  v.regex(/^[\w-]{1,256}$/, 'must have 1 to 256 ASCII letters, numbers, underscores and dashes'),
)

const Email = v.object({
  from: v.nullish(v.string()),
  to: v.union([v.string(), v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MOST_TO))]),
  subject: v.nullish(v.string()),
  html: v.nullish(v.string()),
  text: v.nullish(v.string()),
  cc: v.nullish(Addresses),
  bcc: v.nullish(Addresses),
  reply_to: v.nullish(Addresses),
  headers: v.nullish(v.record(v.string(), v.string())),
  tags: v.nullish(v.array(v.object({ name: TagText, value: TagText }))),
  attachments: v.nullish(v.array(Attachment)),
  scheduled_at: v.nullish(v.string()),
  topic_id: v.nullish(v.string()),
  template: v.nullish(
    v.object({ id: v.string(), variables: v.nullish(v.record(v.string(), v.union([v.string(), v.number()]))) }),
  ),
})

/** Resend's names of our fields. */
export const FIELDS = {
  body: 'html',
  reply: 'reply_to',
  scheduledFor: 'scheduled_at',
  template: 'template',
  data: 'template',
}

/** How an e-mail differs from Resend's. */
export const DIFFERENCE =
  'at most 20 addresses in each of `cc`, `bcc` and `reply_to`; 10 files and 10 MB at most, also of those fetched by `path`; with `topic_id` recipients who left the topic are left out when the mail is accepted, and 422 is the answer when that leaves nobody; `template` and `topic_id` need a key that may read'

/** The mail as `POST /v1/send` takes it. Throws EngineError `VALIDATION_ERROR`. */
export async function readEmail(input: Untrusted, { now }: ForeignRequest, ours: OurApi, fetcher: Fetcher) {
  const email = parse(Email, input)
  const { html, text, cc, bcc, headers, tags, reply_to, scheduled_at, topic_id, template, attachments } = email
  if (template && (html || text)) {
    throw invalidField('template', 'custom', 'cannot be used together with `html` or `text`')
  }
  const scheduledFor = scheduled_at ? when(scheduled_at, now) : undefined
  const to = topic_id ? await whoTake(topic_id, [email.to].flat(), ours) : email.to
  const files = attachments?.length ? await attached(attachments, fetcher) : undefined
  return {
    to,
    together: true,
    placeholders: false,
    ...given({
      from: email.from,
      subject: email.subject,
      body: html || undefined,
      text,
      cc,
      bcc,
      headers,
      reply: reply_to?.length ? reply_to : null,
    }),
    ...(tags ? { tags: Object.fromEntries(tags.map(({ name, value }) => [name, value])) } : {}),
    ...(scheduledFor === undefined ? {} : { scheduledFor }),
    ...(files === undefined ? {} : { attachments: files }),
    ...(template ? await filledIn(template, ours) : {}),
  }
}

/** The fields that are there. */
function given<T extends Record<string, unknown>>(fields: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  const there = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(there) as { [Key in keyof T]?: NonNullable<T[Key]> }
}

/** The template with its values, which are for this mail alone. */
async function filledIn({ id, variables }: NonNullable<v.InferOutput<typeof Email>['template']>, ours: OurApi) {
  const { subject, body } = await typedApi(ours).call('getTemplate', { path: { id } })
  const missing = variablesOf(subject, body).filter(
    ({ key, fallback }) => fallback == null && !Object.hasOwn(variables ?? {}, key),
  )
  if (missing.length > 0) {
    const fields = missing.map(({ key }) => ({
      field: `template.variables.${key}`,
      code: 'required' as const,
      message: 'is required',
    }))
    throw new EngineError('VALIDATION_ERROR', 'Variables of the template have no value.', { fields })
  }
  return { template: id, data: valuesOnce(variables ?? {}) }
}

/** Those of the recipients who did not leave the topic. */
async function whoTake(topicId: string, to: readonly string[], ours: OurApi): Promise<string[]> {
  const topic = await typedApi(ours).call('getTopic', { path: { id: topicId } })
  const kept: string[] = []
  for (const recipient of to) {
    const read = v.safeParse(MailboxText, recipient)
    // a wrong address is refused with the others
    if (!read.success || (await takes(read.output.email, topic, ours))) kept.push(recipient)
  }
  if (kept.length > 0) return kept
  throw invalidField('topic_id', 'custom', 'is a topic that no recipient takes, so nothing was sent')
}

async function takes(
  email: string,
  { id, standing }: { id: string; standing: string },
  ours: OurApi,
): Promise<boolean> {
  try {
    const { topics } = await typedApi(ours).call('getContactTopics', { path: { id: email } })
    return topics.find(({ topicId }) => topicId === id)?.subscribed ?? standing === 'in'
  } catch (error) {
    if (EngineError.is(error) && error.code === 'CONTACT_NOT_FOUND') return standing === 'in'
    throw error
  }
}
