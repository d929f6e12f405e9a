import type { MailContent } from '../ports/store/contents.ts'
import { nameLine } from './compile-mail.ts'
import { isConfidential, isTest, type MailToFill } from './email.ts'
import type { TrackedHtml } from './html/tracked-html.ts'
import type { Translations } from './languages/translations.ts'
import { translationsIn } from './languages/translations-in.ts'
import type { ContactUrls, Links, MailUrls } from './links/links.ts'
import { FilterTroubles, type NoteTrouble } from './render/filter-troubles.ts'
import type { InjectedParts, MailVariables } from './render/scope.ts'
import type { CompiledTemplate } from './render/template.ts'

interface ValueTemplates {
  /** Has the links of the mail's HTML, once it is compiled. */
  readonly tracked: TrackedHtml | undefined
  /** The sender's name when it is filled in. */
  readonly fromName?: CompiledTemplate | undefined
}

/**
 * The mail variables and the injected parts of a mail, in one object, since every mail has one. `subscribed` is from the
 * moment the mail was accepted. Links are signed on demand: most mails use few of them.
 */
export class MailValues implements MailVariables, InjectedParts {
  readonly email: string
  readonly id: string | undefined
  readonly subscribed: boolean | undefined
  private readonly mail: MailToFill
  private readonly content: MailContent
  private readonly links: Links
  private readonly templates: ValueTemplates
  private pages: ContactUrls | undefined
  private signed: MailUrls | undefined
  private words: Translations | undefined
  private readonly noted: NoteTrouble | undefined
  private found: FilterTroubles | undefined

  constructor(mail: MailToFill, content: MailContent, links: Links, templates: ValueTemplates, noted?: NoteTrouble) {
    this.mail = mail
    this.content = content
    this.links = links
    this.templates = templates
    this.noted = noted
    const { email, id = mail.contactId, subscribed } = mail.variables
    // set by a workflow for mail to another person about its contact; data has no key of this name
    this.email = typeof email === 'string' ? email : mail.to
    this.id = typeof id === 'string' ? id : undefined
    this.subscribed = typeof subscribed === 'boolean' ? subscribed : undefined
  }

  get troubles(): FilterTroubles {
    this.found ??= new FilterTroubles((trouble) => this.noted?.(this.mail, trouble))
    return this.found
  }

  get injected(): InjectedParts {
    return this
  }

  get unsubscribeUrl(): string | undefined {
    return this.page?.unsubscribeUrl
  }

  get subscribeUrl(): string | undefined {
    return this.page?.subscribeUrl
  }

  get manageUrl(): string | undefined {
    return this.page?.manageUrl
  }

  get viewUrl(): string | undefined {
    const { projectId, id: emailId } = this.mail
    return this.links.ofView({ projectId, emailId })
  }

  get click(): string | undefined {
    return this.urls?.click
  }

  get pixel(): string | undefined {
    return this.urls?.pixel
  }

  get language(): string {
    return this.translations.language
  }

  get reason(): string {
    const { from } = this.content
    const { fromName } = this.templates
    const name = fromName ? nameLine(fromName, this.mail.variables, this) : from.name
    return this.translations.footer.reason(name || from.email)
  }

  get unsubscribe(): string {
    return this.translations.footer.unsubscribe
  }

  /** Words of the page to choose on what to get. */
  get manage(): string {
    return this.translations.manage.title
  }

  get postal(): string | undefined {
    return this.content.look?.postalAddress
  }

  get logo(): string | undefined {
    return this.content.look?.logoUrl
  }

  /** Signed when it is filled in, so that no table holds it. */
  get account(): string | undefined {
    const { page, token } = this.mail.variables
    const known = isConfidential(this.mail) && typeof page === 'string' && typeof token === 'string'
    return known ? this.links.ofAccount(page, token) : undefined
  }

  link(number: number): string {
    return this.templates.tracked?.link(number, this.click ?? '', this.mail.variables, this) ?? ''
  }

  linkInPlace(place: number, occurrence: number, address: string): string {
    return this.templates.tracked?.linkInPlace(place, occurrence, address, this.click ?? '', this) ?? address
  }

  private get page(): ContactUrls | undefined {
    const { projectId, contactId, id: emailId } = this.mail
    // a test to an unknown address looks like the mail itself; its links lead to the page for invalid links
    const reader = contactId ?? (isTest(this.mail) ? emailId : undefined)
    const { topicId } = this.content
    if (reader !== undefined) this.pages ??= this.links.ofContact({ projectId, contactId: reader, emailId, topicId })
    return this.pages
  }

  private get urls(): MailUrls | undefined {
    const { projectId, id: emailId } = this.mail
    this.signed ??= this.links.ofMail({ projectId, emailId })
    return this.signed
  }

  private get translations(): Translations {
    this.words ??= translationsIn(this.mail.variables.locale, this.content.locale)
    return this.words
  }
}
