import { EveryDays } from '../contacts/contact.ts'
import { withSubscription } from '../contacts/left-contacts.ts'
import { consentEvent, subscriptionEvent } from '../contacts/subscription-event.ts'
import { type ContactTopic, choiceWrites, topicsOf, type WantedChoice } from '../contacts/topic-choices.ts'
import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import type { Translations } from '../mail/languages/translations.ts'
import { translationsIn } from '../mail/languages/translations-in.ts'
import { type ContactLink, Links } from '../mail/links/links.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Project } from '../ports/store/projects.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import type { ChoiceSource } from '../ports/store/topics.ts'
import { References } from '../references/references.ts'
import { parse } from '../values/parse.ts'
import type { TrackingConsent } from '../values/tracking-consent.ts'
import { Doorbell } from '../work/doorbell.ts'
import { Confirmations, isConfirmation } from './confirmations.ts'
import { chooseTopics, tickedTopics } from './forms/choose-topics.ts'
import { askForWaiting, onlyTicked } from './forms/confirm-submissions.ts'
import { siteOf } from './forms/form.ts'
import { Forms } from './forms/forms.ts'
import { dataWith } from './forms/submit.ts'
import { Leaving } from './leaving.ts'
import { Topics } from './topics.ts'
import { Unconfirmed } from './unconfirmed.ts'

/** The contact of a link, as the link's holder may see it. */
export interface Subscription {
  /** The topic of the mail with the link, which the link is about; absent for mail without one. */
  readonly topic?: ContactTopic
  /** The topics that the holder may choose: the public ones, and that of the link. */
  readonly topics: readonly ContactTopic[]
  /** The names of the topics that the mail with the link asks to confirm. */
  readonly asked: readonly string[]
  /** Present when the mail with the link asks for a confirmation: with the address of the site whose form was sent, if it is known. */
  readonly confirmation?: { readonly site?: string }
  readonly contact: Contact
  readonly project: Project
  /** When it was read. */
  readonly seenAt: Date
  /** In the contact's language, else the project's, else the first supported one of the reader's. */
  readonly translations: Translations
}

/** For a deleted contact only the sender is known. */
export type Deleted = Pick<Subscription, 'project' | 'translations'>

/** How a link is used. */
export interface LinkUse {
  /** True: concerns all marketing mail, whatever the topic of the mail with the link. */
  readonly everything?: boolean
  /** Where it was used: `one-click` by a mail program. */
  readonly source?: ChoiceSource
}

/** The topics that a page showed and those chosen of them, each by its id. */
export interface PageChoices {
  readonly shown: readonly string[]
  readonly chosen: readonly string[]
}

/**
 * The actions that people take by the links in their mails. Having the link is the permission: no key is needed, and it
 * works for disabled projects, too. `languages` are those of the reader's browser, best first. Every method answers
 * undefined for an invalid token and for a deleted contact.
 */
@injectable()
export class Subscriptions {
  /** The mails that ask whether an address may get mail. */
  readonly confirmations: Confirmations
  /** Kinds of marketing mail that contacts choose one by one. */
  readonly topics: Topics
  /** The forms by which people sign up. */
  readonly forms: Forms
  /** Leaving without a mail at hand. */
  readonly leaving: Leaving
  /** The contacts who were asked to confirm, and have not answered. */
  readonly unconfirmed: Unconfirmed

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Links) private readonly links: Links,
    @inject(Doorbell) doorbell: Doorbell,
    @inject(References) references: References,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.topics = new Topics(store, references, kit)
    this.confirmations = new Confirmations(store, doorbell, links, kit)
    this.forms = new Forms(store, this.confirmations, links, references, kit)
    this.leaving = new Leaving(store, this.confirmations, links, kit)
    this.unconfirmed = new Unconfirmed(store, this.confirmations, kit)
  }

  /** The current state; changes nothing. */
  async look(token: string, languages: readonly string[] = []): Promise<Subscription | undefined> {
    const link = await this.#linkOf(token)
    const contact = link && (await this.store.contacts.find(link.projectId, link.contactId))
    return contact && this.#subscription(contact, link, languages)
  }

  /**
   * Subscribes the contact, with an event; a subscribed contact is unchanged. By the link of a mail with a topic, it gets
   * that topic.
   */
  subscribe(token: string, languages: readonly string[] = [], use: LinkUse = {}): Promise<Subscription | undefined> {
    return this.#setSubscribed(true, token, languages, use)
  }

  /**
   * Unsubscribes the contact, with an event, and records it at the mail with the link; a contact that is not subscribed
   * is unchanged. By the link of a mail with a topic, it leaves that topic alone.
   */
  unsubscribe(token: string, languages: readonly string[] = [], use: LinkUse = {}): Promise<Subscription | undefined> {
    return this.#setSubscribed(false, token, languages, use)
  }

  /**
   * Unsubscribes the recipient of this mail, as `unsubscribe` does; without effect when the contact is gone. Mail to a
   * List-Unsubscribe address ends here as well (`core/inbound/inbound.ts`).
   */
  async leave({
    projectId,
    contactId,
    contentId,
    id: emailId,
  }: Pick<Email, 'projectId' | 'contactId' | 'contentId' | 'id'>): Promise<void> {
    if (contactId === undefined) return
    const [content] = await this.store.emails.contentHeads([contentId])
    await this.#change({ projectId, contactId, emailId, topicId: content?.topicId }, false, 'one-click')
  }

  /**
   * Chooses among the topics that a page showed; a contact who chooses one is subscribed. Those that are not offered to
   * the contact do not count.
   */
  choose(token: string, wanted: PageChoices, languages: readonly string[] = []): Promise<Subscription | undefined> {
    const now = this.kit.now()
    return this.#onPage(token, languages, async (tx, before, link) => {
      const { topics } = await this.#offered(tx, before, link)
      const [shown, chosen] = [new Set(wanted.shown), new Set(wanted.chosen)]
      const asked = topics.filter(({ topic }) => shown.has(topic.id))
      const changed = asked.filter(({ topic, subscribed }) => subscribed !== chosen.has(topic.id))
      // what a subscribed contact leaves ticked is no new wish: the page stores all that it shows
      const joins = (before.subscribed ? changed : asked).some(({ topic }) => chosen.has(topic.id))
      if (!joins && !before.subscribed) return before
      const choices = changed.map(({ topic }) => ({
        topic,
        subscribed: chosen.has(topic.id),
        at: now,
        source: 'page' as const,
      }))
      await this.#choose(tx, before, link, choices)
      return joins ? this.#switch(tx, before, link, true) : before
    })
  }

  /** The contact gets no marketing mail for so many days from now; 0 ends the pause. */
  pause(token: string, days: number, languages: readonly string[] = []): Promise<Subscription | undefined> {
    const now = this.kit.now()
    return this.#onPage(token, languages, async (tx, { pausedUntil: _, ...before }) => {
      const pause = days > 0 ? { pausedUntil: new Date(now.getTime() + days * DAY_MS) } : {}
      const after = { ...before, ...pause, updatedAt: now }
      await tx.contacts.update(after)
      return after
    })
  }

  /** The contact gets one marketing mail in so many days at most, 1 to 366; null lifts the limit. */
  limit(token: string, everyDays: number | null, languages: readonly string[] = []): Promise<Subscription | undefined> {
    const now = this.kit.now()
    const wanted = parse(EveryDays, everyDays)
    return this.#onPage(token, languages, async (tx, contact) => {
      const { everyDays = null, ...before } = contact
      if (everyDays === wanted) return contact
      const after = { ...before, ...(wanted === null ? {} : { everyDays: wanted }), updatedAt: now }
      await tx.contacts.update(after)
      return after
    })
  }

  /** Sets which of the contact's openings and clicks may be recorded, with an event when that changes. */
  allow(
    tracking: TrackingConsent,
    token: string,
    languages: readonly string[] = [],
  ): Promise<Subscription | undefined> {
    const now = this.kit.now()
    return this.#onPage(token, languages, async (tx, before, { emailId }) => {
      if (before.tracking === tracking) return before
      const after = { ...before, tracking, updatedAt: now }
      await tx.contacts.update(after)
      const event = consentEvent(this.kit.newId, after, before.tracking, 'link')
      await tx.events.record([emailId === undefined ? event : { ...event, emailId }])
      return after
    })
  }

  /** The sender for a link of a deleted contact; undefined for an invalid token. */
  async deleted(token: string, languages: readonly string[] = []): Promise<Deleted | undefined> {
    const link = await this.#linkOf(token)
    const project = link && (await this.store.projects.find(link.projectId))
    if (!project || (await this.store.contacts.find(link.projectId, link.contactId))) return undefined
    return { project, translations: translationsIn(project.locale, ...languages) }
  }

  async #setSubscribed(
    subscribed: boolean,
    token: string,
    languages: readonly string[],
    { everything = false, source = 'page' }: LinkUse,
  ): Promise<Subscription | undefined> {
    const link = await this.#linkOf(token)
    const asked = link && everything ? { ...link, topicId: undefined } : link
    const contact = asked && (await this.#change(asked, subscribed, source))
    if (contact && subscribed) await this.#askForWaiting(contact)
    return contact && link && this.#subscription(contact, link, languages)
  }

  async #askForWaiting(contact: Contact): Promise<void> {
    const { projectId, id } = contact
    const now = this.kit.now()
    if ((await this.store.forms.ofContact(projectId, id, 'waiting')).length === 0) return
    const ask = async (hasRoom: boolean) =>
      (await this.store.transaction((tx) => askForWaiting(tx, this.confirmations, contact, now, hasRoom))) !== undefined
    if (await this.confirmations.turns.spend(projectId, 'confirmation', now, ask)) this.confirmations.send()
  }

  #change(link: ContactLink, subscribed: boolean, source: ChoiceSource): Promise<Contact | undefined> {
    const { projectId, contactId, topicId } = link
    return this.store.transaction(async (tx) => {
      const before = await tx.contacts.lock(projectId, contactId)
      const topic = before && topicId !== undefined ? await tx.topics.find(projectId, topicId) : undefined
      if (!before || !topic) return before && this.#switch(tx, before, link, subscribed)
      await this.#choose(tx, before, link, [{ topic, subscribed, at: this.kit.now(), source }])
      return subscribed ? this.#switch(tx, before, link, true) : before
    })
  }

  /** Changes whether the contact gets marketing mail at all. */
  async #switch(
    tx: Repositories,
    before: Contact,
    { projectId, emailId }: ContactLink,
    subscribed: boolean,
  ): Promise<Contact> {
    const now = this.kit.now()
    await this.confirmations.turns.end(tx, before)
    const sent = subscribed ? await tx.forms.ofContact(projectId, before.id, { emailId }) : []
    const isFlipped = before.subscribed !== subscribed
    if (!isFlipped && sent.length === 0) {
      // one that was never subscribed says so itself, too
      if (subscribed || before.leftBy === 'link') return before
      const left = { ...withSubscription(before, false, 'link'), updatedAt: now }
      await tx.contacts.update(left)
      return left
    }
    const changed = { ...before, data: dataWith(before, sent), updatedAt: now }
    const contact = isFlipped ? withSubscription(changed, subscribed, 'link') : changed
    await tx.contacts.update(contact)
    await tx.forms.confirm(projectId, sent, now)
    const [form] = sent
    const event = subscriptionEvent(this.kit.newId, contact, form ? 'form' : 'link', form?.formId)
    // of a contact that was subscribed only what its mail named counts, which an empty box is not
    const chosen = await chooseTopics(tx, contact, isFlipped ? sent : sent.map(onlyTicked), this.kit.newId)
    const events = isFlipped ? [event, ...chosen] : chosen
    await tx.events.record(emailId === undefined ? events : events.map((each) => ({ ...each, emailId })))
    if (!subscribed && emailId !== undefined) await tx.emails.unsubscribedBy(projectId, emailId, now)
    return contact
  }

  /** Stores what the holder of a link chose, and records at the mail that its topic was left. */
  async #choose(
    tx: Repositories,
    contact: Contact,
    { projectId, emailId, topicId }: ContactLink,
    wanted: readonly WantedChoice[],
  ): Promise<void> {
    const before = await tx.topics.choices(projectId, [contact.id])
    const { choices, undone, events } = choiceWrites(contact, before, wanted, 'link', this.kit.newId)
    await tx.topics.choose(choices, undone)
    await tx.events.record(emailId === undefined ? events : events.map((event) => ({ ...event, emailId })))
    const isLeft = wanted.some(({ topic, subscribed }) => topic.id === topicId && subscribed === false)
    if (isLeft && emailId !== undefined) await tx.emails.unsubscribedBy(projectId, emailId, this.kit.now())
  }

  /** The contact and the topic of a link; one of a contact that was merged into another is the other's. */
  async #linkOf(token: string): Promise<ContactLink | undefined> {
    const link = this.links.readContact(token)
    const contactId = link && (await this.store.merges.into(link.projectId, link.contactId))
    return link && contactId !== undefined ? { ...link, contactId } : link
  }

  /** Does this with the contact of a link, which is locked meanwhile. */
  async #onPage(
    token: string,
    languages: readonly string[],
    act: (tx: Repositories, contact: Contact, link: ContactLink) => Promise<Contact>,
  ): Promise<Subscription | undefined> {
    const link = await this.#linkOf(token)
    if (link === undefined) return undefined
    const contact = await this.store.transaction(async (tx) => {
      const before = await tx.contacts.lock(link.projectId, link.contactId)
      return before && act(tx, before, link)
    })
    return contact && this.#subscription(contact, link, languages)
  }

  async #subscription(
    contact: Contact,
    link: ContactLink,
    languages: readonly string[],
  ): Promise<Subscription | undefined> {
    const project = await this.store.projects.find(contact.projectId)
    if (!project) return undefined
    const offered = await this.#offered(this.store, contact, link)
    const translations = translationsIn(contact.data.locale, project.locale, ...languages)
    const sent = await this.store.forms.ofContact(contact.projectId, contact.id, { emailId: link.emailId })
    const asked = (await tickedTopics(this.store, contact, sent)).map(({ name }) => name)
    const confirmation = link.emailId === undefined ? undefined : await this.#confirmation(contact, link.emailId)
    const about = confirmation === undefined ? {} : { confirmation }
    return { contact, project, seenAt: this.kit.now(), translations, asked, ...about, ...offered }
  }

  async #confirmation({ projectId, id }: Contact, emailId: string): Promise<Subscription['confirmation']> {
    const mail = await this.store.emails.find(projectId, emailId)
    if (mail === undefined || !isConfirmation(mail)) return undefined
    const [sent] = await this.store.forms.ofContact(projectId, id, { askedBy: emailId })
    const form = sent && (await this.store.forms.find(projectId, sent.formId))
    const site = form && siteOf(form)
    return site === undefined ? {} : { site }
  }

  /** The topics that the holder of a link may choose. */
  async #offered(
    reads: Repositories,
    { projectId, id }: Contact,
    { topicId }: ContactLink,
  ): Promise<Pick<Subscription, 'topic' | 'topics'>> {
    const all = await reads.topics.all(projectId)
    const offered = all.filter((topic) => topic.id === topicId || (topic.public && !topic.archived))
    if (offered.length === 0) return { topics: [] }
    const topics = topicsOf(offered, await reads.topics.choices(projectId, [id]))
    const topic = topics.find((each) => each.topic.id === topicId)
    return { topics, ...(topic ? { topic } : {}) }
  }
}

const DAY_MS = 86_400_000
