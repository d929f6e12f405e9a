import { readData } from '../contacts/contact.ts'
import { Contacts } from '../contacts/contacts.ts'
import { Transports } from '../delivery/transports.ts'
import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { mailSources, variablesFor } from '../mail/compile-mail.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import { contentId, contentMarks, literalSender } from '../mail/content.ts'
import { newEmail } from '../mail/email.ts'
import { Formats } from '../mail/formats/formats.ts'
import { withLinkQuery } from '../mail/html/link-query.ts'
import type { FilterTrouble } from '../mail/render/filter-troubles.ts'
import { withPreheader } from '../mail/render/written-body.ts'
import type { FinishedMail } from '../mail/thread/mail-question.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import { WebhookSender } from '../ports/webhook-sender.ts'
import { checkContent } from '../templates/check-content.ts'
import { sourceOrBody } from '../templates/templates.ts'
import { wholeBody } from '../templates/whole-body.ts'
import { Uploads } from '../uploads/uploads.ts'
import type { UntrustedInput } from '../values/input.ts'
import type { JsonObject } from '../values/json.ts'
import { parse } from '../values/parse.ts'
import { utmQuery } from '../values/utm.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { imageFindings, linkFinding } from './address-checks.ts'
import { type AskedAddress, askAddresses } from './ask-addresses.ts'
import { type CheckMailInput, CheckMailRequest } from './check-request.ts'
import { type CheckFinding, finding, inOrder } from './check-sentences.ts'
import { clientFindings } from './client-checks.ts'
import { type ImageBytes, ownImages, sizesOf } from './image-sizes.ts'
import { askedFindings, type Target, targetsOf } from './link-findings.ts'
import { type MailShape, shapeOf } from './mail-shape.ts'
import { serverFindings } from './server-checks.ts'
import { printedIn, variableFindings } from './variable-checks.ts'
import { wayOutFindings } from './way-out-checks.ts'
import { inboxFindings, sizeFindings, spamFindings, textFindings } from './word-checks.ts'

/** How many mails of a project may have their links asked in a minute. */
const ASKING_A_MINUTE = 10
const MINUTE_MS = 60_000

/** The findings about a mail, and its measures. */
export interface CheckedMail {
  /** The worst first; none when all is well. */
  readonly findings: readonly CheckFinding[]
  /** The measures of the mail. */
  readonly figures: {
    /** As it leaves, with tracked links and footer. */
    readonly htmlBytes: number
    readonly textBytes: number
    readonly links: number
    readonly images: number
    /** Of the pictures whose size is known. */
    readonly imageBytes: number
    /** How many addresses of links and pictures were asked. */
    readonly asked: number
  }
}

/** A mail whose snippets and layout are put in, and what it is filled in with. */
interface WholeMail {
  readonly subject: string
  readonly preheader: string | undefined
  /** Without the preheader. */
  readonly body: string
  readonly isMarketing: boolean
  readonly contact: Contact | undefined
  /** The values of the request. */
  readonly own: JsonObject
}

/** Checks mails before they are sent. */
@injectable()
export class CheckMail {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(WebhookSender) private readonly sender: WebhookSender,
    @inject(CompiledMails) private readonly mails: CompiledMails,
    @inject(Formats) private readonly formats: Formats,
    @inject(Contacts) private readonly contacts: Contacts,
    @inject(Uploads) private readonly uploads: Uploads,
    @inject(Transports) private readonly transports: Transports,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * Makes the mail as sending would, and answers what is worth mending in it. Unless `links` is false, the addresses of
   * its links and pictures are asked, which may take 15 seconds. Stores nothing. Throws EngineError `VALIDATION_ERROR`
   * (also when a placeholder does not parse or a limit is broken), `LAYOUT_NOT_FOUND`, `CONTACT_NOT_FOUND`.
   */
  async mail(project: Project, input: CheckMailInput | UntrustedInput): Promise<CheckedMail> {
    const mail = await this.#whole(project, input)
    const finished = await this.#finished(project, mail)
    const shape = await shapeOf(mail.body)
    const pictures = await this.#ownImages(project, shape)
    const links = shape.links.map((link) => ({ link, wrong: linkFinding(link) }))
    // what is wrong as it stands there need not be asked
    const right = links.flatMap(({ link, wrong }) => (wrong ? [] : [link]))
    const targets = mail.asksLinks ? targetsOf(right, shape.images, pictures.own) : []
    const asking = await this.#ask(project, targets)
    const sizes = sizesOf(shape.images, joined(pictures.bytes, targets, asking.answers))
    const variables = await this.#variables(project, mail)
    await yieldToLoop()
    const htmlBytes = Buffer.byteLength(finished.html)
    const isFilled = mail.contact !== undefined || Object.keys(mail.own).length > 0
    return {
      findings: inOrder([
        ...serverFindings(
          project.mode,
          (this.transports.ownOf(project.id) ?? this.transports.shared).inUse.map(({ transport }) => transport.reach),
          this.kit.settings.publicUrl,
        ),
        ...sizeFindings(htmlBytes),
        ...inboxFindings(mail, finished.subject, isFilled),
        ...textFindings(finished, shape),
        ...(mail.isMarketing ? wayOutFindings(finished, mail.body, project.look?.postalAddress) : []),
        ...links.flatMap(({ wrong }) => wrong ?? []),
        ...asking.findings,
        ...shape.images.flatMap(imageFindings),
        ...pictures.gone,
        ...sizes.findings,
        ...variables,
        ...finished.troubles.map(filterFinding),
        ...clientFindings(shape),
        ...spamFindings(finished.subject, shape),
      ]),
      figures: {
        htmlBytes,
        textBytes: Buffer.byteLength(finished.text),
        links: shape.links.length,
        images: shape.images.length,
        imageBytes: sizes.total,
        asked: [...asking.answers.values()].filter(({ outcome }) => outcome !== 'not asked' && outcome !== 'impossible')
          .length,
      },
    }
  }

  async #whole(project: Project, input: CheckMailInput | UntrustedInput) {
    const { data, contactId, type, links, ...given } = parse(CheckMailRequest, input, sourceOrBody)
    const written = await this.formats.written(project, given, input)
    const { subject, preheader, body = '', layoutId } = written
    const contact = contactId == null ? undefined : await this.contacts.get(project, contactId)
    await checkContent(this.mails, this.store, mailSources({ subject, preheader, body }), {
      projectId: project.id,
      layoutId,
      source: given.source,
      input,
    })
    return {
      subject,
      preheader: preheader ?? undefined,
      body: await wholeBody(this.store, project, { body, layoutId }),
      isMarketing: type === 'MARKETING',
      contact,
      own: readData(data ?? undefined).variables,
      asksLinks: links,
    }
  }

  #variables(project: Project, { subject, preheader = '', body, own, isMarketing }: WholeMail) {
    const unknown = printedIn([subject, preheader, body]).filter(({ path: [root = ''] }) => !Object.hasOwn(own, root))
    return variableFindings(this.store.contactFields, project.id, unknown, isMarketing)
  }

  /** The mail as it leaves; without a contact, as for one without data. */
  async #finished(
    project: Project,
    { subject, preheader, body, isMarketing, contact, own }: WholeMail,
  ): Promise<FinishedMail> {
    const now = this.kit.now()
    const utm = isMarketing ? utmQuery(project.utm, subject) : []
    const written = {
      projectId: project.id,
      subject,
      html: withPreheader(await withLinkQuery(body, utm), preheader),
      from: literalSender(project.from ?? SOMEBODY),
      cc: [],
      bcc: [],
      headers: [],
      attachments: [],
      ...contentMarks(project, isMarketing),
    }
    const content: MailContent = { id: contentId(written), ...written, createdAt: now }
    // of the form of a test, which has the links of a mail without a contact
    const email = newEmail(now, {
      id: this.kit.newId(),
      projectId: project.id,
      contentId: content.id,
      to: contact?.email ?? SOMEBODY.email,
      ...(contact === undefined ? {} : { contactId: contact.id }),
      sourceType: 'CAMPAIGN',
      lane: 'transactional',
      variables: contact ? variablesFor(contact, own) : own,
    })
    return this.mails.of(content).finished(email)
  }

  #ownImages(project: Project, { images }: MailShape) {
    const find = (file: string) => this.uploads.find(project.id, file)
    return ownImages(images, { projectId: project.id, find })
  }

  /** Asks what can be asked, as often as a project may: this must not become a scanner of other hosts. */
  async #ask(project: Project, targets: readonly Target[]) {
    if (targets.length === 0) return { answers: NONE, findings: [] }
    const now = this.kit.now()
    const end = new Date(now.getTime() + MINUTE_MS)
    const { count } = await this.store.attempts.count(`check links ${project.id}`, now, end)
    if (count > ASKING_A_MINUTE)
      return { answers: NONE, findings: [finding('links_over_limit', 'body', { limit: ASKING_A_MINUTE })] }
    const answers = await askAddresses(
      this.sender,
      targets.map(({ address }) => address),
    )
    return { answers, findings: askedFindings(targets, answers) }
  }
}

function filterFinding({ field, filter, value, kind }: FilterTrouble): CheckFinding {
  const place = field === 'subject' ? 'subject' : 'body'
  return kind === 'zone'
    ? finding('zone_unknown', place, { value })
    : finding('filter_unable', place, { filter, value })
}

const NONE: ReadonlyMap<string, AskedAddress> = new Map()
/** Who sends and gets the mail where none is named. */
const SOMEBODY = { email: 'someone@example.com', name: '' }

/** The bytes of the project's images and of those that answered. */
function joined(own: ImageBytes, targets: readonly Target[], answers: ReadonlyMap<string, AskedAddress>): ImageBytes {
  const all = new Map(own)
  for (const { kind, address } of targets) {
    const answer = kind === 'image' ? answers.get(address) : undefined
    if (answer?.outcome === 'answered' && answer.status < 300 && answer.bytes !== undefined)
      all.set(address, answer.bytes)
  }
  return all
}
