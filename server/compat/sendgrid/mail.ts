import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { Json, JsonObject, Untrusted } from '../../../core/values/json.ts'
import { mailboxLine } from '../../../core/values/mailbox-line.ts'
import { parse, say } from '../../../core/values/parse.ts'
import { Filling } from '../kit/filling.ts'
import { tagsOfLabels } from '../kit/labels.ts'
import { type Mail, mailsOf } from '../kit/send-all.ts'
import { trackingBy } from '../kit/tracking.ts'
import { valuesOnce } from '../kit/values-once.ts'

const Address = v.pipe(
  v.object({ email: v.string(), name: v.nullish(v.string()) }),
  v.transform(({ email, name }) => (name ? { email, name } : { email })),
)
const Addresses = v.array(Address)
const Texts = v.record(v.string(), v.string())
const Switch = v.nullish(v.object({ enable: v.nullish(v.boolean()) }))
const AnyJson = v.custom<Json>((value) => value !== undefined)
/** The names that are looked for in texts, all of one list together, in characters: what SendGrid takes for one mail. */
const MAX_NAMES = 10_000
const areShort = (named: object) => Object.keys(named).join('').length <= MAX_NAMES
const tooLong = say('too_big', `must have names of at most ${MAX_NAMES} characters together`)
const Seconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100_000_000_000))

const Personalization = v.object({
  to: v.pipe(Addresses, v.minLength(1)),
  from: v.nullish(Address),
  cc: v.nullish(Addresses),
  bcc: v.nullish(Addresses),
  subject: v.nullish(v.string()),
  headers: v.nullish(Texts),
  substitutions: v.nullish(
    v.pipe(
      v.record(v.pipe(v.string(), v.maxLength(100)), v.union([v.string(), v.number()])),
      v.check((named) => areShort(named), tooLong),
    ),
  ),
  dynamic_template_data: v.nullish(v.record(v.string(), AnyJson)),
  custom_args: v.nullish(Texts),
  send_at: v.nullish(Seconds),
})

const Body = v.object({
  personalizations: v.pipe(v.array(Personalization), v.minLength(1), v.maxLength(1000)),
  from: Address,
  reply_to: v.nullish(Address),
  reply_to_list: v.nullish(Addresses),
  subject: v.nullish(v.string()),
  content: v.nullish(v.array(v.object({ type: v.string(), value: v.pipe(v.string(), v.minLength(1)) }))),
  attachments: v.nullish(
    v.array(
      v.object({
        content: v.pipe(v.string(), v.minLength(1)),
        filename: v.string(),
        type: v.nullish(v.string()),
        disposition: v.nullish(v.picklist(['attachment', 'inline'])),
        content_id: v.nullish(v.string()),
        // as the package sends it
        contentId: v.nullish(v.string()),
      }),
    ),
  ),
  template_id: v.nullish(v.string()),
  sections: v.nullish(
    v.pipe(
      Texts,
      v.check((named) => areShort(named), tooLong),
    ),
  ),
  headers: v.nullish(Texts),
  categories: v.nullish(v.pipe(v.array(v.pipe(v.string(), v.maxLength(255))), v.maxLength(10))),
  custom_args: v.nullish(Texts),
  send_at: v.nullish(Seconds),
  batch_id: v.nullish(v.string()),
  asm: v.nullish(v.object({ group_id: v.number() })),
  mail_settings: v.nullish(
    v.object({
      sandbox_mode: Switch,
      bypass_list_management: Switch,
      bypass_spam_management: Switch,
      bypass_bounce_management: Switch,
      bypass_unsubscribe_management: Switch,
      footer: Switch,
    }),
  ),
  tracking_settings: v.nullish(
    v.object({ click_tracking: Switch, open_tracking: Switch, subscription_tracking: Switch, ganalytics: Switch }),
  ),
})

type Input = v.InferOutput<typeof Body>
type PersonalInput = Input['personalizations'][number]

/** A request that is understood: a mail for each personalization. */
export interface ReadMail {
  readonly mails: readonly Mail[]
  /** Whether it is only checked. */
  readonly isSandbox: boolean
  /** The template whose topic is the unsubscribe group, and the number of the group. */
  readonly ofGroup: { readonly template: string; readonly group: number } | undefined
}

/** The longest text of one mail, filled in. */
const MAX_TEXT = 10_000_000

/** Reads a request to send. Throws EngineError `VALIDATION_ERROR` with SendGrid's names of fields. */
export async function readMail(body: Untrusted, now: Date): Promise<ReadMail> {
  const input = parse(Body, body)
  requirePossible(input)
  const sections = new Filling(input.sections ?? {})
  const mails = await mailsOf(input.personalizations, 'personalizations', async (each, place) => {
    requireUnique(each, place)
    return { ...commonOf(input, each, now), ...(await contentOf(input, each, { place, sections })) }
  })
  const isSandbox = input.mail_settings?.sandbox_mode?.enable === true
  const { asm, template_id: template } = input
  return { mails, isSandbox, ofGroup: asm && template ? { template, group: asm.group_id } : undefined }
}

/** Settings that would be lost without a word are refused. */
function requirePossible(input: Input): void {
  const {
    asm,
    batch_id,
    reply_to,
    reply_to_list,
    template_id,
    mail_settings: mail,
    tracking_settings: tracking,
  } = input
  const on = { ...mail, ...tracking }
  const refused: readonly (readonly [field: string, isOn: unknown, message: string])[] = [
    ['batch_id', batch_id, 'is not possible here: cancel a mail by its id'],
    ['asm', asm && !template_id, 'needs a template_id: the topic of a marketing template is its unsubscribe group'],
    ['mail_settings.bypass_list_management', on.bypass_list_management?.enable, 'is not possible here'],
    ['mail_settings.bypass_spam_management', on.bypass_spam_management?.enable, 'is not possible here'],
    ['mail_settings.bypass_bounce_management', on.bypass_bounce_management?.enable, 'is not possible here'],
    ['mail_settings.bypass_unsubscribe_management', on.bypass_unsubscribe_management?.enable, 'is not possible here'],
    ['mail_settings.footer', on.footer?.enable, 'is not possible here: write it into the content or a layout'],
    [
      'tracking_settings.subscription_tracking',
      on.subscription_tracking?.enable,
      'is not possible here: a marketing template has links to unsubscribe',
    ],
    ['tracking_settings.ganalytics', on.ganalytics?.enable, 'is not possible here: a project has UTM parameters'],
    ['reply_to_list', reply_to && reply_to_list?.length, 'must not be given together with reply_to'],
  ]
  const fields = refused
    .filter(([, isOn]) => isOn)
    .map(([field, , message]) => ({ field, code: 'custom' as const, message }))
  const [first] = fields
  if (first) throw new EngineError('VALIDATION_ERROR', `${first.field} ${first.message}`, { fields })
}

function requireUnique({ to, cc, bcc }: PersonalInput, place: number): void {
  const all = [...to, ...(cc ?? []), ...(bcc ?? [])].map(({ email }) => email.trim().toLowerCase())
  const twice = all.find((email, i) => all.indexOf(email) < i)
  if (twice === undefined) return
  const message = `has ${twice.slice(0, 320)} more than once: each address must be unique between to, cc, and bcc`
  throw invalidField(`personalizations.${place}`, 'custom', message)
}

function commonOf(input: Input, each: PersonalInput, now: Date): Pick<Mail, 'to'> & Partial<Mail> {
  const reply = input.reply_to ? mailboxLine(input.reply_to) : input.reply_to_list?.map(mailboxLine)
  const headers = { ...input.headers, ...each.headers }
  const categories = [...new Set(input.categories ?? [])]
  const tags = { ...input.custom_args, ...each.custom_args, ...tagsOfLabels('category', categories) }
  const seconds = each.send_at ?? input.send_at
  const at = seconds == null ? undefined : new Date(seconds * 1000)
  const { open_tracking: opens, click_tracking: clicks } = input.tracking_settings ?? {}
  const tracking = trackingBy([opens?.enable, clicks?.enable])
  return {
    from: each.from ?? input.from,
    to: each.to,
    ...(each.to.length > 1 ? { together: true } : {}),
    ...(each.cc?.length ? { cc: each.cc } : {}),
    ...(each.bcc?.length ? { bcc: each.bcc } : {}),
    ...(reply?.length ? { reply } : {}),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(Object.keys(tags).length > 0 ? { tags } : {}),
    ...(input.attachments?.length ? { attachments: input.attachments.map(attachmentOf) } : {}),
    ...(tracking === undefined ? {} : { tracking }),
    // a time that has passed means now
    ...(at && at > now ? { scheduledFor: at.toISOString() } : {}),
  }
}

function attachmentOf(given: NonNullable<Input['attachments']>[number]) {
  const { content, filename, type, disposition, content_id, contentId } = given
  const id = content_id ?? contentId
  const isInline = disposition === 'inline' && id != null
  return {
    filename,
    content,
    contentType: type || 'application/octet-stream',
    disposition: isInline ? ('inline' as const) : ('attachment' as const),
    ...(isInline ? { contentId: id.replace(/^<(.*)>$/, '$1') } : {}),
  }
}

/** Of which personalization a content is. */
interface Of {
  readonly place: number
  readonly sections: Filling
}

async function contentOf(input: Input, each: PersonalInput, { place, sections }: Of): Promise<Partial<Mail>> {
  const subject = each.subject ?? input.subject
  const substitutions = textsOf(each.substitutions, sections)
  if (input.template_id) {
    const data = { ...(await namesOf(substitutions, place)), ...each.dynamic_template_data }
    return { template: input.template_id, data: valuesOnce(data) }
  }
  const filling = new Filling(await substitutions)
  const fill = async (text: string, field: string) => {
    const filled = await filling.fill(text, MAX_TEXT)
    if (filled !== undefined) return filled
    throw invalidField(field, 'too_big', 'is longer than 10 MB once its substitutions are filled in')
  }
  const { html, text } = partsOf(input)
  return {
    placeholders: false,
    ...(subject == null ? {} : { subject: await fill(subject, 'subject') }),
    ...(html === undefined ? {} : { body: await fill(html, 'content') }),
    ...(text === undefined ? {} : { text: await fill(text, 'content') }),
  }
}

/** Substitutions as texts, with the sections that they name filled in. */
async function textsOf(given: PersonalInput['substitutions'], sections: Filling): Promise<Record<string, string>> {
  const filled = new Map<string, string>()
  let left = MAX_TEXT
  for (const [name, value] of Object.entries(given ?? {})) {
    const text = await sections.fill(String(value), left)
    if (text === undefined) throw invalidField('sections', 'too_big', 'make substitutions of more than 10 MB')
    left -= text.length
    filled.set(name, text)
  }
  return Object.fromEntries(filled)
}

/** A template has placeholders, and no other names: `{{name}}` is the value `name`. */
async function namesOf(given: Promise<Record<string, string>>, place: number): Promise<JsonObject> {
  const entries = Object.entries(await given).map(([name, value]) => {
    const plain = /^\{\{\s*([\w.-]+)\s*\}\}$/.exec(name)?.[1]
    if (plain !== undefined) return [plain, value] as const
    const message = 'must be named like {{name}} where a template is filled in'
    throw invalidField(`personalizations.${place}.substitutions`, 'custom', message)
  })
  return Object.fromEntries(entries)
}

/** The plain text first, then the HTML, as SendGrid asks for it. */
function partsOf({ content }: Input): { readonly text?: string; readonly html?: string } {
  const parts = content ?? []
  if (parts.length === 0) throw invalidField('content', 'required', 'is required when there is no template_id')
  const types = parts.map(({ type }) => type.split(';', 1)[0]?.trim().toLowerCase() ?? '')
  for (const [i, type] of types.entries()) {
    if (type !== 'text/plain' && type !== 'text/html') {
      throw invalidField(
        `content.${i}.type`,
        'custom',
        'must be text/plain or text/html: no other part is possible here',
      )
    }
    if (types.indexOf(type) < i) throw invalidField(`content.${i}.type`, 'custom', 'is given already')
  }
  if (types[0] === 'text/html' && types[1] === 'text/plain') {
    throw invalidField('content.1.type', 'custom', 'text/plain must come first, followed by text/html')
  }
  const of = (type: string) => parts[types.indexOf(type)]?.value
  const [text, html] = [of('text/plain'), of('text/html')]
  return { ...(text === undefined ? {} : { text }), ...(html === undefined ? {} : { html }) }
}
