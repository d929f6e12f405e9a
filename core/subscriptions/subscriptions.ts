import { consentEvent, subscriptionEvent } from '../contacts/subscription-event.ts'
import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import type { Translations } from '../mail/languages/translations.ts'
import { translationsIn } from '../mail/languages/translations-in.ts'
import { type ContactLink, Links } from '../mail/links/links.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import type { TrackingConsent } from '../values/tracking-consent.ts'

/** Whom a link is about, as its holder may see it. */
export interface Subscription {
  readonly contact: Contact
  readonly project: Project
  /** In the contact's language, else the project's, else the first of the reader's that there is. */
  readonly translations: Translations
}

/** Of a contact that was deleted nobody knows more than by whom. */
export type Deleted = Omit<Subscription, 'contact'>

/**
 * What people do by the links in their mails. Holding the link is the permission: there is no key, and a disabled
 * project makes no difference. `languages` are those the reader's browser asks for, best first. Every method answers
 * undefined for a token that is not one of ours and for a contact that is gone.
 */
@injectable()
export class Subscriptions {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Links) private readonly links: Links,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** How it is; changes nothing. */
  async look(token: string, languages: readonly string[] = []): Promise<Subscription | undefined> {
    const link = this.links.readContact(token)
    const contact = link && (await this.store.contacts.find(link.projectId, link.contactId))
    return contact && this.#subscription(contact, languages)
  }

  /** Subscribes the contact and tells it by an event; a contact that is subscribed stays as it is. */
  subscribe(token: string, languages: readonly string[] = []): Promise<Subscription | undefined> {
    return this.#become(true, token, languages)
  }

  /**
   * Unsubscribes the contact and tells it by an event, and notes it at the mail the link stands in; a contact that is not
   * subscribed stays as it is.
   */
  unsubscribe(token: string, languages: readonly string[] = []): Promise<Subscription | undefined> {
    return this.#become(false, token, languages)
  }

  /** Unsubscribes who got this mail, as `unsubscribe` does; nobody when its contact is gone. */
  async leave({ projectId, contactId, id: emailId }: Pick<Email, 'projectId' | 'contactId' | 'id'>): Promise<void> {
    if (contactId !== undefined) await this.#change({ projectId, contactId, emailId }, false)
  }

  /** Notes what of the contact's openings and clicks may be tracked, and tells it by an event where that is new. */
  async allow(
    tracking: TrackingConsent,
    token: string,
    languages: readonly string[] = [],
  ): Promise<Subscription | undefined> {
    const link = this.links.readContact(token)
    if (link === undefined) return undefined
    const now = this.kit.now()
    const contact = await this.store.transaction(async (tx) => {
      const before = await tx.contacts.lock(link.projectId, link.contactId)
      if (!before || before.tracking === tracking) return before
      const after = { ...before, tracking, updatedAt: now }
      await tx.contacts.update(after)
      const event = consentEvent(this.kit.newId, after, before.tracking, 'link', now)
      await tx.events.record([link.emailId === undefined ? event : { ...event, emailId: link.emailId }])
      return after
    })
    return contact && this.#subscription(contact, languages)
  }

  /** Whose contact the link was about, when that was deleted since; undefined for a token that is not ours. */
  async deleted(token: string, languages: readonly string[] = []): Promise<Deleted | undefined> {
    const link = this.links.readContact(token)
    const project = link && (await this.store.projects.find(link.projectId))
    if (!project || (await this.store.contacts.find(link.projectId, link.contactId))) return undefined
    return { project, translations: translationsIn(project.locale, ...languages) }
  }

  async #become(subscribed: boolean, token: string, languages: readonly string[]): Promise<Subscription | undefined> {
    const link = this.links.readContact(token)
    const contact = link && (await this.#change(link, subscribed))
    return contact && this.#subscription(contact, languages)
  }

  #change(link: ContactLink, subscribed: boolean): Promise<Contact | undefined> {
    const { projectId, contactId, emailId } = link
    const now = this.kit.now()
    return this.store.transaction(async (tx) => {
      const before = await tx.contacts.lock(projectId, contactId)
      if (!before || before.subscribed === subscribed) return before
      const contact = { ...before, subscribed, updatedAt: now }
      await tx.contacts.update(contact)
      const event = subscriptionEvent(this.kit.newId, contact, 'link', now)
      await tx.events.record([emailId === undefined ? event : { ...event, emailId }])
      if (!subscribed && emailId !== undefined) await tx.emails.unsubscribedBy(projectId, emailId, now)
      return contact
    })
  }

  async #subscription(contact: Contact, languages: readonly string[]): Promise<Subscription | undefined> {
    const project = await this.store.projects.find(contact.projectId)
    return (
      project && { contact, project, translations: translationsIn(contact.data.locale, project.locale, ...languages) }
    )
  }
}
