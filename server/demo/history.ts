import { type ScratchEngine, startScratchEngine } from '../../config/scratch-engine.ts'
import { EngineError } from '../../core/errors.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import type { NewKeys } from '../../core/projects/projects.ts'
import { Chance } from './chance.ts'
import { CAMPAIGNS, FORM, FROM, ITEMS, type PlannedCampaign, SEGMENTS, SERIES, TEMPLATES } from './content.ts'
import { type Person, person } from './people.ts'
import { Readers } from './readers.ts'
import { LedClock, Timeline } from './timeline.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How many days are lived through. */
export const DAYS = 60
/** How often the engine looks after what has fallen due meanwhile. */
const TICK = 6 * HOUR
/** The share of the people who are there on the first day. */
const THERE = 0.7

/** The measures of the history. */
export interface HistoryOptions {
  readonly name: string
  readonly contacts: number
  readonly seed: number
  readonly publicUrl: string
  /** Ends it early; `liveThrough` then throws its reason. */
  readonly signal: AbortSignal
  /** Called now and then with the days done. */
  onDay(day: number): void
}

/** The project that was made, in a file of its own. */
export interface MadeProject {
  readonly project: Project
  readonly keys: NewKeys
  readonly file: string
  /** Removes the file. */
  remove(): Promise<void>
}

/**
 * Lives through the last days with an engine on a clock of its own, so that every figure is what the engine counted.
 * At the end nothing waits. Throws what goes wrong; then nothing is left.
 */
export async function liveThrough(options: HistoryOptions): Promise<MadeProject> {
  const end = Date.now() - 10 * MINUTE
  const clock = new LedClock(new Date(end - DAYS * DAY))
  const timeline = new Timeline(end)
  const chance = new Chance(options.seed)
  const people = Array.from({ length: options.contacts }, (_, i) => person(chance, i))
  const scratch = new Scratch()
  const life = new Life(options, clock, timeline, chance, people, scratch)
  const readers = new Readers({
    chance,
    timeline,
    people: new Map(people.map((each) => [each.email, each])),
    now: () => clock.now().getTime(),
    engine: () => scratch.engine,
    order: (buyer) => life.order(buyer),
    putOff: () => life.lookSoon(),
  })
  scratch.started = await startScratchEngine({ clock, transport: readers, publicUrl: options.publicUrl })
  const { file, remove } = scratch.started
  try {
    const made = await life.live()
    await scratch.started.stop()
    return { ...made, file, remove }
  } catch (error) {
    await scratch.started.stop()
    await remove()
    throw error
  }
}

/** The engine, which is started after those who need it are made. */
class Scratch {
  started: ScratchEngine | undefined

  get engine(): ScratchEngine['engine'] {
    return this.running.engine
  }

  get running(): ScratchEngine {
    if (this.started === undefined) throw new Error('the engine is not started yet')
    return this.started
  }
}

class Life {
  readonly #begin: number
  #project: Project | undefined
  #looksAt = 0
  #orders = 0

  constructor(
    private readonly options: HistoryOptions,
    private readonly clock: LedClock,
    private readonly timeline: Timeline,
    private readonly chance: Chance,
    private readonly people: readonly Person[],
    private readonly scratch: Scratch,
  ) {
    this.#begin = clock.now().getTime()
  }

  async live(): Promise<Pick<MadeProject, 'project' | 'keys'>> {
    const { engine } = this.scratch
    const made = await engine.projects.applyFirst({
      name: this.options.name,
      trustedDomains: ['example.com'],
      from: FROM,
    })
    if (made === undefined) throw new Error('the scratch database has a project already')
    this.#project = made.project
    const workflow = await this.#prepare()
    this.#plan()
    await this.#run()
    await engine.workflows.executions.cancelAll(made.project, workflow)
    await this.#settle()
    await this.#requireDone()
    return made
  }

  /** A person orders something: an event, and a receipt. */
  async order({ email }: Person): Promise<void> {
    const { engine } = this.scratch
    const { item, amount } = this.chance.pick(ITEMS, 'item', email, this.#orders)
    const order = `L-${1000 + this.#orders++}`
    const data = { order, item, amount }
    await engine.events.track(this.project, { email, event: 'ordered', data: once(data) })
    await engine.sending.send(this.project, { to: email, template: this.#receipt, data: once(data) })
    await this.#settle()
  }

  /** Looks after mail that was put off when its pause is over. */
  lookSoon(): void {
    const at = this.clock.now().getTime() + 3 * MINUTE
    if (at - this.#looksAt < MINUTE) return
    this.#looksAt = at
    this.timeline.add(at, () => this.#look())
  }

  private get project(): Project {
    if (this.#project === undefined) throw new Error('the project is not made yet')
    return this.#project
  }

  #receipt = ''
  #segments = new Map<string, string>()

  /** The people who are there at the beginning, and what the project has. Answers the workflow's id. */
  async #prepare(): Promise<string> {
    const { engine } = this.scratch
    const there = this.people.slice(0, Math.ceil(this.people.length * THERE))
    for (let i = 0; i < there.length; i += 100) {
      await Promise.all(
        there.slice(i, i + 100).map(({ email, data }) => engine.contacts.upsert(this.project, { email, data })),
      )
    }
    const ids = new Map<string, string>()
    for (const [key, template] of Object.entries(TEMPLATES)) {
      ids.set(key, (await engine.templates.create(this.project, template)).id)
    }
    this.#receipt = ids.get('receipt') ?? ''
    for (const [key, { name, ...condition }] of Object.entries(SEGMENTS)) {
      const filters = { operator: 'AND', conditions: [condition] } as const
      this.#segments.set(key, (await engine.segments.create(this.project, { name, filters })).id)
    }
    return this.#workflow(ids)
  }

  /** Welcome, two days of rest, then by plan. */
  async #workflow(templates: ReadonlyMap<string, string>): Promise<string> {
    const { workflows } = this.scratch.engine
    const { project } = this
    const { workflow, steps } = await workflows.create(project, { name: 'Welcome', eventName: 'signed_up' })
    const { id } = workflow
    const mail = (template: string) =>
      ({ type: 'SEND_EMAIL', config: { templateId: templates.get(template) ?? '' } }) as const
    const after = (afterStepId: string) => ({ afterStepId })
    const welcome = await workflows.addStep(project, id, {
      ...mail('welcome'),
      name: 'Say hello',
      ...after(steps[0]?.id ?? ''),
    })
    const config = { amount: 2, unit: 'days' } as const
    const rest = await workflows.addStep(project, id, { type: 'DELAY', name: 'Two days', config, ...after(welcome.id) })
    const isPro = { field: 'data.plan', operator: 'equals', value: 'pro' } as const
    const fork = await workflows.addStep(project, id, {
      type: 'CONDITION',
      name: 'Pro?',
      config: isPro,
      ...after(rest.id),
    })
    await workflows.addStep(project, id, { ...mail('tips'), name: 'Tips', ...after(fork.id), branch: 'yes' })
    await workflows.addStep(project, id, { ...mail('upgrade'), name: 'Offer Pro', ...after(fork.id), branch: 'no' })
    await workflows.change(project, id, { enabled: true })
    return id
  }

  #plan(): void {
    for (let at = this.#begin + TICK; at < this.#begin + DAYS * DAY; at += TICK)
      this.timeline.add(at, () => this.#look())
    for (const newcomer of this.people.slice(Math.ceil(this.people.length * THERE))) {
      const at = this.#begin + this.chance.of('joins', newcomer.email) * (DAYS - 0.1) * DAY
      this.timeline.add(at, () => this.#signUp(newcomer))
    }
    for (const campaign of CAMPAIGNS) {
      // at nine in the morning, UTC
      const at = Math.floor(this.#begin / DAY + campaign.day) * DAY + 9 * HOUR
      this.timeline.add(at, () => this.#send(campaign))
    }
  }

  async #run(): Promise<void> {
    for (let next = this.timeline.next(); next; next = this.timeline.next()) {
      this.options.signal.throwIfAborted()
      this.clock.leap(next.at)
      await next.act()
      this.options.onDay(Math.floor((next.at - this.#begin) / DAY))
    }
    await this.#look()
    const { campaigns, subscriptions } = this.scratch.engine
    const { campaign } = await campaigns.create(this.project, {
      name: 'Next newsletter',
      subject: TEMPLATES.newsletter.subject,
      body: TEMPLATES.newsletter.body,
      from: FROM,
      audienceType: 'ALL',
    })
    await campaigns.series.create(this.project, { ...SERIES, campaignId: campaign.id })
    await subscriptions.forms.create(this.project, FORM)
  }

  async #signUp({ email, data }: Person): Promise<void> {
    await this.scratch.engine.events.track(this.project, { email, event: 'signed_up', data })
    await this.#settle()
  }

  async #send({ name, subject, body, segment }: PlannedCampaign): Promise<void> {
    const { campaigns } = this.scratch.engine
    const segmentId = segment === undefined ? undefined : this.#segments.get(segment)
    const audience =
      segmentId === undefined ? ({ audienceType: 'ALL' } as const) : ({ audienceType: 'SEGMENT', segmentId } as const)
    const { campaign } = await campaigns.create(this.project, { name, subject, body, from: FROM, ...audience })
    await campaigns.send(this.project, campaign.id, {})
    await this.#settle()
    await this.scratch.running.run('campaigns')
  }

  async #look(): Promise<void> {
    await this.#settle()
    await this.scratch.running.run('campaigns')
  }

  /** Waits until the engine has done all that is due: the clock must not leap while it works. */
  async #settle(): Promise<void> {
    const { running } = this.scratch
    const begun = performance.now()
    for (let looks = 0; looks === 0 || (await running.isBusy(this.project)); looks++) {
      if (looks % 20 === 0) await running.run('work')
      if (performance.now() - begun > STUCK_MS)
        throw new EngineError('INTERNAL_SERVER_ERROR', 'The demo does not get on: work stays due.')
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }

  async #requireDone(): Promise<void> {
    const { engine } = this.scratch
    const left = (await engine.analytics.operations.waiting()).filter(({ waiting }) => waiting > 0)
    const { items } = await engine.campaigns.list(this.project, { status: 'SENDING' })
    if (left.length > 0 || items.length > 0) {
      const what = [
        ...left.map(({ queue, waiting }) => `${waiting} ${queue}`),
        ...items.map(({ campaign }) => campaign.name),
      ]
      throw new EngineError('INTERNAL_SERVER_ERROR', `The demo is not done at its end: ${what.join(', ')}.`)
    }
  }
}

/** After this long without an end something is wrong. */
const STUCK_MS = 60_000

/** Data of this one event or mail, which is not stored with the contact. */
function once(data: Readonly<Record<string, string | number>>) {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, { value, persistent: false }]))
}
