import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { CompiledMails } from '../mail/compiled-mails.ts'
import { withPictures } from '../mail/html/own-pictures.ts'
import type { RenderedMail } from '../mail/thread/mail-question.ts'
import type { PublishedCampaign } from '../ports/store/campaigns.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import type { Topic } from '../ports/store/topics.ts'
import { requireEnabled } from '../projects/project.ts'
import { isId } from '../values/id.ts'
import { RecentlyUsed } from '../values/recently-used.ts'
import { requireText } from '../values/shown-id.ts'
import { anonymousVariables, textWithoutOwnPages, withoutOwnPages, withPlainPages } from './anonymous-mail.ts'
import { missingCampaign } from './campaign-status.ts'
import { asVariant } from './variants/as-variant.ts'

/** How many campaigns a page of the archive has. */
const ARCHIVE_PAGE = 20
/** How many pages there are at most; what is older is still found by its address. */
const ARCHIVE_PAGES = 500
/** The filled mails that are kept: how many, and how many characters of them. */
const KEPT = 100
const KEPT_CHARACTERS = 20_000_000

/** A campaign in the list of an archive. */
export interface ArchivedCampaign {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** Filled in for a reader who is no recipient. */
  readonly subject: string
  /** The preview text that inboxes show after the subject. */
  readonly preheader?: string
  /** When it was sent. */
  readonly sentAt: Date
}

/** One page of a project's archive. */
export interface ArchivePage {
  /** The project whose archive it is. */
  readonly project: Project
  /** The topic whose campaigns these are; absent: of all. */
  readonly topic?: Topic
  /** The topics that readers may choose from. */
  readonly topics: readonly Topic[]
  /** Those of this page, the newest first. */
  readonly campaigns: readonly ArchivedCampaign[]
  /** The number of this page, from 1. */
  readonly page: number
  /** Whether there is a further page. */
  readonly hasMore: boolean
}

/** Which part of an archive. */
export interface ArchiveQuery {
  /** From 1, which is the default. */
  readonly page?: number
  /** How many campaigns a page has. */
  readonly limit?: number
  /** Only those of the topic with this slug. */
  readonly topic?: string | undefined
}

/** A campaign of an archive with its mail. */
export interface ArchivedMail {
  /** The project whose archive it is. */
  readonly project: Project
  /** Its line in the list. */
  readonly campaign: ArchivedCampaign
  /** Filled in for a reader who is no recipient. */
  readonly mail: RenderedMail
}

type Head = Pick<ArchivedCampaign, 'subject' | 'preheader'>

/**
 * The public archives of projects: their published campaigns, for readers who are no recipients. Variables are empty, so
 * that what stands is what a mail says without them; nothing is counted. A project that has no archive, or is disabled,
 * answers undefined.
 */
export class CampaignArchive {
  readonly #heads = new RecentlyUsed<Head>(10 * KEPT, KEPT_CHARACTERS, (_id, { subject }) => 300 + subject.length)
  readonly #mails = new RecentlyUsed<RenderedMail>(
    KEPT,
    KEPT_CHARACTERS,
    (_id, { html, text }) => html.length + text.length,
  )

  constructor(
    private readonly store: Store,
    private readonly compiled: CompiledMails,
    private readonly kit: Kit,
  ) {}

  /**
   * A page of the archive, the campaigns that were sent last first; `limit` of them, at most a whole page. With a `topic`,
   * by its slug, only those of it; undefined for one that contacts do not see.
   */
  async page(
    slug: string,
    { page = 1, limit = ARCHIVE_PAGE, topic: named }: ArchiveQuery = {},
  ): Promise<ArchivePage | undefined> {
    const project = await this.#project(slug)
    if (!project || page < 1 || page > ARCHIVE_PAGES) return undefined
    const topics = (await this.store.topics.all(project.id)).filter((each) => each.public && !each.archived)
    const topic = named === undefined ? undefined : topics.find((each) => each.slug === named)
    if (named !== undefined && topic === undefined) return undefined
    const asked = { limit, offset: (page - 1) * ARCHIVE_PAGE, ...(topic === undefined ? {} : { topicId: topic.id }) }
    const found = await this.store.campaigns.published(project.id, asked)
    const campaigns = await Promise.all(found.slice(0, limit).map((each) => this.#shown(project, each)))
    const hasMore = found.length > limit && page < ARCHIVE_PAGES
    return { project, campaigns, page, hasMore, topics, ...(topic === undefined ? {} : { topic }) }
  }

  /**
   * A published campaign that was sent; undefined for any other. Undefined, too, when its mail cannot be filled in
   * without a recipient.
   */
  async mail(slug: string, id: string): Promise<ArchivedMail | undefined> {
    const project = await this.#project(slug)
    const campaign = project && isId(id) ? await this.store.campaigns.find(project.id, id) : undefined
    if (!project || campaign?.status !== 'SENT' || campaign.publishedAt === undefined) return undefined
    const mail = await this.#mail(campaign, this.addressOf(project, id))
    const winner = campaign.fanOut?.test?.winner
    return mail && { project, campaign: await this.#shown(project, { ...campaign, ...(winner && { winner }) }), mail }
  }

  /**
   * Puts a campaign into the archive, where it stands once it is SENT, or takes it out; in any status. Throws EngineError
   * `CAMPAIGN_NOT_FOUND`, `PROJECT_DISABLED`.
   */
  async publish(project: Project, id: string, isPublic: boolean): Promise<void> {
    requireEnabled(project)
    const now = this.kit.now()
    await this.store.transaction(async (tx) => {
      const held = isId(id) ? await tx.campaigns.lock(project.id, id) : undefined
      if (held === undefined) return missingCampaign(id)
      if ((held.publishedAt !== undefined) === isPublic) return
      const { publishedAt: _, ...others } = held
      await tx.campaigns.update({ ...others, ...(isPublic ? { publishedAt: now } : {}), updatedAt: now })
    })
  }

  /** Where the archive is, or a campaign of it; undefined without a public address. */
  addressOf({ archiveSlug }: Project, id?: string): string | undefined {
    const { publicUrl } = this.kit.settings
    if (publicUrl === undefined || archiveSlug === undefined) return undefined
    return `${publicUrl}/archive/${archiveSlug}${id === undefined ? '' : `/${id}`}`
  }

  async #project(slug: string): Promise<Project | undefined> {
    requireText(slug, 'slug')
    const project = await this.store.projects.ofArchive(slug)
    return project?.disabled ? undefined : project
  }

  async #shown(project: Project, campaign: PublishedCampaign): Promise<ArchivedCampaign> {
    const { id, sentAt = this.kit.now() } = campaign
    return { id, sentAt, ...(await this.#head(project, campaign)) }
  }

  async #head(project: Project, campaign: PublishedCampaign): Promise<Head> {
    const { id, sentAt } = campaign
    // a draft may be cancelled, changed and sent again under the same id
    const key = `${id} ${sentAt?.getTime()}`
    const kept = this.#heads.get(key)
    if (kept) return kept
    const { subject, preheader } = await this.#asSent(project, campaign)
    const filled = async (source: string) => {
      const line = (await this.#filled(source, '', undefined))?.subject ?? ''
      return textWithoutOwnPages(line).trim()
    }
    const head = { subject: await filled(subject), ...(preheader ? { preheader: await filled(preheader) } : {}) }
    this.#heads.set(key, head)
    return head
  }

  /** The campaign with the words that most people got: the winner's, where its test had one. */
  async #asSent(project: Project, campaign: PublishedCampaign): Promise<Pick<PublishedCampaign, keyof Head>> {
    const { winner = 'A', id } = campaign
    const whole = winner === 'A' ? undefined : await this.store.campaigns.find(project.id, id)
    return whole === undefined ? campaign : asVariant(whole, winner)
  }

  async #mail({ contentId }: PublishedCampaign, address: string | undefined): Promise<RenderedMail | undefined> {
    if (contentId === undefined) return undefined
    const key = `${contentId} ${address}`
    const kept = this.#mails.get(key)
    if (kept) return kept
    const content = (await this.compiled.find(contentId))?.content
    if (content === undefined || content.linksOnly) return undefined
    const mail = await this.#filled(content.subject, content.html, address)
    if (mail === undefined) return undefined
    const { subject, html, text } = mail
    const without = { subject: textWithoutOwnPages(subject), text: textWithoutOwnPages(text) }
    const shown = withPictures({ ...without, html: withoutOwnPages(html) }, content)
    this.#mails.set(key, shown)
    return shown
  }

  async #filled(subject: string, html: string, viewUrl: string | undefined): Promise<RenderedMail | undefined> {
    try {
      const fill = { variables: {}, mailVariables: anonymousVariables(viewUrl) }
      return await this.compiled.render(withPlainPages(subject), withPlainPages(html), fill)
    } catch (error) {
      if (EngineError.is(error)) return undefined
      throw error
    }
  }
}
