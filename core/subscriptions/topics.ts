import * as v from 'valibot'
import { type ContactTopic, choiceWrites, topicsOf, type WantedChoice } from '../contacts/topic-choices.ts'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import { type ChoiceSource, Topic, type TopicCounts } from '../ports/store/topics.ts'
import { requireEnabled } from '../projects/project.ts'
import { type References, refuseUnlessFollowed, refuseWhileHeld } from '../references/references.ts'
import { type Holder, holdersOf } from '../references/uses.ts'
import { EmailAddress } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import type { UntrustedInput } from '../values/input.ts'
import { parse, refused } from '../values/parse.ts'
import { changed, made } from '../values/record.ts'
import { shownId } from '../values/shown-id.ts'
import { numberedSlugs, slugOf, TOPIC_SLUG_LENGTH } from '../values/slug.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { findTopic, missingTopic, namedTopic } from './named-topic.ts'
import type { ChangeTopicInput, ChooseTopicsInput, CreateTopicInput } from './topic.ts'
import { ChangeTopic, ChooseTopics, CreateTopic, MAX_FORMER, MAX_TOPICS } from './topic.ts'

/** How many choices of a removed topic are deleted at a time. */
const DELETED_AT_ONCE = 1000

/** A topic, and how many contacts have chosen or left it. */
export interface CountedTopic {
  /** The topic. */
  readonly topic: Topic
  /** How many contacts get its mail, and how many do not. */
  readonly counts: TopicCounts
}

/** A contact, and what it has to do with each topic. */
export interface ContactTopics {
  /** The contact. */
  readonly contact: Contact
  /** Every topic of the project, with what the contact chose. */
  readonly topics: readonly ContactTopic[]
}

const NO_CHOICES: TopicCounts = { subscribed: 0, unsubscribed: 0 }

/** The topics of a project: kinds of marketing mail that contacts choose one by one. */
export class Topics {
  constructor(
    private readonly store: Store,
    private readonly references: References,
    private readonly kit: Kit,
  ) {}

  /** All topics, the oldest first. */
  async list(project: Project): Promise<readonly CountedTopic[]> {
    const counts = await this.store.topics.counts(project.id)
    const topics = await this.store.topics.all(project.id)
    return topics.map((topic) => ({ topic, counts: counts.get(topic.id) ?? NO_CHOICES }))
  }

  /** The topic with this id or slug. Throws EngineError `TOPIC_NOT_FOUND`. */
  async get(project: Project, name: string): Promise<CountedTopic> {
    return this.#counted(await namedTopic(this.store, project.id, name))
  }

  /**
   * Stores a new topic. Without a slug it gets one made from its name. Throws EngineError `VALIDATION_ERROR`, `CONFLICT`
   * when another topic has the slug or the project has 50 topics, `PROJECT_DISABLED`.
   */
  async create(project: Project, input: CreateTopicInput | UntrustedInput): Promise<CountedTopic> {
    requireEnabled(project)
    const wanted = parse(CreateTopic, input)
    const now = this.kit.now()
    const topic = await this.store.transaction(async (tx) => {
      if ((await tx.topics.all(project.id)).length >= MAX_TOPICS) throw full()
      const own = { id: this.kit.newId(), projectId: project.id, createdAt: now, updatedAt: now }
      const slug = wanted.slug ?? (await freeSlug(tx, project, wanted.name))
      const topic = { ...own, ...made(Topic, wanted), slug }
      return (await tx.topics.insert(topic)) === 'inserted' ? topic : slugTaken(slug)
    })
    return { topic, counts: NO_CHOICES }
  }

  /**
   * Changes the given fields; null removes the description. Another standing decides at once for contacts who never
   * chose. Another slug is refused with `CONFLICT` while something names the topic, unless `rename` says to change it
   * there, too. Throws as `create` and `get` do.
   */
  async change(project: Project, name: string, input: ChangeTopicInput | UntrustedInput): Promise<CountedTopic> {
    requireEnabled(project)
    const wanted = parse(ChangeTopic, input)
    const { id } = await namedTopic(this.store, project.id, name)
    const topic = await this.store.transaction(async (tx) => {
      const before = (await tx.topics.lock(project.id, id)) ?? missingTopic(name)
      const former = slugsAfter(before, wanted.slug)
      const topic = { ...changed(Topic, before, wanted), ...former, updatedAt: this.kit.now() }
      if (topic.slug !== before.slug) await this.#follow(tx, project, before, { to: topic.slug, ...wanted })
      const outcome = await tx.topics.update(topic)
      if (outcome === 'slug-taken') return slugTaken(topic.slug)
      return outcome === 'missing' ? missingTopic(name) : topic
    })
    return this.#counted(topic)
  }

  /**
   * Removes the topic and what contacts chose for it. Throws EngineError `CONFLICT` while a template, a draft, a form or a
   * campaign that is not finished has it, or a filter names it, `TOPIC_NOT_FOUND`, `PROJECT_DISABLED`.
   */
  async remove(project: Project, name: string): Promise<void> {
    requireEnabled(project)
    const { id } = await namedTopic(this.store, project.id, name)
    await this.store.transaction(async (tx) => {
      const topic = (await tx.topics.lock(project.id, id)) ?? missingTopic(name)
      refuseWhileHeld(`The topic "${topic.name}"`, await this.#holders(tx, project, topic))
      await tx.topics.remove(project.id, id)
    })
    // they count for nothing any more, and what a crash leaves is erased with the contacts
    while ((await this.store.topics.forget(project.id, id, DELETED_AT_ONCE)) === DELETED_AT_ONCE) await yieldToLoop()
  }

  /** Everything that has the topic or filters by it. */
  async #holders(tx: Repositories, project: Project, topic: Topic): Promise<readonly Holder[]> {
    const { templates, campaigns } = await tx.topics.users(project.id, topic.id)
    const uses = await this.references.topic(project, topic, tx)
    const all = new Map([...campaigns, ...uses.campaigns].map((campaign) => [campaign.id, campaign]))
    return [
      ...templates.map(({ name }) => ({ kind: 'template', name }) as const),
      ...holdersOf({ ...uses, campaigns: [...all.values()] }),
    ]
  }

  /** Changes the slug wherever it is written, if that is wanted; pages with a form of ours still send the old one. */
  async #follow(
    tx: Repositories,
    project: Project,
    topic: Topic,
    { to, rename }: { readonly to: string; readonly rename?: boolean | undefined },
  ): Promise<void> {
    const found = await this.references.renaming(project, { kind: 'topic', from: topic.slug, to }, tx, this.kit.now())
    const { forms } = await this.references.topic(project, topic, tx)
    const holders = [...found.holders, ...forms.map(({ name }) => ({ kind: 'form', name }) as const)]
    refuseUnlessFollowed(`The slug "${topic.slug}"`, { ...found, holders }, rename)
    await found.write()
  }

  /**
   * The topics of the contact with this id or address, each with whether it gets their mail. Throws EngineError
   * `CONTACT_NOT_FOUND`.
   */
  async ofContact(project: Project, idOrAddress: string): Promise<ContactTopics> {
    const contact = await this.#contact(project, idOrAddress)
    return { contact, topics: await this.#topicsOf(this.store, contact) }
  }

  /**
   * Stores what a contact chose, with the proof of it, and events for what changes; whether the contact is subscribed at
   * all stays as it is. Throws EngineError `VALIDATION_ERROR`, `TOPIC_NOT_FOUND`, `CONTACT_NOT_FOUND`,
   * `PROJECT_DISABLED`.
   */
  async choose(
    project: Project,
    idOrAddress: string,
    input: ChooseTopicsInput | UntrustedInput,
    source: ChoiceSource = 'api',
  ): Promise<ContactTopics> {
    requireEnabled(project)
    const now = this.kit.now()
    const wanted = await this.#wanted(project, input, source, now)
    const { id } = await this.#contact(project, idOrAddress)
    return this.store.transaction(async (tx) => {
      const contact = (await tx.contacts.lock(project.id, id)) ?? missingContact(idOrAddress)
      for (const { topic } of wanted) {
        if (!(await tx.topics.hold(project.id, topic.id))) missingTopic(topic.slug)
      }
      const before = await tx.topics.choices(project.id, [id])
      const { choices, undone, events } = choiceWrites(contact, before, wanted, 'api', this.kit.newId)
      await tx.topics.choose(choices, undone)
      await tx.events.record(events)
      return { contact, topics: await this.#topicsOf(tx, contact) }
    })
  }

  /** The choices as they were asked for, each with its topic. */
  async #wanted(
    project: Project,
    input: ChooseTopicsInput | UntrustedInput,
    source: ChoiceSource,
    now: Date,
  ): Promise<readonly WantedChoice[]> {
    const { topics } = parse(ChooseTopics, input)
    const wanted = new Map<string, WantedChoice>()
    for (const [i, { topic: name, subscribed, at, text }] of topics.entries()) {
      const topic = (await findTopic(this.store, project.id, name)) ?? missingTopic(name)
      if (at != null && at > now) throw refused([wrong(i, 'at', 'must not be in the future')])
      if (wanted.has(topic.id)) throw refused([wrong(i, 'topic', `names "${topic.slug}" a second time`)])
      wanted.set(topic.id, { topic, subscribed, at: at ?? now, source, ...(text ? { text } : {}) })
    }
    return [...wanted.values()]
  }

  async #topicsOf(reads: Repositories, { projectId, id }: Contact): Promise<readonly ContactTopic[]> {
    return topicsOf(await reads.topics.all(projectId), await reads.topics.choices(projectId, [id]))
  }

  async #contact(project: Project, idOrAddress: string): Promise<Contact> {
    if (isId(idOrAddress)) {
      return (await this.store.contacts.find(project.id, idOrAddress)) ?? missingContact(idOrAddress)
    }
    const read = v.safeParse(EmailAddress, idOrAddress)
    if (!read.success) return missingContact(idOrAddress)
    const audience = { kind: 'text', field: 'email', is: 'oneOf', values: [read.output] } as const
    const order = { sort: 'email', dir: 'asc' } as const
    const [contact] = await this.store.contacts.page(project.id, { audience }, order, { limit: 1 })
    return contact ?? missingContact(idOrAddress)
  }

  async #counted(topic: Topic): Promise<CountedTopic> {
    return { topic, counts: (await this.store.topics.counts(topic.projectId)).get(topic.id) ?? NO_CHOICES }
  }
}

function wrong(i: number, field: string, message: string) {
  return { field: `topics.${i}.${field}`, code: 'custom', message } as const
}

/** The slugs that a topic had before, the last one first, as forms on other pages may still send them. */
function slugsAfter({ slug, formerSlugs = [] }: Topic, other: string | undefined): Pick<Topic, 'formerSlugs'> {
  const all =
    other === undefined || other === slug ? formerSlugs : [slug, ...formerSlugs.filter((each) => each !== other)]
  const former = [...new Set(all)].slice(0, MAX_FORMER)
  return former.length === 0 ? {} : { formerSlugs: former }
}

/** A slug for this name that no topic of the project has. */
async function freeSlug(tx: Repositories, project: Project, name: string): Promise<string> {
  const slug = slugOf(name)
  const candidates = numberedSlugs(isId(slug) ? `topic-${slug}` : slug, TOPIC_SLUG_LENGTH, MAX_TOPICS + 1)
  const taken = await tx.topics.takenSlugs(project.id, candidates)
  // there are fewer topics than candidates
  return candidates.find((slug) => !taken.has(slug)) ?? slugTaken(candidates[0] ?? '')
}

function slugTaken(slug: string): never {
  throw new EngineError('CONFLICT', `Another topic of this project has the slug "${slug}".`, {
    fields: [{ field: 'slug', code: 'custom', message: `"${slug}" is the slug of another topic` }],
    suggestion: 'Choose another slug, or change that of the other topic first.',
  })
}

function full(): EngineError {
  return new EngineError('CONFLICT', `A project can have ${MAX_TOPICS} topics; this one has them.`, {
    suggestion: 'Delete one that is no longer used.',
  })
}

function missingContact(name: string): never {
  throw new EngineError('CONTACT_NOT_FOUND', `There is no contact ${shownId(name, 320)}.`)
}
