/** A message that could not be fetched so often is left. */
const TRIES = 3

/**
 * What is known of the messages of a mailbox besides their flags. UIDs count under one UIDVALIDITY (RFC 9051, section
 * 2.3.1.1); of messages that are not there any more nothing is kept.
 */
export class KnownMessages {
  #validity: bigint | undefined
  /** Stored, perhaps not marked yet. */
  #stored = new Set<number>()
  /** Not to be fetched while this process lives. */
  #left = new Set<number>()
  /** Not to be fetched before the next look. */
  #later = new Set<number>()
  #failures = new Map<number, number>()

  /** Forgets everything when the UIDs mean other messages than before. */
  open(validity: bigint): void {
    if (validity === this.#validity) return
    this.#validity = validity
    for (const each of [this.#stored, this.#left, this.#later, this.#failures]) each.clear()
  }

  /** Of these, which are all that are unread, those to be fetched now and those that are stored and to be marked. */
  sort(unread: readonly number[]): { readonly fresh: readonly number[]; readonly stored: readonly number[] } {
    const there = new Set(unread)
    for (const each of [this.#stored, this.#left, this.#later, this.#failures]) {
      for (const uid of each.keys()) if (!there.has(uid)) each.delete(uid)
    }
    const isKnown = (uid: number) => this.#stored.has(uid) || this.#left.has(uid) || this.#later.has(uid)
    return { fresh: unread.filter((uid) => !isKnown(uid)), stored: unread.filter((uid) => this.#stored.has(uid)) }
  }

  stored(uid: number): void {
    this.#stored.add(uid)
    this.#failures.delete(uid)
  }

  leave(uid: number): void {
    this.#left.add(uid)
  }

  /** It could not be fetched and comes again at a later look; false when it is left after so many. */
  notFetched(uid: number): boolean {
    const isLast = this.notStored(uid) >= TRIES
    if (isLast) this.leave(uid)
    return !isLast
  }

  /** It could not be stored and comes again at a later look, however often. Answers how often it was so. */
  notStored(uid: number): number {
    const failures = (this.#failures.get(uid) ?? 0) + 1
    this.#failures.set(uid, failures)
    this.#later.add(uid)
    return failures
  }

  /** The next look begins. */
  nextLook(): void {
    this.#later.clear()
  }
}
