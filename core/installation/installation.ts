import * as v from 'valibot'
import { Transports } from '../delivery/transports.ts'
import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { DomainKeys } from '../mail/dkim/domain-keys.ts'
import type { PublicAddress } from '../mail/links/public-address.ts'
import type { NamedTransport } from '../ports/mail-transport.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import { WebhookSender } from '../ports/webhook-sender.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { parse, say } from '../values/parse.ts'
import { asProjectId } from '../values/project-id.ts'
import { loginOf, pluginOf, readServers, type StoredMailServer } from './mail-server.ts'
import { MailServers, UNREADABLE } from './mail-servers.ts'
import { locked, OpenedServers } from './opened-servers.ts'
import { InstallationParts, type OpenedServer } from './options.ts'
import { type MailWay, ProjectRoutes } from './project-routes.ts'
import { Routes } from './routes.ts'
import { RoutingRules, readMayName, readRules } from './routing-rules.ts'
import { changeValue, MAIL_SERVERS, PUBLIC_ADDRESS, ROUTES, serversOf, settingOf } from './stored-value.ts'
import { Trials } from './trial.ts'

/** How often changes of other processes are looked for, in milliseconds. */
const LOOK_MS = 2_000

/** The body of `PUT /users/@me/operator/public-address`. */
export const ChangePublicAddress = v.object({
  /** The address at which the world reaches this server, such as `https://mail.example.com`; null for that of the settings. */
  url: v.nullable(
    v.pipe(
      v.string(),
      v.trim(),
      v.maxLength(500),
      v.check(isWebAddress, say('custom', 'must be an http or https address such as https://mail.example.com')),
      v.transform((url) => url.replace(/(?<!\/)\/+$/, '')),
    ),
  ),
})

/** The public address to use. */
export interface ChangePublicAddressInput extends InputOf<typeof ChangePublicAddress> {}

/** Where this server is reached from outside. */
export interface PublicAddressState {
  /** The address that links have now; absent: mails have no links of ours. */
  readonly url?: string
  /** The address by the settings, or where this server listens. */
  readonly given?: string
  /** The address that was set here. */
  readonly set?: string
  /** Where it is set instead, such as `PUBLIC_URL`, so that what is set here does not count. */
  readonly setBy?: string
  /** Why links to it do not work for recipients. */
  readonly problem?: string
}

/**
 * The settings that the operator changes while the engine runs: mail servers, rules of routing, and the address at which
 * the world reaches this server. All are kept in the store, and count at once in this process and within seconds in others. What
 * the settings say wins.
 */
@injectable()
export class Installation {
  /** The mail servers that the operator has added. */
  readonly mailServers: MailServers
  /** Why mail goes its way, and the rules by which it does. */
  readonly routes: Routes
  readonly #address: PublicAddress
  /** The transports that mail goes through when no mail server is set. */
  readonly #given: readonly NamedTransport[]
  readonly #opened: OpenedServers
  readonly #projects: ProjectRoutes
  /** Of projects' mail servers. */
  readonly #trials: Trials
  #versions = new Map<string, number>()
  #set: string | undefined
  #loading: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(
    @inject(InstallationParts) private readonly parts: InstallationParts,
    @inject(Store) private readonly store: Store,
    @inject(Transports) private readonly transports: Transports,
    @inject(Kit) private readonly kit: Kit,
    @inject(DomainKeys) domainKeys: DomainKeys,
    @inject(WebhookSender) private readonly sender: WebhookSender,
  ) {
    const place = settingOf(store, kit, MAIL_SERVERS)
    const trials = new Trials(domainKeys, kit, parts)
    const changed = () => this.load()
    // a server that is turned off may be named, too: it is turned on again
    const known = async () => (await this.mailServers.list()).servers.map(({ name }) => name)
    const isProject = async (id: string) => {
      const projectId = asProjectId(id)
      return projectId !== undefined && (await store.projects.find(projectId)) !== undefined
    }
    const { settings } = parts
    const isOpen = settings !== undefined
    const rules = new RoutingRules(settingOf(store, kit, ROUTES), transports, kit, {
      isOpen,
      known,
      isProject,
      changed,
    })
    // those of the settings win, so that rules name these, and not what was added here
    const namedBy = settings?.transportsFrom === undefined ? (name: string) => rules.naming(name) : undefined
    this.mailServers = new MailServers({ isOperator: true, namedBy }, place, parts, sender, trials, kit, changed)
    // who tries one may send from any address, so that these mails must not be signed
    this.#trials = new Trials(undefined, kit, parts)
    this.#opened = new OpenedServers((server) => this.#open(server))
    this.#projects = new ProjectRoutes(store, transports, parts, kit, (server) => this.#open(server, true))
    this.routes = new Routes(rules, store, transports, this.#projects, changed)
    this.#given = transports.shared.inUse
    this.#address = parts.address
    transports.learn = () => this.#look()
    this.#serve(transports.shared.inUse)
  }

  /**
   * The mail servers of a project, which take its mail before those of the installation. `isOperator`: the person who
   * runs the server asks, and may choose private addresses.
   */
  mailServersOf(
    { id }: Pick<Project, 'id'>,
    { isOperator = false }: { readonly isOperator?: boolean } = {},
  ): MailServers {
    const { store, kit, parts } = this
    const owner = { projectId: id, isOperator }
    return new MailServers(owner, serversOf(store, kit, id), parts, this.sender, this.#trials, kit, () => this.load())
  }

  /** The way of a project's mail: through servers of its own, through those of the installation, or nowhere yet. */
  wayOf(project: Pick<Project, 'id'>): MailWay {
    return this.#projects.wayOf(project.id)
  }

  /** The mail servers that a project's requests may name as `transport`: its own, and those that the operator lends. */
  mayName(project: Pick<Project, 'id'>): readonly string[] {
    return this.transports.nameable.of(project.id)
  }

  /** Where this server is reached from outside, and where that is set. */
  publicAddress(): PublicAddressState {
    const { publicUrl: url, given, problem } = this.#address
    const setBy = this.parts.settings === undefined ? 'code' : this.parts.settings.publicUrlFrom
    return {
      ...(url === undefined ? {} : { url }),
      ...(given === undefined ? {} : { given }),
      ...(this.#set === undefined ? {} : { set: this.#set }),
      ...(setBy === undefined ? {} : { setBy }),
      ...(problem === undefined ? {} : { problem: problem.message }),
    }
  }

  /** Sets the public address. Links have it at once. Throws EngineError `VALIDATION_ERROR`. */
  async changePublicAddress(input: ChangePublicAddressInput | UntrustedInput): Promise<PublicAddressState> {
    const { url } = parse(ChangePublicAddress, input)
    await changeValue(settingOf(this.store, this.kit, PUBLIC_ADDRESS), async () => ({
      value: { url },
      answer: undefined,
    }))
    await this.load()
    return this.publicAddress()
  }

  /** Whether mail is only kept on this machine, since no mail server is set. */
  get sendsNothing(): boolean {
    return this.transports.shared.reachesNobody
  }

  /** Brings what was set into use, and looks for changes of other processes from now on. */
  async start(): Promise<void> {
    this.#lookBeforeClaims(this.parts.settings !== undefined && this.parts.settings.transportsFrom === undefined)
    this.#warn()
    await this.load()
    if (this.store.exclusive || this.parts.settings === undefined) return
    this.#timer = setInterval(() => void this.#look(), LOOK_MS).unref()
  }

  /** A process that writes mail to files first sees whether another one has added a mail server by now. */
  #lookBeforeClaims(isWithout: boolean): void {
    this.transports.look = isWithout && !this.store.exclusive ? () => this.#look() : undefined
  }

  /** Brings what was set into use. Throws EngineError `SERVICE_UNAVAILABLE`; then everything stays as it is. */
  load(): Promise<void> {
    if (this.parts.settings === undefined) return Promise.resolve()
    const loading = this.#loading.catch(() => {}).then(() => this.#load())
    this.#loading = loading
    return loading
  }

  /** Closes the mail servers, after the last mail. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#loading.catch(() => {})
    await Promise.all([this.#opened.close(), this.#projects.close()])
  }

  async #look(): Promise<void> {
    await this.load().catch((error: unknown) => {
      this.kit.log.debug('could not look for changed mail servers; the next look does', { error })
    })
  }

  async #load(): Promise<void> {
    const stored = await this.store.installation.all()
    const versions = new Map(stored.map(({ name, version }) => [name, version]))
    const changed = stored.filter(({ name, version }) => this.#versions.get(name) !== version)
    for (const { name, value } of changed) {
      if (name === MAIL_SERVERS) await this.#useServers(readServers(value))
      if (name === ROUTES) {
        this.transports.useRules(readRules(value, this.kit.log))
        this.transports.nameable.lend(readMayName(value, this.kit.log))
      }
      if (name === PUBLIC_ADDRESS) this.#useAddress(typeof value.url === 'string' ? value.url : undefined)
    }
    this.#versions = versions
    await this.#projects.load(changed.length > 0)
    if (changed.length > 0) this.#warn()
  }

  #useAddress(url: string | undefined): void {
    this.#set = url
    if (this.parts.settings?.publicUrlFrom === undefined) this.#address.change(url)
  }

  async #useServers(servers: readonly StoredMailServer[]): Promise<void> {
    if (this.parts.settings?.transportsFrom !== undefined) return
    await this.#opened.change(servers, () => {
      const named = this.#opened.inUse
      const inUse = named.length > 0 ? named : this.#given
      this.#serve(inUse)
      this.#lookBeforeClaims(named.length === 0)
      this.kit.log.info('mail goes through other servers from now on', { transports: inUse.map(({ name }) => name) })
      return this.transports.use(inUse)
    })
  }

  #serve(transports: readonly NamedTransport[]): void {
    this.#address.serve(transports.map(({ transport }) => transport.reach))
  }

  /** `isOfProject`: it is at a public address, unless the operator has put it elsewhere. */
  async #open(server: StoredMailServer, isOfProject = false): Promise<OpenedServer> {
    const { settings } = this.parts
    const login = await loginOf(server, this.parts.sealing)
    if (login !== undefined && settings !== undefined) {
      const anywhere = !isOfProject || server.anywhere === true
      return this.parts.open(
        server.name,
        pluginOf(login, settings, { anywhere, allow: this.kit.settings.egress.allow }),
      )
    }
    this.kit.log.error('the password of a mail server cannot be read: its mail waits', {
      transport: server.name,
      advice: UNREADABLE,
    })
    return { named: locked(server.name, UNREADABLE), close: async () => {} }
  }

  #warn(): void {
    const { problem } = this.#address
    if (problem)
      this.kit.log.warn(problem.message, { marketing: problem.blocksMarketing ? 'is refused until then' : 'is sent' })
  }
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text)
  const isPlain = url !== null && url.search === '' && url.hash === '' && url.username === '' && url.password === ''
  return isPlain && /^https?:$/.test(url.protocol) && url.hostname !== ''
}
