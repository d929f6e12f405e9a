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
import { Doorbell } from '../work/doorbell.ts'
import { Confirmations } from './confirmations.ts'
import { Forms } from './forms/forms.ts'
import { dataWith } from './forms/submit.ts'
import { Topics } from './topics.ts'

/** The contact of a link, as the link's holder may see it. */
export interface Subscription {
  readonly contact: Contact
  readonly project: Project
  /** In the contact's language, else the project's, else the first supported one of the reader's. */
  readonly translations: Translations
}

/** For a deleted contact only the sender is known. */
export type Deleted = Omit<Subscription, 'contact'>

/**
 * What people do by the links in their mails. Having the link is the permission: no key is needed, and it works for
 * disabled projects, too. `languages` are those of the reader's browser, best first. Every method answers undefined for
 * an invalid token and for a deleted contact.
 */
@injectable()
export class Subscriptions {
  /** The mails that ask whether an address may get mail. */
  readonly confirmations: Confirmations
  /** Kinds of marketing mail that contacts choose one by one. */
  readonly topics: Topics
  /** The forms by which people sign up. */
  readonly forms: Forms

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Links) private readonly links: Links,
    @inject(Doorbell) doorbell: Doorbell,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.topics = new Topics(store, kit)
    this.confirmations = new Confirmations(store, doorbell, links, kit)
    this.forms = new Forms(store, this.confirmations, links, kit)
  }

  /** The current state; changes nothing. */
  async look(token: string, languages: readonly string[] = []): Promise<Subscription | undefined> {
    const link = this.links.readContact(token)
    const contact = link && (await this.store.contacts.find(link.projectId, link.contactId))
    return contact && this.#subscription(contact, languages)
  }

  /** Subscribes the contact, with an event; a subscribed contact is unchanged. */
  subscribe(token: string, languages: readonly string[] = []): Promise<Subscription | undefined> {
    return this.#setSubscribed(true, token, languages)
  }

  /**
   * Unsubscribes the contact, with an event, and records it at the mail with the link; a contact that is not subscribed
   * is unchanged.
   */
  unsubscribe(token: string, languages: readonly string[] = []): Promise<Subscription | undefined> {
    return this.#setSubscribed(false, token, languages)
  }

  /**
   * Unsubscribes the recipient of this mail, as `unsubscribe` does; without effect when the contact is gone. Mail to a
   * List-Unsubscribe address ends here as well (`core/inbound/inbound.ts`).
   */
  async leave({ projectId, contactId, id: emailId }: Pick<Email, 'projectId' | 'contactId' | 'id'>): Promise<void> {
    if (contactId !== undefined) await this.#change({ projectId, contactId, emailId }, false)
  }

  /** Sets which of the contact's openings and clicks may be recorded, with an event when that changes. */
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
      const event = consentEvent(this.kit.newId, after, before.tracking, 'link')
      await tx.events.record([link.emailId === undefined ? event : { ...event, emailId: link.emailId }])
      return after
    })
    return contact && this.#subscription(contact, languages)
  }

  /** The sender for a link of a deleted contact; undefined for an invalid token. */
  async deleted(token: string, languages: readonly string[] = []): Promise<Deleted | undefined> {
    const link = this.links.readContact(token)
    const project = link && (await this.store.projects.find(link.projectId))
    if (!project || (await this.store.contacts.find(link.projectId, link.contactId))) return undefined
    return { project, translations: translationsIn(project.locale, ...languages) }
  }

  async #setSubscribed(
    subscribed: boolean,
    token: string,
    languages: readonly string[],
  ): Promise<Subscription | undefined> {
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
      const sent = subscribed ? await tx.forms.confirm(projectId, contactId, now) : []
      const contact = { ...before, data: dataWith(before, sent), subscribed, updatedAt: now }
      await tx.contacts.update(contact)
      const [form] = sent
      const event = subscriptionEvent(this.kit.newId, contact, form ? 'form' : 'link', form?.formId)
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
