import type { MailTransport } from '../../ports/mail-transport.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { LinkSettings } from './links.ts'

/** Where this server is reached from outside, and what follows for the links in mails. Both may change while it runs. */
export class PublicAddress implements LinkSettings {
  #set: string | undefined
  #reaches: readonly MailTransport['reach'][] = []
  /** Of the projects that have mail servers of their own. */
  readonly #own = new Map<ProjectId, readonly MailTransport['reach'][]>()

  constructor(
    /** The address by the settings. */
    readonly given: string | undefined,
    readonly secret: Buffer,
  ) {}

  get publicUrl(): string | undefined {
    return this.#set ?? this.given
  }

  refusalFor(projectId: ProjectId): string | undefined {
    const problem = linkProblem(this.publicUrl, this.#own.get(projectId) ?? this.#reaches)
    return problem?.blocksMarketing ? problem.message : undefined
  }

  /** Why its links do not work for those who get mail now; undefined when they do. */
  get problem(): LinkProblem | undefined {
    return linkProblem(this.publicUrl, this.#reaches)
  }

  /** Where a place of this server is now, if it was given below the address of the settings. */
  moved(url: string | undefined): string | undefined {
    const { given, publicUrl = '' } = this
    return given !== undefined && url?.startsWith(`${given}/`) ? publicUrl + url.slice(given.length) : url
  }

  /** Uses this address from now on; undefined: that of the settings. */
  change(url: string | undefined): void {
    this.#set = url
  }

  /** Takes note of whom the transports reach that mail goes through. */
  serve(reaches: readonly MailTransport['reach'][]): void {
    this.#reaches = reaches
  }

  /** The same of the project's own mail servers; without any, its mail goes through those transports. */
  serveProject(projectId: ProjectId, reaches: readonly MailTransport['reach'][]): void {
    if (reaches.length > 0) this.#own.set(projectId, reaches)
    else this.#own.delete(projectId)
  }
}

/** Why links in mails do not work. */
export interface LinkProblem {
  readonly message: string
  /** True when marketing mail must wait until it is fixed: people could not unsubscribe. */
  readonly blocksMarketing: boolean
}

/** Why links to this address do not work for those that transports with this `reach` serve; undefined when they work. */
export function linkProblem(
  publicUrl: string | undefined,
  reaches: readonly MailTransport['reach'][],
): LinkProblem | undefined {
  const reach = reaches.map((each) => each ?? 'anybody')
  if (publicUrl === undefined || reach.every((each) => each === 'nobody') || !isThisMachine(publicUrl)) return undefined
  const message =
    `The links in mails lead to ${publicUrl}, which only this machine can open: ` +
    'set PUBLIC_URL (server.publicUrl) to the address at which the world reaches this server.'
  return { message, blocksMarketing: reach.includes('anybody') }
}

/** True when only this machine can reach the address: loopback, or the unspecified address. */
export function isThisMachine(publicUrl: string): boolean {
  const host = URL.parse(publicUrl)?.hostname.replace(/^\[|\]$|\.$/g, '') ?? ''
  return /^(?:(?:.+\.)?localhost|127\.[\d.]+|0\.0\.0\.0|::1?|::ffff:7f[\da-f]{2}:[\da-f]{1,4})$/i.test(host)
}
