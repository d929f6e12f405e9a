import type { ProjectId } from '../values/project-id.ts'
import type { Signer } from './dkim/sign-message.ts'
import type { MadeMail } from './makers.ts'

/** A message's author, and the project that sends it. */
interface Author {
  readonly address: string
  readonly projectId: ProjectId
}

/** A message that is composed on demand, once, and then signed. */
export class SignedMessage {
  readonly #author: Author
  readonly #compose: () => Uint8Array<ArrayBuffer>
  readonly #signing: Signer | undefined
  readonly #made: MadeMail | undefined
  #composed: Uint8Array<ArrayBuffer> | undefined
  #raw: Promise<Uint8Array<ArrayBuffer>> | undefined

  /** `made` was composed in a thread; without it `compose` is called. */
  constructor(
    author: Author,
    compose: () => Uint8Array<ArrayBuffer>,
    { signing, made }: { readonly signing: Signer | undefined; readonly made: MadeMail | undefined },
  ) {
    this.#author = author
    this.#compose = compose
    this.#signing = signing
    this.#made = made
  }

  /** The message before it is signed. */
  composed(): Uint8Array<ArrayBuffer> {
    this.#composed ??= this.#made?.message ?? this.#compose()
    return this.#composed
  }

  raw(): Promise<Uint8Array<ArrayBuffer>> {
    this.#raw ??= this.#signed()
    return this.#raw
  }

  async #signed(): Promise<Uint8Array<ArrayBuffer>> {
    const message = this.composed()
    const { address, projectId } = this.#author
    return this.#signing?.sign(message, address, { projectId, bodyHash: this.#made?.bodyHash }) ?? message
  }
}
