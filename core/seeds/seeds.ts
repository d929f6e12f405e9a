import { Campaigns } from '../campaigns/campaigns.ts'
import { asVariant } from '../campaigns/variants/as-variant.ts'
import { inject, injectable } from '../di.ts'
import { EngineError, invalidField } from '../errors.ts'
import { InstallationParts } from '../installation/options.ts'
import { Kit } from '../kit.ts'
import { messageIdOf } from '../mail/email.ts'
import type { MailboxLogin } from '../ports/mailbox.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import type { VariantName } from '../ports/store/campaigns.ts'
import type { Project } from '../ports/store/projects.ts'
import type { SeedMailbox, SeedResult, SeedTest } from '../ports/store/seeds.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import { requireEnabled } from '../projects/project.ts'
import { isId } from '../values/id.ts'
import type { UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import { shownId } from '../values/shown-id.ts'
import { removeAll } from '../work/rest.ts'
import { isOver, type Look, landedResult, unsentResult } from './landing.ts'
import { AddSeedMailbox, type AddSeedMailboxInput, StartSeedTest, type StartSeedTestInput } from './seed-request.ts'

const HOUR_MS = 3_600_000
/** How many mailboxes a project has, how many tests it begins in an hour, and how many of a campaign are listed. */
const MOST = { mailboxes: 20, tests: 10, listed: 20 }
/** How long a look into a mailbox may take, in milliseconds, how many are taken of a test at once, and how many are tried. */
const LOOK_MS = 45_000
const AT_ONCE = 8
/** How many tests are looked after in one go, and for how long another of a project is begun. */
const TESTS_AT_ONCE = 50
const GO_MS = 30_000
/** How long tests are kept. */
const KEPT_MS = 90 * 24 * HOUR_MS

/** A mailbox that is read, with its password in the clear. */
type Opened = Pick<SeedMailbox, 'host' | 'port' | 'security' | 'user'> & { readonly password: string }

/**
 * The seed list of a project: addresses of its own at receivers, whose mailboxes are read, so that a test of a campaign
 * says where its mail lands. The mails are tests, which count in no figure.
 */
@injectable()
export class Seeds {
  /** The projects for which a mailbox is being tried. */
  readonly #trying = new Set<string>()

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Campaigns) private readonly campaigns: Campaigns,
    @inject(InstallationParts) private readonly parts: InstallationParts,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** The mailboxes of a project, oldest first, without their passwords. */
  async mailboxes(project: Project): Promise<readonly SeedMailbox[]> {
    return this.store.seeds.mailboxes(project.id)
  }

  /**
   * Logs in to a mailbox, and adds it. Throws EngineError `VALIDATION_ERROR`, also when the login fails, `CONFLICT` when
   * there are 20, the address is there, or this engine reads no mailboxes, `RATE_LIMIT_EXCEEDED`, `PROJECT_DISABLED`.
   */
  async addMailbox(project: Project, input: AddSeedMailboxInput | UntrustedInput): Promise<SeedMailbox> {
    requireEnabled(project)
    this.#requireReader()
    const { address, host, security, password, ...given } = parse(AddSeedMailbox, input)
    const port = given.port ?? (security === 'tls' ? 993 : 143)
    const login = { host, port, security, user: given.user ?? address, password }
    this.#requireRoom(await this.store.seeds.mailboxes(project.id), address)
    const look = await this.#tried(project, login)
    if ('problem' in look) {
      const field = look.problem.startsWith('the server refuses the login') ? 'password' : 'host'
      throw invalidField(field, 'custom', `does not work: ${look.problem}`)
    }
    const [id, now] = [this.kit.newId(), this.kit.now()]
    const sealed = this.parts.sealing.seal(password, ownerOf(id))
    const place = { host, port, security, user: login.user }
    const mailbox = { id, projectId: project.id, address, ...place, sealed, createdAt: now, updatedAt: now }
    await this.store.transaction(async (tx) => {
      // so that two who add at the same time count each other's
      await tx.projects.lock(project.id)
      this.#requireRoom(await tx.seeds.mailboxes(project.id), address)
      await tx.seeds.addMailbox(mailbox)
    })
    return mailbox
  }

  /** Removes a mailbox with its password. Throws EngineError `RESOURCE_NOT_FOUND`. */
  async removeMailbox(project: Project, id: string): Promise<void> {
    const isGone = isId(id) && (await this.store.seeds.removeMailbox(project.id, id))
    if (!isGone) throw new EngineError('RESOURCE_NOT_FOUND', `There is no mailbox ${shownId(id)}.`)
  }

  /**
   * Sends the mail of a campaign to all mailboxes, as its readers would get it. Each is looked into every minute until
   * the mail is there. Throws EngineError `CAMPAIGN_NOT_FOUND`, `CONFLICT` without a mailbox, `RATE_LIMIT_EXCEEDED` after
   * ten within an hour, and what a test of the campaign throws.
   */
  async start(
    project: Project,
    campaignId: string,
    input: StartSeedTestInput | UntrustedInput = {},
  ): Promise<SeedTest> {
    requireEnabled(project)
    this.#requireReader()
    const { variant, minutes } = parse(StartSeedTest, input)
    const { campaign } = await this.campaigns.get(project, campaignId)
    const { from } = asVariant(campaign, variant)
    const mailboxes = await this.store.seeds.mailboxes(project.id)
    if (mailboxes.length === 0) {
      throw new EngineError('CONFLICT', 'The project has no mailboxes to send to.', {
        suggestion: 'Add one with POST /seeds/mailboxes, or in the settings of the project.',
      })
    }
    const now = this.kit.now()
    const results = mailboxes.map(({ id: mailboxId, address }): SeedResult => {
      const emailId = this.kit.newId()
      const mail = { mailboxId, address, emailId, messageId: messageIdOf(emailId, from) }
      return { ...mail, outcome: 'waiting', folder: null, tab: null, arrivedAt: null, lookedAt: null, problem: null }
    })
    const named = variant === undefined ? {} : { variant }
    const whole = { id: this.kit.newId(), projectId: project.id, campaignId, ...named, minutes, waits: true, results }
    const test = { ...whole, createdAt: now, updatedAt: now }
    await this.store.transaction(async (tx) => {
      // so that those that begin at the same time count each other
      await tx.projects.lock(project.id)
      await requireRest(tx, project, now)
      // before its mails, so that a process that ends meanwhile leaves none that no test looks for
      await tx.seeds.addTest(test)
    })
    await this.#send(project, test, variant)
    return test
  }

  /** The last tests of a campaign, newest first, up to 20. Throws EngineError `CAMPAIGN_NOT_FOUND`. */
  async tests(project: Project, campaignId: string): Promise<readonly SeedTest[]> {
    await this.campaigns.get(project, campaignId)
    return this.store.seeds.tests(project.id, campaignId, MOST.listed)
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    const before = () => new Date(this.kit.now().getTime() - KEPT_MS)
    const forget = (most: number) => this.store.seeds.forget(before(), most)
    return [
      { name: 'look for mail in seed mailboxes', cron: '* * * * *', run: (signal) => this.lookAll(signal) },
      { name: 'forget tests of seed lists', cron: '17 4 * * *', run: (signal) => removeAll(forget, signal) },
    ]
  }

  /**
   * Looks into the mailboxes of the tests that wait, those changed longest ago first, and writes what was found. Each project
   * has its tests looked after in turn, so that one whose mailboxes do not answer holds up no other.
   */
  async lookAll(signal: AbortSignal): Promise<void> {
    if (this.parts.settings === undefined) return
    const end = performance.now() + GO_MS
    const projects = Map.groupBy(await this.store.seeds.waiting(TESTS_AT_ONCE), ({ projectId }) => projectId)
    const work = [...projects.values()].map(async (tests) => {
      for (const test of tests) {
        if (signal.aborted || performance.now() > end) return
        await this.store.seeds.update(await this.#looked(test, signal))
      }
    })
    const failed = (await Promise.allSettled(work)).find((each) => each.status === 'rejected')
    if (failed) throw failed.reason
  }

  /** Sends the mails of a test. A test of which none could be sent is removed. */
  async #send(project: Project, { id, campaignId, results }: SeedTest, variant?: VariantName): Promise<void> {
    let sent = 0
    try {
      for (const { address: email, emailId: seedId } of results) {
        await this.campaigns.sendTest(project, campaignId, variant, { email, seedId })
        sent++
      }
    } catch (error) {
      if (sent === 0) await this.store.seeds.removeTest(project.id, id)
      throw error
    }
  }

  async #looked(test: SeedTest, signal: AbortSignal): Promise<SeedTest> {
    const { projectId } = test
    const waiting = test.results.filter(({ outcome }) => outcome === 'waiting')
    const mails = await this.store.emails.some(
      projectId,
      waiting.map(({ emailId }) => emailId),
    )
    const mailboxes = new Map((await this.store.seeds.mailboxes(projectId)).map((each) => [each.id, each]))
    const isLast = isOver(test, this.kit.now())
    const looked = new Map<string, SeedResult>()
    for (let from = 0; from < waiting.length && !signal.aborted; from += AT_ONCE) {
      const some = waiting.slice(from, from + AT_ONCE).map(async (result) => {
        const mail = mails.find(({ id }) => id === result.emailId)
        const unsent = unsentResult(result, mail, isLast)
        if (unsent) return looked.set(result.mailboxId, unsent)
        const look = await this.#lookInto(mailboxes.get(result.mailboxId), result, signal)
        if (!signal.aborted)
          looked.set(result.mailboxId, landedResult(result, look, { mail, now: this.kit.now(), isLast }))
      })
      await Promise.all(some)
    }
    const results = test.results.map((result) => looked.get(result.mailboxId) ?? result)
    const waits = results.some(({ outcome }) => outcome === 'waiting')
    return { ...test, results, waits, updatedAt: this.kit.now() }
  }

  async #lookInto(mailbox: SeedMailbox | undefined, { messageId }: SeedResult, signal: AbortSignal): Promise<Look> {
    if (mailbox === undefined) return { problem: 'the mailbox was removed from the list' }
    const password = await this.parts.sealing.open(mailbox.sealed, ownerOf(mailbox.id))
    if (password === undefined) {
      return {
        problem: 'its password cannot be read, since it was encrypted with another secret (SECRET): add it anew',
      }
    }
    return this.#look({ ...mailbox, password }, messageId, signal)
  }

  /** Logs in, of each project to one mailbox at a time. Throws EngineError `RATE_LIMIT_EXCEEDED` while others are at it. */
  async #tried({ id }: Project, login: Opened): Promise<Look> {
    if (this.#trying.has(id) || this.#trying.size >= AT_ONCE) {
      throw new EngineError('RATE_LIMIT_EXCEEDED', 'Other mailboxes are being tried.', {
        suggestion: 'Try again soon.',
      })
    }
    this.#trying.add(id)
    try {
      return await this.#look(login, undefined)
    } finally {
      this.#trying.delete(id)
    }
  }

  async #look(
    { host, port, security, user, password }: Opened,
    messageId: string | undefined,
    signal?: AbortSignal,
  ): Promise<Look> {
    const find = this.#requireReader()
    const time = AbortSignal.timeout(LOOK_MS)
    const login: MailboxLogin = { host, port, security, user, password, publicOr: this.kit.settings.egress.allow }
    try {
      return { found: await find(login, messageId, signal ? AbortSignal.any([signal, time]) : time) }
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) }
    }
  }

  #requireReader() {
    const { settings } = this.parts
    if (settings) return settings.findMessage
    throw new EngineError('CONFLICT', 'This engine reads no mailboxes: the app around it has given it no settings.')
  }

  #requireRoom(mailboxes: readonly SeedMailbox[], address: string): void {
    if (mailboxes.length >= MOST.mailboxes)
      throw new EngineError('CONFLICT', `There are ${MOST.mailboxes} mailboxes; remove one first.`)
    if (mailboxes.some((each) => each.address === address))
      throw new EngineError('CONFLICT', `There is a mailbox for ${address} already.`)
  }
}

/** Throws EngineError `RATE_LIMIT_EXCEEDED` after as many tests as an hour may have. */
async function requireRest({ seeds }: Repositories, { id }: Project, now: Date): Promise<void> {
  if ((await seeds.countSince(id, new Date(now.getTime() - HOUR_MS))) < MOST.tests) return
  throw new EngineError('RATE_LIMIT_EXCEEDED', `There were ${MOST.tests} tests of the project within an hour.`, {
    suggestion: 'Wait a while: receivers judge a sender by such mail, too.',
  })
}

/** The owner of a sealed password: it opens in no other row. */
function ownerOf(id: string): string {
  return `seed mailbox ${id}`
}
