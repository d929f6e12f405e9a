import { readableIdentity } from '../domains/readable-identity.ts'
import { EngineError } from '../errors.ts'
import type { OpenedServer } from '../installation/options.ts'
import { misfit } from '../plugin/shape.ts'
import type { KitOf, Opened, Plugin, PluginFace, PluginKit, PortName } from '../plugin/types.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { NamedForeignApi } from '../ports/foreign-api.ts'
import type { NamedHook } from '../ports/http-hook.ts'
import type { InboundMail } from '../ports/inbound-mail.ts'
import type { ModelSocket } from '../ports/language-model.ts'
import type { Log, LogFields } from '../ports/log.ts'
import type { MailTransport, NamedTransport } from '../ports/mail-transport.ts'
import type { Queue } from '../ports/queue.ts'
import type { Scheduler } from '../ports/scheduler.ts'
import type { SenderIdentity } from '../ports/sender-identity.ts'
import type { Store } from '../ports/store/store.ts'
import type { SubmissionMail } from '../ports/submission.ts'
import type { EgressRules, WebhookSender } from '../ports/webhook-sender.ts'
import type { Role } from '../settings/role.ts'
import { errorCode } from '../values/error-code.ts'
import { LATE, within } from '../values/within.ts'
import { type CheckedSettings, configInvalid } from './check-settings.ts'

/** How long a plugin may take to open. A store may take longer, since it moves its data up. */
const OPEN_MS = 60_000
/** After this time, and then again and again, the log says which plugin is waited for. */
const SLOW_MS = 15_000
/** How long a plugin may take to close. */
const CLOSE_MS = 10_000

/** The plugins that `start` starts. A plugin is started once, so that these are opened anew for another start. */
export interface Services {
  readonly scheduler: Scheduler
  readonly inbound: readonly InboundMail[]
  readonly submission: readonly SubmissionMail[]
}

/** The opened plugins that the rooms are built on. */
export interface Parts extends Services {
  readonly store: Store
  readonly queue: Queue
  readonly blobs: BlobStore
  readonly dns: DnsResolver
  readonly transports: readonly NamedTransport[]
  readonly webhooks: WebhookSender
  readonly identity: SenderIdentity
  readonly hooks: readonly NamedHook[]
  readonly compat: readonly NamedForeignApi[]
  readonly assistant: ModelSocket
}

/** Opens every plugin, in the order of their dependencies. */
export async function openParts(checked: CheckedSettings, opened: OpenPlugins): Promise<Parts> {
  const { plugins, transports, hooks, compat, role, values } = checked
  const { store } = await opened.open('store', plugins.store)
  if (store.exclusive) refuseRole(role, plugins.store)
  const { blobs } = await opened.open('blobs', plugins.blobs)
  const { dns } = await opened.open('dns', plugins.dns)
  const identity = readableIdentity((await opened.open('identity', plugins.identity)).identity, plugins.identity.name)
  const { webhooks } = await opened.open('webhookSender', plugins.webhookSender, {
    egress: { dns, allow: values.egress.allow },
  })
  const named: NamedTransport[] = []
  for (const [i, { name, plugin }] of transports.entries()) {
    const { transport } = await opened.open(`transports[${i}]`, plugin, { webhooks, dns })
    named.push(namedTransport(checked, name, plugin, transport))
  }
  const { queue } = await opened.open('queue', plugins.queue)
  if (queue.exclusive) refuseRole(role, plugins.queue)
  const services = await openServices(checked, opened)
  const callable: NamedHook[] = []
  for (const [i, { name, plugin }] of role === 'worker' ? [] : hooks.entries()) {
    callable.push({ name, hook: (await opened.open(`hooks[${i}]`, plugin, { webhooks })).hook })
  }
  const foreign: NamedForeignApi[] = []
  for (const [i, { name, plugin }] of compat.entries()) {
    foreign.push({ name, api: (await opened.open(`compat[${i}]`, plugin, { webhooks })).compat })
  }
  const listed = { hooks: callable, compat: foreign }
  // only who answers requests asks it
  const model = role === 'worker' ? undefined : plugins.assistant
  const assistant = model ? { model: (await opened.open('assistant', model)).assistant } : {}
  return { store, blobs, dns, transports: named, queue, webhooks, identity, ...services, ...listed, assistant }
}

function namedTransport(
  { ownClock }: CheckedSettings,
  name: string,
  plugin: Plugin<'transport'>,
  transport: MailTransport,
): NamedTransport {
  return { name, plugin: plugin.name, transport, ...(ownClock ? {} : threadModule(plugin)) }
}

/** Counts what is opened while the engine runs, so that each has a socket of its own. */
let servers = 0

/** Opens a mail server that was added while the engine runs. */
export async function openServer(
  checked: CheckedSettings,
  opened: OpenPlugins,
  name: string,
  plugin: Plugin<'transport'>,
  outside: Required<Pick<PluginKit, 'webhooks' | 'dns'>>,
): Promise<OpenedServer> {
  const socket = `mailServers[${++servers}]`
  const { transport } = await opened.open(socket, plugin, outside)
  const log = opened.log.with({ transport: name })
  return {
    named: namedTransport(checked, name, plugin, transport),
    async close() {
      await endInTime(log, { part: name, plugin: plugin.name }, () => transport.close?.())
      await opened.close([socket])
    },
  }
}

/** Opens the plugins of what `start` starts. */
export async function openServices({ plugins, role }: CheckedSettings, opened: OpenPlugins): Promise<Services> {
  const { scheduler } = await opened.open('scheduler', plugins.scheduler)
  const inbound: InboundMail[] = []
  for (const [i, plugin] of role === 'api' ? [] : plugins.inbound.entries()) {
    inbound.push((await opened.open(`inbound[${i}]`, plugin)).inbound)
  }
  const submission: SubmissionMail[] = []
  for (const [i, plugin] of role === 'worker' ? [] : plugins.submission.entries()) {
    submission.push((await opened.open(`submission[${i}]`, plugin)).submission)
  }
  return { scheduler, inbound, submission }
}

/** The sockets that `openServices` opens. */
export const SERVICES: readonly (keyof Services)[] = ['scheduler', 'inbound', 'submission']

/** How a thread opens the plugin; not at all when its options cannot be copied there. */
function threadModule({ inThread }: PluginFace): Pick<NamedTransport, 'inThread'> {
  try {
    return inThread ? { inThread: { ...inThread, options: structuredClone(inThread.options) } } : {}
  } catch {
    return {}
  }
}

/** Other processes cannot see what is stored or queued for one process only. */
function refuseRole(role: Role, { name }: PluginFace): void {
  if (role === 'all') return
  const message = `Role ${role} is not possible with ${name}: it serves a single process, whose role is all.`
  throw new EngineError('CONFIG_INVALID', message, { fields: [{ field: 'role', code: 'custom', message }] })
}

/** The times that plugins are given, in milliseconds. */
const TIMES = { open: OPEN_MS, slow: SLOW_MS, close: CLOSE_MS }

/** The opened plugins, to be closed in reverse order. */
export class OpenPlugins {
  #closers: { readonly socket: string; readonly name: string; close(): Promise<void> }[] = []
  readonly #names = new Map<string, string>()

  constructor(
    private readonly kit: PluginKit,
    private readonly times: typeof TIMES = TIMES,
  ) {}

  /** The log that the plugins write to. */
  get log(): Log {
    return this.kit.log
  }

  /** The plugins in this socket: `queue`, or all of `inbound`. */
  nameOf(socket: string): string | undefined {
    const names = [...this.#names].flatMap(([at, name]) => (isIn(at, socket) ? [name] : []))
    return names.length === 0 ? undefined : names.join(', ')
  }

  /**
   * Opens the plugin of a port. Throws EngineError `CONFIG_INVALID` when the result does not implement the port, and
   * `PLUGIN_INVALID` when there is none in time.
   */
  async open<Provides extends PortName>(
    socket: string,
    plugin: Plugin<Provides>,
    more: { readonly egress?: EgressRules; readonly webhooks?: WebhookSender; readonly dns?: DnsResolver } = {},
  ): Promise<Opened<Provides>> {
    const log = this.kit.log.with({ plugin: plugin.name })
    this.#names.set(socket, plugin.name)
    const opening = openPlugin(socket, plugin, { ...this.kit, ...more, log } as KitOf<Provides>)
    const opened = await this.#inTime(socket, plugin, opening)
    if (typeof opened?.close === 'function') {
      this.#closers.push({ socket, name: plugin.name, close: async () => opened.close?.() })
    }
    const message = misfit(plugin, opened)
    if (message !== undefined) throw configInvalid([{ field: socket, code: 'custom', message }])
    return opened
  }

  /** Closes all plugins, or those in these sockets. */
  async close(sockets?: readonly string[]): Promise<void> {
    const isMeant = (at: string) => sockets === undefined || sockets.some((socket) => isIn(at, socket))
    const closing = this.#closers.filter(({ socket }) => isMeant(socket))
    this.#closers = this.#closers.filter(({ socket }) => !isMeant(socket))
    for (const { name, close } of closing.reverse()) await endInTime(this.kit.log, { plugin: name }, close)
  }

  /** Waits for a plugin to open, and says so; what opens too late is closed again. */
  async #inTime<T extends { readonly close?: () => Promise<void> }>(
    socket: string,
    { name, provides }: PluginFace,
    opening: Promise<T>,
  ): Promise<T> {
    const { open, slow } = this.times
    for (let waited = 0; provides.includes('store') || waited < open; waited += slow) {
      const opened = await within(slow, opening)
      if (opened !== LATE) return opened
      this.kit.log.warn('a plugin takes long to open', { plugin: name, socket, seconds: (waited + slow) / 1000 })
    }
    void opening.then((opened) => opened?.close?.()).catch(() => {})
    const message = `${socket}: ${name} did not open within ${open / 1000} seconds`
    throw new EngineError('PLUGIN_INVALID', message)
  }
}

/** Whether this place is the socket, or one of its list. */
function isIn(place: string, socket: string): boolean {
  return place === socket || place.startsWith(`${socket}[`)
}

/** Ends something of a plugin. What fails or takes longer is logged, and does not keep the rest from ending. */
export async function endInTime(
  log: Log,
  about: LogFields,
  end: () => Promise<unknown> | undefined,
  ms = CLOSE_MS,
): Promise<void> {
  try {
    const ended = await within(ms, (async () => end())())
    if (ended === LATE) log.error('a part did not stop in time', { ...about, seconds: ms / 1000 })
  } catch (error) {
    log.error('a part did not stop cleanly', { ...about, error })
  }
}

async function openPlugin<Provides extends PortName>(socket: string, plugin: Plugin<Provides>, kit: KitOf<Provides>) {
  try {
    return await plugin.open(kit)
  } catch (error) {
    throw EngineError.is(error) || isOfSystem(error) ? error : notOpened(socket, plugin, error)
  }
}

/** An error of the system or of a driver has a code, and its message is enough. */
export function isOfSystem(error: unknown): boolean {
  return typeof errorCode(error) === 'string'
}

/** A mistake in the plugin's own code: the message must name the plugin. */
function notOpened(socket: string, { name }: PluginFace, cause: unknown): EngineError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new EngineError('PLUGIN_INVALID', `${socket}: ${name} could not be opened: ${reason}`, { cause })
}
