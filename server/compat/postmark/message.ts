import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { Json, Untrusted } from '../../../core/values/json.ts'
import { parse } from '../../../core/values/parse.ts'
import { addressesIn } from '../kit/addresses.ts'
import { tagsOfLabels } from '../kit/labels.ts'
import type { Mail } from '../kit/send-all.ts'
import { trackingBy } from '../kit/tracking.ts'
import { valuesOnce } from '../kit/values-once.ts'

/** Postmark's names of our fields. */
export const FIELDS: Readonly<Record<string, string>> = {
  from: 'From',
  to: 'To',
  cc: 'Cc',
  bcc: 'Bcc',
  subject: 'Subject',
  body: 'HtmlBody',
  text: 'TextBody',
  reply: 'ReplyTo',
  replyTo: 'ReplyTo',
  headers: 'Headers',
  attachments: 'Attachments',
  tags: 'Metadata',
  template: 'TemplateAlias',
  data: 'TemplateModel',
  together: 'To',
}

/** To, Cc and Bcc of one message together. */
const MAX_RECIPIENTS = 50

const optional = {
  Cc: v.nullish(v.string()),
  Bcc: v.nullish(v.string()),
  ReplyTo: v.nullish(v.string()),
  Tag: v.nullish(v.pipe(v.string(), v.maxLength(500))),
  Metadata: v.nullish(v.record(v.string(), v.string())),
  Headers: v.nullish(v.pipe(v.array(v.object({ Name: v.string(), Value: v.string() })), v.maxLength(100))),
  TrackOpens: v.nullish(v.boolean()),
  TrackLinks: v.nullish(v.picklist(['None', 'HtmlAndText', 'HtmlOnly', 'TextOnly'])),
  Attachments: v.nullish(
    v.array(
      v.object({
        Name: v.string(),
        Content: v.string(),
        ContentType: v.string(),
        ContentID: v.nullish(v.string()),
      }),
    ),
  ),
  MessageStream: v.nullish(v.string()),
}

const Message = v.object({
  From: v.string(),
  To: v.string(),
  ...optional,
  Subject: v.nullish(v.string()),
  HtmlBody: v.nullish(v.string()),
  TextBody: v.nullish(v.string()),
})

const TemplatedMessage = v.object({
  From: v.string(),
  To: v.string(),
  ...optional,
  TemplateId: v.nullish(v.union([v.string(), v.number()])),
  TemplateAlias: v.nullish(v.string()),
  TemplateModel: v.record(
    v.string(),
    v.custom<Json>((value) => value !== undefined),
  ),
})

/** A message that is understood. */
export interface Read {
  readonly mail: Mail
  /** The parts that its answer repeats. */
  readonly named: { readonly To: string; readonly Cc?: string; readonly Bcc?: string }
  /** All of its recipients, as they were written. */
  readonly recipients: readonly string[]
}

/** Reads a message with its own texts. */
export function readMessage(input: Untrusted): Read {
  const message = parse(Message, input)
  const { Subject: subject, HtmlBody: html, TextBody: text } = message
  if (!html && !text) throw invalidField('TextBody', 'required', 'or HtmlBody is required')
  return read(message, {
    placeholders: false,
    // Postmark sends mail without a subject; a mail here has one
    ...(subject == null ? {} : { subject }),
    ...(html ? { body: html } : {}),
    ...(text ? { text } : {}),
  })
}

/** Reads a message that is made from a template. */
export function readTemplated(input: Untrusted): Read {
  const message = parse(TemplatedMessage, input)
  const { TemplateId: id, TemplateAlias: alias, TemplateModel: model } = message
  const template = alias ?? id
  if (template == null) throw invalidField('TemplateAlias', 'required', 'or TemplateId is required')
  return read(message, { template: String(template), data: valuesOnce(model) })
}

type Common = Omit<v.InferOutput<typeof Message>, 'Subject' | 'HtmlBody' | 'TextBody'>

function read(message: Common, content: Partial<Mail>): Read {
  const { From: from, To, Cc, Bcc, ReplyTo, Headers, Attachments } = message
  const [to, cc, bcc] = [addressesIn(To), addressesIn(Cc), addressesIn(Bcc)]
  const recipients = [...to, ...cc, ...bcc]
  if (to.length === 0) throw invalidField('To', 'required', 'is required')
  if (recipients.length > MAX_RECIPIENTS) {
    throw invalidField('To', 'too_big', `, Cc and Bcc must have at most ${MAX_RECIPIENTS} recipients together`)
  }
  requireOutbound(message.MessageStream)
  const reply = addressesIn(ReplyTo)
  const { TrackOpens: opens, TrackLinks: links } = message
  const tracking = trackingBy([opens, links == null ? links : links !== 'None'])
  const tags = tagsOf(message)
  return {
    named: { To, ...(Cc ? { Cc } : {}), ...(Bcc ? { Bcc } : {}) },
    recipients,
    mail: {
      from,
      to: [...to],
      ...(to.length > 1 ? { together: true } : {}),
      ...(cc.length > 0 ? { cc: [...cc] } : {}),
      ...(bcc.length > 0 ? { bcc: [...bcc] } : {}),
      ...(reply.length > 0 ? { reply: [...reply] } : {}),
      ...(Headers == null ? {} : { headers: headersOf(Headers) }),
      ...(Attachments == null ? {} : { attachments: Attachments.map(attachmentOf) }),
      ...(tracking === undefined ? {} : { tracking }),
      ...(tags === undefined ? {} : { tags }),
      ...content,
    },
  }
}

function tagsOf({ Tag, Metadata }: Common): Record<string, string> | undefined {
  if (Tag == null && Metadata == null) return undefined
  return { ...Metadata, ...tagsOfLabels('tag', Tag ? [Tag] : []) }
}

function headersOf(list: NonNullable<Common['Headers']>): Record<string, string> {
  const headers = new Map<string, string>()
  for (const [i, { Name, Value }] of list.entries()) {
    if (headers.has(Name)) throw invalidField(`Headers.${i}.Name`, 'custom', 'is given already')
    headers.set(Name, Value)
  }
  return Object.fromEntries(headers)
}

function attachmentOf({ Name, Content, ContentType, ContentID }: NonNullable<Common['Attachments']>[number]) {
  const file = { filename: Name, content: Content, contentType: ContentType }
  if (!ContentID) return { ...file, disposition: 'attachment' as const }
  return { ...file, contentId: ContentID.replace(/^cid:/i, ''), disposition: 'inline' as const }
}

/**
 * Mail of other streams goes to people who may leave the stream, each by a link of its own; here that is a campaign or
 * a marketing template. Throws EngineError `RESOURCE_NOT_FOUND`.
 */
export function requireOutbound(stream: string | null | undefined): void {
  if (stream == null || stream === 'outbound') return
  const message = `The 'MessageStream' provided does not exist on this server: ${stream.slice(0, 100)}`
  const suggestion = 'There is one stream, outbound. Send marketing mail as a campaign.'
  throw new EngineError('RESOURCE_NOT_FOUND', message, {
    suggestion,
    fields: [{ field: 'MessageStream', code: 'custom', message: 'must be outbound' }],
  })
}
