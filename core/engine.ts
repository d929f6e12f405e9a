import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { type PartHealth, TransportChecks } from './delivery/transport-checks.ts'
import { EngineError } from './errors.ts'
import type { EngineListener, ListenPattern } from './events/engine-events.ts'
import { type EventListener, EventListeners } from './events/event-listeners.ts'
import type { Kit } from './kit.ts'
import { Sealing } from './mail/dkim/sealing.ts'
import { PublicAddress } from './mail/links/public-address.ts'
import { MAIL_THREAD } from './mail/thread/mail-threads.ts'
import type { Plugin } from './plugin/types.ts'
import type { BlobStore } from './ports/blob-store.ts'
import { systemClock } from './ports/clock.ts'
import type { DnsResolver } from './ports/dns-resolver.ts'
import type { NamedForeignApi } from './ports/foreign-api.ts'
import { harmlessLog, type Log, silentLog } from './ports/log.ts'
import { harmless, noMetrics } from './ports/metrics.ts'
import { harmlessTraces, noTraces } from './ports/traces.ts'
import { sealSecrets, UNREADABLE_SECRETS } from './projects/webhook-secrets.ts'
import type { EngineValues } from './settings/engine-values.ts'
import type { Role } from './settings/role.ts'
import { askedDoors } from './start/asked-doors.ts'
import { checkSettings, type EngineSettings } from './start/check-settings.ts'
import type { Doors } from './start/doors.ts'
import { Idle } from './start/idle.ts'
import { makeRooms, type Rooms } from './start/make-rooms.ts'
import {
  endInTime,
  OpenPlugins,
  openParts,
  openServer,
  openServices,
  type Parts,
  SERVICES,
  type Services,
} from './start/open-plugins.ts'
import { PartChecks } from './start/part-checks.ts'
import { receive, receiverChecks, stopReceiving, takeSubmissions } from './start/receivers.ts'
import { Starting } from './start/starting.ts'
import { tasksOf, worksOf } from './start/workers.ts'
import { idSource } from './values/id.ts'
import { LONGEST_TIMER_MS } from './values/longest-timer.ts'
import { parse } from './values/parse.ts'
import { USUAL_WAIT_MS, WaitMs, type WaitOptions } from './values/wait.ts'
import { within } from './values/within.ts'
import { TOPICS } from './work/doorbell.ts'
import { refuseNested } from './work/nested.ts'
import { requireCode } from './work/thread.ts'

/** How long running work may take to end after `stop`, in milliseconds. */
const GRACE_MS = 10_000

/** How much longer than the running work a plugin may take to stop, in milliseconds. */
const STOP_MS = 15_000

/** The shortest time between two health checks, in milliseconds. */
const HEALTH_PAUSE_MS = 100

/** Why an engine in this state cannot be waited for. */
const NOT_RUNNING = {
  made: 'This engine has not been started, so that it sends nothing: call engine.start() first.',
  starting: undefined,
  running: undefined,
  stopped: 'This engine was stopped.',
} as const

const Stop = v.strictObject({
  graceMs: v.optional(v.pipe(v.number(), v.minValue(0)), GRACE_MS),
  drain: v.optional(v.boolean(), false),
  timeoutMs: v.optional(WaitMs, USUAL_WAIT_MS),
})

type PartName = 'store' | 'queue' | 'worker' | 'scheduler' | 'inbound' | 'submission' | 'transports'

/** Whether the parts of a running engine answer. An `api` has no worker, no scheduler and no transports. */
export interface Health {
  /** False when a part that this process needs for its work does not answer. */
  readonly ok: boolean
  /** True while the next hop of a transport cannot be reached: mail is kept, but does not go out that way. */
  readonly degraded: boolean
  /** Each part that this process has, by its name. */
  readonly parts: Readonly<Partial<Record<PartName, PartHealth>>>
}

/** How an engine stops. */
export interface StopOptions {
  /** How long running work may take to end, in milliseconds. Default 10,000. */
  readonly graceMs?: number
  /** Whether everything that is due is done first. Default false. */
  readonly drain?: boolean
  /** For how long at most, in milliseconds; then it stops all the same. Default 30,000. */
  readonly timeoutMs?: number
}

/** A running e-mail engine: its rooms, and how to start and stop it. */
export interface Engine extends Doors {
  /** The role of this process, see `EngineSettings`. */
  readonly role: Role
  /** The log of the settings, which everything in the engine writes to. */
  readonly log: Log
  /** Where files are kept: attachments, imports and images. */
  readonly blobs: BlobStore
  /** Looks up records of the DNS, with the resolver of the settings. */
  readonly dns: DnsResolver
  /** Other services' APIs, which the HTTP server answers at `/compat/<name>`. */
  readonly compat: readonly NamedForeignApi[]
  /** Where this server is reached from outside, when the settings say so. */
  readonly publicUrl: string | undefined
  /** The current time of the engine's clock. */
  now(): Date
  /**
   * Begins to deliver: recovers what a crash left, works off the queue, runs the schedule, receives mail. As `api` it only
   * takes mail from programs. It starts as a whole or not at all: when a part does not start, such as a receiver whose port
   * is in use, those that did are stopped again, and it can be called once more. Throws EngineError
   * `SERVICE_UNAVAILABLE`, `PLUGIN_INVALID` or the plugin's own, which names the plugin and what is wrong; `CONFLICT`
   * when it was started already, and after `stop`.
   */
  start(): Promise<void>
  /**
   * Answers when nothing is due or under way any more: mail, events and their listeners, webhooks, campaigns, workflow
   * steps, imports. What is due later is not waited for, such as scheduled mail, retries and delays of workflows. Throws
   * EngineError `SERVICE_UNAVAILABLE`, which names what still waits, when `timeoutMs` (30 seconds by default) is over;
   * `CONFLICT` before `start`, after `stop`, and as `api`, since such an engine sends nothing; `VALIDATION_ERROR`.
   */
  idle(options?: WaitOptions): Promise<void>
  /**
   * Takes no new work, lets running work end (for `graceMs`, 10 seconds by default), aborts the rest and closes
   * everything. What is due stays in the store and is done after the next start; the log warns of mail that is left.
   * With `drain: true` it first waits as `idle` does, for at most `timeoutMs`. A number is `graceMs`. Safe to call
   * twice. Throws EngineError `VALIDATION_ERROR` for options it does not know; then it goes on.
   */
  stop(options?: StopOptions | number): Promise<void>
  /** Asks every part of this process whether it answers: each for 5 seconds at most, and all at most ten times a second. */
  health(): Promise<Health>
  /**
   * Calls `listener` with every event this process stores that fits `pattern`: the name of an event of the engine
   * (`email.bounce`), a beginning (`email.*`), `*` for all, or `event:` and the name of an event that you track
   * (`event:signed_up`, `event:*`). It is called after the commit, in order, one at a time; nothing waits for it, and
   * what it throws is logged. Calls are kept in memory only: a crash between commit and call loses the call, beyond
   * 10,000 waiting calls further ones are dropped, and events that other processes store are not seen. A webhook is the
   * durable form. The answered function ends it. Throws EngineError `VALIDATION_ERROR` for a pattern that fits nothing.
   */
  on<const Pattern extends ListenPattern>(pattern: Pattern, listener: EngineListener<Pattern>): () => void
}

/**
 * Makes an engine: checks all settings, opens the plugins, builds the rooms, and brings the configured projects up to
 * date. From then on it accepts mail; it delivers after `start`. Throws EngineError `CONFIG_INVALID` with every problem
 * before anything is opened, also for a role the store or the queue does not support; when a plugin does not open,
 * those opened before are closed again.
 */
export async function createEngine(settings: EngineSettings): Promise<Engine> {
  refuseNested()
  // where one is missing, all are
  requireCode(MAIL_THREAD)
  const checked = checkSettings(settings)
  const log = settings.log === undefined ? silentLog : harmlessLog(settings.log)
  const clock = settings.clock ?? systemClock
  const opened = new OpenPlugins({ log, clock })
  try {
    const parts = await openParts(checked, opened)
    const metrics = settings.metrics ? harmless(settings.metrics, log) : noMetrics
    const traces = settings.traces ? harmlessTraces(settings.traces, log) : noTraces
    const { publicUrl, secret } = checked.values
    const keep = () => parts.store.secrets.keep('links', randomBytes(32).toString('hex'), clock.now())
    const kept = secret ?? (await keep())
    const links = new PublicAddress(publicUrl, Buffer.from(kept))
    const kit: Kit = {
      now: () => clock.now(),
      newId: idSource(() => clock.now().getTime()),
      log,
      settings: settingsAt(links, checked.values),
      metrics,
      traces,
    }
    const sealing = new Sealing(kept, keep)
    const outside = { webhooks: parts.webhooks, dns: parts.dns }
    const installation = {
      settings: settings.installation,
      address: links,
      sealing,
      open: (name: string, plugin: Plugin<'transport'>) => openServer(checked, opened, name, plugin, outside),
      outside,
    }
    const { doors, rooms } = makeRooms({ ...parts, links, installation, sealing, kit })
    await rooms.installation.start()
    await rooms.projects.applySettings(checked.values.projects)
    await rooms.domains.checkSecret()
    const unread = await sealSecrets(parts.store, sealing)
    if (unread.length > 0)
      log.error('the secrets of webhooks cannot be read: their requests wait', {
        projects: unread.slice(0, 10),
        advice: UNREADABLE_SECRETS,
      })
    const listeners = new EventListeners(parts.store, log)
    const idle = new Idle(rooms, parts.store, listeners, kit.now)
    const plugins = { parts, opened, reopen: () => openServices(checked, opened) }
    const life = new Life(checked.role, plugins, rooms, log, listeners, idle)
    return {
      ...askedDoors(doors, rooms.projects),
      role: checked.role,
      log,
      blobs: parts.blobs,
      dns: parts.dns,
      compat: parts.compat,
      get publicUrl() {
        return links.publicUrl
      },
      now: kit.now,
      start: () => life.start(),
      idle: (options) => life.idle(options),
      stop: (options) => life.stop(options),
      health: () => life.health(),
      // an event has the data of its name
      on: (pattern, listener) => listeners.on(pattern, listener as EventListener),
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** The settings, with the places that the public address moves. */
function settingsAt(address: PublicAddress, values: EngineValues): EngineValues {
  const { accounts } = values
  return {
    ...values,
    get publicUrl() {
      return address.publicUrl
    },
    accounts: {
      ...accounts,
      get dashboardUrl() {
        return address.moved(accounts.dashboardUrl)
      },
    },
  }
}

/** The opened plugins, and how to open those anew that `start` starts. */
interface Open {
  readonly parts: Parts
  readonly opened: OpenPlugins
  reopen(): Promise<Services>
}

/** Starts and stops the opened parts, in order. */
class Life {
  readonly #stopping = new AbortController()
  readonly #transportChecks: TransportChecks
  readonly #checks: PartChecks
  readonly #parts: Parts
  readonly #plugins: OpenPlugins
  #services: Services
  /** Whether a start has failed, so that its plugins were closed. */
  #areClosed = false
  #state: keyof typeof NOT_RUNNING = 'made'
  #started: Promise<void> | undefined
  #stopped: Promise<void> | undefined
  #search: Promise<void> | undefined
  #asking: Promise<Health> | undefined
  #asked = Number.NEGATIVE_INFINITY

  constructor(
    private readonly role: Role,
    private readonly open: Open,
    private readonly rooms: Rooms,
    private readonly log: Log,
    private readonly listeners: EventListeners,
    private readonly work: Idle,
  ) {
    const { parts, opened } = open
    this.#parts = parts
    this.#services = parts
    this.#plugins = opened
    this.#transportChecks = new TransportChecks(rooms.transports.shared, log)
    this.#checks = new PartChecks((part) => opened.nameOf(part))
  }

  async start(): Promise<void> {
    if (this.#stopping.signal.aborted) throw new EngineError('CONFLICT', NOT_RUNNING.stopped)
    if (this.#state !== 'made') throw new EngineError('CONFLICT', 'This engine was started already.')
    this.#state = 'starting'
    this.#started = this.#start()
    await this.#started
  }

  async #start(): Promise<void> {
    const starting = new Starting(this.log, (part) => this.#plugins.nameOf(part), this.#stopping.signal)
    try {
      if (this.#areClosed) this.#services = await this.open.reopen()
      this.#areClosed = false
      await this.#startParts(starting)
      this.#state = 'running'
    } catch (error) {
      await starting.undo()
      await this.#plugins.close(SERVICES)
      this.#areClosed = true
      this.#state = 'made'
      throw error
    }
  }

  async #startParts(starting: Starting): Promise<void> {
    const [services, rooms, { store }] = [this.#services, this.rooms, this.#parts]
    if (this.role === 'api') {
      rooms.receivingHost.elsewhere()
      return takeSubmissions(services, rooms, starting, this.log)
    }
    // before any worker has its own lease
    await rooms.recovery.start()
    store.workers?.heed(() => rooms.loops.look(TOPICS.requests))
    await rooms.segments.logChangedMeanings()
    await starting.begin(
      'leases',
      () => rooms.leases.begin(),
      () => rooms.leases.end(),
    )
    // what comes in is only stored until the loops run
    await takeSubmissions(services, rooms, starting, this.log)
    await receive(services, rooms, starting)
    const { scheduler } = services
    await starting.begin(
      'scheduler',
      () => scheduler.start(tasksOf(rooms)),
      () => scheduler.stop(),
    )
    rooms.transports.start()
    // last, since a queue that was stopped cannot be listened to again
    await starting.begin('queue', () => rooms.loops.start(worksOf(rooms), this.#stopping.signal))
    this.#transportChecks.ask()
    this.#search = rooms.receivingHost.find(services.inbound, this.#stopping.signal)
  }

  async idle(options: WaitOptions = {}): Promise<void> {
    const refusal =
      this.role === 'api'
        ? 'This engine only accepts mail, since its role is api: wait in a worker, or for one mail (engine.sending.delivered).'
        : NOT_RUNNING[this.#state]
    if (refusal !== undefined) throw new EngineError('CONFLICT', refusal)
    await this.#started
    await this.work.wait(options, this.#stopping.signal)
  }

  async stop(options: StopOptions | number = {}): Promise<void> {
    const { graceMs, drain, timeoutMs } = parse(Stop, typeof options === 'number' ? { graceMs: options } : options)
    this.#stopped ??= (drain ? this.#drain(timeoutMs) : Promise.resolve()).then(() => this.#stop(graceMs))
    // where nothing else kept the process, it would end before everything is closed
    const kept = setInterval(() => {}, LONGEST_TIMER_MS)
    await this.#stopped.finally(() => clearInterval(kept))
  }

  /** Never rejects: what is left is reported when it stops. */
  async #drain(timeoutMs: number): Promise<void> {
    if (this.#state !== 'running' || this.role === 'api') return
    await this.idle({ timeoutMs }).catch((error: unknown) => {
      this.log.warn('the engine stops before everything was done', { error })
    })
  }

  /** A health check writes and reads, so concurrent callers share one answer, and frequent calls cause no load. */
  health(): Promise<Health> {
    this.#asking ??= this.#askInTime().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #askInTime(): Promise<Health> {
    const early = this.#asked + HEALTH_PAUSE_MS - performance.now()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
    this.#asked = performance.now()
    return this.#ask()
  }

  async #ask(): Promise<Health> {
    const { store, queue } = this.#parts
    const { scheduler } = this.#services
    const worker = async () => {
      if (this.#state !== 'running') throw new Error('not started')
      this.rooms.loops.check()
    }
    const works = this.role !== 'api'
    const asked: Partial<Record<PartName, () => Promise<void>>> = {
      store: () => store.check(),
      queue: () => queue.check(),
      ...(works ? { worker, scheduler: () => scheduler.check() } : {}),
      ...receiverChecks(this.#services),
    }
    const [transports, ...answers] = await Promise.all([
      works ? this.#transportChecks.health() : undefined,
      ...Object.entries(asked).map(async ([name, check]) => [name, await this.#checks.health(name, check)] as const),
    ])
    return {
      ok: answers.every(([, { ok }]) => ok),
      degraded: transports?.ok === false,
      parts: { ...Object.fromEntries(answers), ...(transports && { transports }) },
    }
  }

  async #stop(graceMs: number): Promise<void> {
    // its plugins have a little longer than what they wait for
    const patience = graceMs + STOP_MS
    this.#stopping.abort(new Error('the engine stops'))
    // a start that is under way either fails by this, and ends what it had begun, or has begun everything
    await within(patience, this.#started?.catch(() => {}) ?? Promise.resolve())
    const wasRunning = this.#state === 'running'
    this.#state = 'stopped'
    this.#transportChecks.stop()
    this.rooms.inboxes.events.end()
    this.rooms.sandbox.end()
    const step = (part: string, end: () => Promise<unknown> | undefined, ms = Number.POSITIVE_INFINITY) =>
      endInTime(this.log, { part, plugin: this.#plugins.nameOf(part) }, end, ms)
    // first: while mail arrives, work does not end
    const receivers = this.#areClosed ? [] : stopReceiving(this.#services, graceMs)
    await Promise.all(receivers.map(([part, stop]) => step(part, stop, patience)))
    if (wasRunning) await step('scheduler', () => this.#services.scheduler.stop(), patience)
    await step('inbound', () => this.#search)
    await step('domains', () => this.rooms.checkDomains.stop())
    await step('queue', () => this.rooms.loops.stop(graceMs), patience)
    await step('leases', () => this.rooms.leases.end())
    await step('work', () => this.#warnOfMail(wasRunning))
    await step('segments', () => this.rooms.segments.endComputing())
    await step('tracking', () => this.rooms.tracking.settled(graceMs))
    await step('listeners', () => this.listeners.end(graceMs))
    await step('threads', () => this.rooms.transports.close())
    await step('threads', () => this.rooms.compiledMails.close())
    await step('formats', () => this.rooms.formats.close())
    await step('threads', () => this.rooms.readInbound.close())
    await step('threads', () => this.rooms.submissions.close())
    await step('threads', () => this.rooms.domainReports.close())
    await step('mail servers', () => this.rooms.installation.close(), patience)
    for (const { name, plugin, transport } of this.#parts.transports) {
      await endInTime(this.log, { part: name, plugin }, () => transport.close?.())
    }
    await this.#plugins.close()
  }

  /** Other processes that work with the store send what is due. */
  async #warnOfMail(wasRunning: boolean): Promise<void> {
    const members = await this.#parts.store.workers?.members()
    if (this.role === 'api' || (members && members.size > 0)) return
    const due = await this.work.dueMail()
    if (due === 0) return
    const why = wasRunning ? '' : ', since it was never started (engine.start)'
    this.log.warn(`the engine stops with mail that is due${why}; it is sent after the next start`, { due })
  }
}
