import { EngineError, invalidField } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Plugin } from '../plugin/types.ts'
import type { WebhookSender } from '../ports/webhook-sender.ts'
import type { UntrustedInput } from '../values/input.ts'
import { withoutBrackets } from '../values/ip-address.ts'
import type { JsonObject } from '../values/json.ts'
import { parse } from '../values/parse.ts'
import type { ProjectId } from '../values/project-id.ts'
import {
  AddMailServer,
  type AddMailServerInput,
  ChangeMailServer,
  type ChangeMailServerInput,
  DIRECT,
  loginOf,
  MAX_SERVERS,
  type MailServer,
  mergedLogin,
  noServer,
  openLogin,
  ownerOf,
  placeOf,
  pluginOf,
  presetNamed,
  readServers,
  type StoredMailServer,
  shownServer,
  TryMailServer,
  type TryMailServerInput,
} from './mail-server.ts'
import type { InstallationParts, InstallationSettings, MailServerLogin, MailServerPreset } from './options.ts'
import { changeValue, type StoredValue } from './stored-value.ts'
import { CONNECT_SECONDS, type TrialResult, type Trials } from './trial.ts'

/** The mail servers of an installation or a project, and what else mail may go through. */
export interface MailServerList {
  /** In the order of their use. */
  readonly servers: readonly MailServer[]
  /**
   * Where it is set that none of these is used, such as `SMTP_URL`, or `delivery.projectServers` for those of a project;
   * absent when they are.
   */
  readonly setBy?: string
  /** The providers that need no host. */
  readonly presets: readonly MailServerPreset[]
  /** Whether the passwords are encrypted with a secret of the settings, rather than one that is kept beside them. */
  readonly hasSecret: boolean
}

/** Whose mail servers they are, and who asks. */
export interface ServerOwner {
  /** Absent: they are those of the installation. */
  readonly projectId?: ProjectId
  /** Whether the operator asks: then a server may be at any address, otherwise at a public one alone. */
  readonly isOperator: boolean
  /** The rule of routing that names a server, as people call it: such a server stays, and so does its name. */
  readonly namedBy?: ((name: string) => Promise<string | undefined>) | undefined
}

/**
 * A list of mail servers, those of the installation or of one project. Each change counts at once, here and within seconds
 * in other processes.
 */
export class MailServers {
  constructor(
    private readonly owner: ServerOwner,
    private readonly place: StoredValue,
    private readonly parts: InstallationParts,
    private readonly sender: WebhookSender,
    private readonly trials: Trials,
    private readonly kit: Kit,
    /** Called after each change. */
    private readonly changed: () => Promise<void>,
  ) {}

  /** All of them. Passwords are never among what is answered. */
  async list(): Promise<MailServerList> {
    const { presets = [], transportsFrom } = this.parts.settings ?? NOTHING
    const setBy = this.owner.projectId === undefined || transportsFrom === 'code' ? transportsFrom : this.#forbidden
    return {
      servers: (await this.#stored()).map((each) => shownServer(each, presets)),
      ...(setBy === undefined ? {} : { setBy }),
      presets,
      hasSecret: this.kit.settings.secret !== undefined,
    }
  }

  /**
   * Adds a mail server behind the others. Throws EngineError `VALIDATION_ERROR`, `CONFLICT` when there are 20, the name is
   * taken, or this engine has no such settings.
   */
  async add(input: AddMailServerInput | UntrustedInput): Promise<MailServer> {
    const settings = this.#required()
    const { name, ...given } = parse(AddMailServer, input)
    const login = mergedLogin(given)
    const anywhere = this.owner.isOperator
    this.#check(login, anywhere, settings)
    const now = this.kit.now().toISOString()
    const id = this.kit.newId()
    return this.#change(async (servers) => {
      if (servers.length >= MAX_SERVERS)
        throw new EngineError('CONFLICT', `There are ${MAX_SERVERS} mail servers; remove one first.`)
      const added = {
        id,
        name: this.#name(name, login, servers, settings),
        ...(await this.#sealed(id, login)),
        ...this.#placed(anywhere),
        enabled: true,
        createdAt: now,
        updatedAt: now,
      }
      return { servers: [...servers, added], answer: shownServer(added, settings.presets) }
    })
  }

  /**
   * Changes a mail server. A stored password stays, but is never sent to another host: with a new host it must be given
   * anew. From a provider to none (`direct`) or back, nothing of the login stays. Throws EngineError `RESOURCE_NOT_FOUND`, `VALIDATION_ERROR`, `CONFLICT` for a name that is taken,
   * and for a new one while a rule of routing names the server.
   */
  async change(id: string, input: ChangeMailServerInput | UntrustedInput): Promise<MailServer> {
    const settings = this.#required()
    const { name, enabled, position, ...given } = parse(ChangeMailServer, input)
    return this.#change(async (servers) => {
      const stored = servers.find((each) => each.id === id) ?? noneWith(id)
      const login = await this.#login(stored, given, settings)
      const anywhere = this.#mayBeAnywhere(login, stored, settings)
      this.#check(login, anywhere, settings)
      const others = servers.filter((each) => each !== stored)
      const newName = name === undefined ? stored.name : this.#name(name, login, others, settings)
      if (newName !== stored.name) await this.#keep(stored)
      const changed = {
        id,
        name: newName,
        ...(await this.#sealed(id, login, stored)),
        ...this.#placed(anywhere),
        enabled: enabled ?? stored.enabled,
        createdAt: stored.createdAt,
        updatedAt: this.kit.now().toISOString(),
      }
      const at = position ?? servers.indexOf(stored)
      return {
        servers: [...others.slice(0, at), changed, ...others.slice(at)],
        answer: shownServer(changed, settings.presets),
      }
    })
  }

  /**
   * Removes a mail server. Mails that it has in hand end first. Throws EngineError `RESOURCE_NOT_FOUND`, `CONFLICT` while a
   * rule of routing names it.
   */
  async remove(id: string): Promise<void> {
    await this.#change(async (servers) => {
      await this.#keep(servers.find((each) => each.id === id) ?? noneWith(id))
      return { servers: servers.filter((each) => each.id !== id), answer: undefined }
    })
  }

  /**
   * Connects to a mail server as it is given, which need not be stored, logs in, and sends a test mail when `to` is given. It
   * takes 15 seconds at most, and what is wrong is answered. Throws EngineError `VALIDATION_ERROR`, `RESOURCE_NOT_FOUND`,
   * `RATE_LIMIT_EXCEEDED`.
   */
  async try(input: TryMailServerInput | UntrustedInput): Promise<TrialResult> {
    const settings = this.#required()
    const { id, to, from, language, name: _name, ...given } = parse(TryMailServer, input)
    const stored = id == null ? undefined : ((await this.#stored()).find((each) => each.id === id) ?? noneWith(id))
    const login = stored ? await this.#login(stored, given, settings) : mergedLogin(given)
    const anywhere = stored ? this.#mayBeAnywhere(login, stored, settings) : this.owner.isOperator
    const plugin = this.#check({ ...login, connectSeconds: CONNECT_SECONDS }, anywhere, settings)
    const { projectId } = this.owner
    if (to == null) return this.trials.run(plugin, undefined, projectId)
    const sender = from ?? (login.user?.includes('@') ? login.user : undefined)
    if (sender === undefined)
      throw invalidField('from', 'required', 'is required: an address that this mail server may send from')
    return this.trials.run(plugin, { from: sender, to, language }, projectId)
  }

  /** The plugin that sends through it. Throws EngineError `VALIDATION_ERROR` that names every field. */
  #check(login: MailServerLogin, anywhere: boolean, settings: InstallationSettings): Plugin<'transport'> {
    // the good name of the machine's address is not a project's to spend
    if (login.preset === DIRECT && this.owner.projectId !== undefined)
      throw invalidField('preset', 'custom', NOT_OF_PROJECTS)
    const plugin = pluginOf(login, settings, { anywhere, allow: this.kit.settings.egress.allow })
    const host = withoutBrackets(placeOf(login, settings.presets).host)
    // a name is judged by its addresses, each time that it is connected to
    const message = anywhere ? undefined : this.sender.refusal?.(`https://${host.includes(':') ? `[${host}]` : host}/`)
    if (message !== undefined) throw invalidField('host', 'custom', message)
    return plugin
  }

  /** Whether it may be at a private address: where the operator has put it, it stays so. */
  #mayBeAnywhere(login: MailServerLogin, stored: StoredMailServer, { presets }: InstallationSettings): boolean {
    const [now, before] = [placeOf(login, presets), placeOf(stored, presets)]
    const isThere = now.host === before.host && now.port === before.port
    return isThere ? stored.anywhere === true || this.owner.projectId === undefined : this.owner.isOperator
  }

  #placed(anywhere: boolean): Pick<StoredMailServer, 'anywhere'> {
    return anywhere && this.owner.projectId !== undefined ? { anywhere } : {}
  }

  async #login(
    stored: StoredMailServer,
    given: Parameters<typeof mergedLogin>[0],
    { presets }: InstallationSettings,
  ): Promise<MailServerLogin> {
    const before = (await loginOf(stored, this.parts.sealing)) ?? openLogin(stored)
    const preset = mergedLogin(given, before).preset
    // the name of this machine is no server to log in at, and the other way round
    if ((preset === DIRECT) !== (stored.preset === DIRECT)) return mergedLogin({ ...given, preset })
    const login = mergedLogin(given, before)
    const isElsewhere = placeOf(login, presets).host.toLowerCase() !== placeOf(stored, presets).host.toLowerCase()
    if (stored.sealed === undefined || given.password !== undefined) return login
    if (isElsewhere) throw invalidField('password', 'required', 'must be given anew for another host')
    if (login.password === undefined) throw invalidField('password', 'required', UNREADABLE)
    return login
  }

  async #sealed(
    id: string,
    { password, connectSeconds: _, publicOr: _or, ...login }: MailServerLogin,
    stored?: StoredMailServer,
  ) {
    if (password === undefined) return login
    const { sealed } = stored ?? {}
    // the same password sealed anew would be taken for a change
    if (sealed !== undefined && (await this.parts.sealing.open(sealed, ownerOf(id))) === password)
      return { ...login, sealed }
    return { ...login, sealed: this.parts.sealing.seal(password, ownerOf(id)) }
  }

  /** Throws EngineError `CONFLICT` while a rule names it: its mail would go another way unseen. */
  async #keep({ name }: StoredMailServer): Promise<void> {
    const rule = await this.owner.namedBy?.(name)
    if (rule === undefined) return
    throw new EngineError('CONFLICT', `The ${rule} of routing names the mail server ${name}.`, {
      suggestion: 'Change the rule first. To send nothing through the server meanwhile, turn it off.',
    })
  }

  #name(
    given: string | null | undefined,
    login: MailServerLogin,
    others: readonly StoredMailServer[],
    { presets }: InstallationSettings,
  ): string {
    const taken = new Set(others.map(({ name }) => name.toLowerCase()))
    if (given) {
      if (taken.has(given.toLowerCase()))
        throw new EngineError('CONFLICT', `There is a mail server called ${given} already.`)
      return given
    }
    const usual = (presetNamed(login.preset, presets)?.provider ?? login.host ?? '').slice(0, 50)
    for (let number = 1; ; number++) {
      const name = number === 1 ? usual : `${usual} ${number}`
      if (!taken.has(name.toLowerCase())) return name
    }
  }

  async #change<Answer>(
    change: (servers: readonly StoredMailServer[]) => Changed<Answer> | Promise<Changed<Answer>>,
  ): Promise<Answer> {
    const answer = await changeValue(this.place, async (value) => {
      const { servers, answer } = await change(value === undefined ? [] : readServers(value))
      return { value: { servers } as JsonObject, answer }
    })
    await this.changed()
    return answer
  }

  async #stored(): Promise<readonly StoredMailServer[]> {
    const stored = await this.place.read()
    return stored === undefined ? [] : readServers(stored.value)
  }

  /** Where the operator forbids the servers of projects. */
  get #forbidden(): string | undefined {
    return this.kit.settings.delivery.projectServers === 'off' ? 'delivery.projectServers' : undefined
  }

  #required(): InstallationSettings {
    const { settings } = this.parts
    if (!settings)
      throw new EngineError('CONFLICT', 'The mail servers of this engine are set in the code of the app around it.')
    if (this.owner.projectId !== undefined && this.#forbidden !== undefined)
      throw new EngineError('CONFLICT', 'The operator of this server lets no project have mail servers of its own.', {
        suggestion: 'Its mail goes through those of the installation; delivery.projectServers decides.',
      })
    return settings
  }
}

interface Changed<Answer> {
  readonly servers: readonly StoredMailServer[]
  readonly answer: Answer
}

/** The settings of an engine that is given none. */
const NOTHING: Partial<InstallationSettings> = { transportsFrom: 'code' }

const NOT_OF_PROJECTS =
  'cannot be direct in a project: the operator sends without a provider by a mail server of the installation, and a rule of routing can lead the mail of a project there'

/** The advice for a password that cannot be decrypted. */
export const UNREADABLE =
  'The password cannot be read, since it was encrypted with another secret (SECRET): type it in again.'

function noneWith(id: string): never {
  throw noServer(id)
}
