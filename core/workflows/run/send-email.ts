import * as v from 'valibot'
import { readData } from '../../contacts/contact.ts'
import { upsertContact } from '../../contacts/upsert-contact.ts'
import { contentOf } from '../../delivery/accept.ts'
import type { SendRequest } from '../../delivery/send-request.ts'
import { EngineError } from '../../errors.ts'
import type { CompiledMails, Validate } from '../../mail/compiled-mails.ts'
import { newEmail } from '../../mail/email.ts'
import type { Contact } from '../../ports/store/contacts.ts'
import type { MailContent } from '../../ports/store/contents.ts'
import type { Email } from '../../ports/store/emails.ts'
import type { Project } from '../../ports/store/projects.ts'
import type { Template } from '../../ports/store/templates.ts'
import type { WorkflowStep } from '../../ports/store/workflows.ts'
import { EmailAddress } from '../../values/email-address.ts'
import { headerText } from '../../values/header-text.ts'
import { isId, type NewId } from '../../values/id.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import { MailboxLine } from '../../values/mailbox.ts'
import { parse, refused } from '../../values/parse.ts'
import { type Interpolations, recipientVariables } from './interpolation.ts'
import type { Batch, StepContext, StepResult, StepRunner } from './step-runner.ts'
import { unreadable } from './waiting-steps.ts'

/** The fields of a config used here; it was checked when it was stored. */
const Config = v.object({
  templateId: v.nullish(v.string()),
  subject: v.nullish(v.string()),
  body: v.nullish(v.string()),
  from: v.nullish(v.union([EmailAddress, v.object({ email: EmailAddress, name: v.nullish(headerText(0, 255)) })])),
  fromName: v.nullish(headerText(0, 255)),
  replyTo: v.nullish(MailboxLine),
  recipient: v.nullish(
    v.object({ type: v.optional(v.picklist(['CONTACT', 'CUSTOM']), 'CONTACT'), customEmail: v.nullish(v.string()) }),
  ),
})
type Config = v.InferOutput<typeof Config>

interface Mail {
  readonly content: MailContent
  readonly templateId: string | undefined
  readonly validate: Validate
}

/** SEND_EMAIL: adds one mail to the ledger. One object serves one batch. */
export class SendEmail implements StepRunner {
  readonly #compiled: CompiledMails
  readonly #interpolations: Interpolations
  readonly #newId: NewId
  /** By step: its mail, or the error instead. */
  readonly #mails = new Map<string, Mail | EngineError>()

  constructor(compiled: CompiledMails, interpolations: Interpolations, newId: NewId) {
    this.#compiled = compiled
    this.#interpolations = interpolations
    this.#newId = newId
  }

  async prepare(contexts: readonly StepContext[], batch: Batch): Promise<void> {
    for (const { project, step } of contexts) {
      if (this.#mails.has(step.id)) continue
      const template = await templateOf(project, step, batch)
      this.#mails.set(
        step.id,
        attempt(() => this.#mail(project, step, template, batch.now)),
      )
    }
    const byProject = Map.groupBy(contexts, ({ project }) => project.id)
    for (const [projectId, group] of byProject) {
      const addresses = group.flatMap((context) => {
        const contact = batch.contacts.get(context.execution.contactId)
        const address = contact && attempt(() => this.#address(context, contact))
        return typeof address === 'string' && address !== contact?.email ? [address] : []
      })
      await batch.contacts.holdAddresses(batch.tx, projectId, addresses)
    }
  }

  run(context: StepContext, contact: Contact, batch: Batch): StepResult {
    const mail = this.#mails.get(context.step.id)
    if (mail === undefined || EngineError.is(mail)) throw mail ?? unreadable('SEND_EMAIL')
    const { content, templateId, validate } = mail
    const recipient = this.#recipient(context, contact, batch)
    if (content.marketing && !recipient.contact.subscribed) {
      return { outcome: 'done', skipped: true, output: { reason: 'unsubscribed', ...toOf(recipient.contact, contact) } }
    }
    const variables = recipientVariables(contact, context.execution)
    // the mail is about the workflow's contact, even when it goes to somebody else
    const own = recipient.contact.id === contact.id ? {} : { id: contact.id, email: contact.email }
    const email = emailTo(recipient.contact, content, templateId, { ...variables, ...own }, this.#newId, batch.now)
    validate([email.variables])
    if (recipient.isNew) batch.contacts.put(recipient.contact)
    batch.contents.set(content.id, content)
    batch.emails.push(email)
    return { outcome: 'done', output: { emailId: email.id, ...toOf(recipient.contact, contact) } }
  }

  #mail(project: Project, step: WorkflowStep, template: Template | undefined, now: Date): Mail {
    const config = parse(Config, step.config)
    if (template === undefined && (config.subject == null || config.body == null)) throw unreadable('SEND_EMAIL')
    const content = contentOf(project, requestOf(config), template, now)
    this.#compiled.requireSendable(content)
    return { content, templateId: template?.id, validate: this.#compiled.briefValidatorOf(content) }
  }

  /** The recipient's address, in its stored form. */
  #address({ step, execution }: StepContext, contact: Contact): string {
    const { recipient } = parse(Config, step.config)
    if (recipient?.type !== 'CUSTOM') return contact.email
    const written = this.#interpolations
      .of(contact, execution)
      .text(recipient.customEmail ?? '', 'recipient.customEmail')
    const read = v.safeParse(EmailAddress, written)
    if (read.success) return read.output
    throw refused([
      { field: 'recipient.customEmail', code: 'invalid_string', message: 'must come to an e-mail address' },
    ])
  }

  #recipient(context: StepContext, contact: Contact, { contacts, now }: Batch) {
    const email = this.#address(context, contact)
    if (email === contact.email) return { contact, isNew: false }
    const { id: projectId, trackingConsent: trackingWhenNew } = context.project
    const subscription = { subscribed: undefined, subscribedWhenNew: false, trackingWhenNew }
    const wanted = { projectId, email, change: readData(undefined), ...subscription }
    const known = contacts.byAddress(projectId, email)
    return upsertContact(known, { ...wanted, reason: 'workflow' }, this.#newId, now)
  }
}

async function templateOf(project: Project, step: WorkflowStep, { tx }: Batch): Promise<Template | undefined> {
  const id = step.templateId ?? step.config.templateId
  if (typeof id !== 'string' || !isId(id)) return undefined
  return tx.templates.find(project.id, id)
}

/** The config as a send request: it overrides the template. */
function requestOf({ subject, body, from, fromName, replyTo }: Config): SendRequest {
  const sender = typeof from === 'string' ? { email: from } : from
  const name = (isJsonObject(sender) ? sender.name : undefined) ?? fromName ?? undefined
  return {
    to: [],
    subject,
    body,
    reply: replyTo,
    ...(sender ? { from: { email: sender.email, isPlain: true, ...(name ? { name } : {}) } } : {}),
  }
}

function emailTo(
  { id: contactId, email: to, projectId }: Contact,
  content: MailContent,
  templateId: string | undefined,
  variables: JsonObject,
  newId: NewId,
  now: Date,
): Email {
  return newEmail(now, {
    id: newId(),
    projectId,
    contactId,
    contentId: content.id,
    to,
    sourceType: 'WORKFLOW',
    lane: 'workflow',
    ...(templateId === undefined ? {} : { templateId }),
    variables,
  })
}

/** The result of the work, or the EngineError it throws, so that one step's error does not affect others. */
/**
 * Another person's address is not stored with this contact, where it would outlive that person's data; the mail has it.
 */
function toOf(recipient: Contact, contact: Contact): JsonObject {
  return recipient.id === contact.id ? { to: recipient.email } : {}
}

function attempt<T>(work: () => T): T | EngineError {
  try {
    return work()
  } catch (error) {
    if (EngineError.is(error)) return error
    throw error
  }
}
