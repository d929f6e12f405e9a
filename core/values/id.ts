import { createHash, randomFillSync } from 'node:crypto'

/** A source of new ids: UUIDv7 (RFC 9562), lower-case, so that primary keys grow with time. */
export type NewId = () => string

/**
 * Makes a source of UUIDv7 ids that always grow, even within one millisecond and when the clock steps back (RFC 9562,
 * section 6.2, method 1: the 12 bits after the version are a counter).
 */
export function idSource(now: () => number): NewId {
  const pool = Buffer.alloc(8 * 256)
  let random = ''
  let used = 0
  let last = -1
  let beginning = ''
  let counter = 0xfff
  return () => {
    const time = now()
    if (time > last || ++counter > 0xfff) {
      last = Math.max(time, last + 1)
      counter = 0
      // kept, since a number as large as this takes long to write, and many ids are of one millisecond
      const stamp = last.toString(16).padStart(12, '0')
      beginning = `${stamp.slice(0, 8)}-${stamp.slice(8)}`
    }
    if (used === random.length) {
      randomFillSync(pool)
      for (let i = 0; i < pool.length; i += 8) pool.writeUInt8(0x80 | (pool.readUInt8(i) & 0x3f), i)
      random = pool.toString('hex')
      used = 0
    }
    const variant = random.slice(used, used + 4)
    const tail = random.slice(used + 4, used + 16)
    used += 16
    return `${beginning}-${(0x7000 | counter).toString(16)}-${variant}-${tail}`
  }
}

/**
 * The id and the time of something new, which are one moment: lists that are sorted by id are then sorted by time, also
 * when several requests overlap.
 */
export function stamp(newId: NewId): { readonly id: string; readonly createdAt: Date } {
  const id = newId()
  return { id, createdAt: momentOf(id) }
}

/** One id per time and key: a UUIDv8 (RFC 9562), which sorts by its time among those above. */
export function idOf(moment: Date, key: string): string {
  const stamp = Math.min(Math.max(0, moment.getTime()), 0xffffffffffff).toString(16).padStart(12, '0')
  const hash = createHash('sha256').update(key).digest('hex')
  const variant = (8 + (Number.parseInt(hash.slice(3, 4), 16) & 3)).toString(16)
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-8${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`
}

/** The same for all ids that `idOf` makes of one key, whatever the moment; undefined for ids that were made otherwise. */
export function timelessId(id: string): string | undefined {
  return id[14] === '8' ? `${NIL_ID.slice(0, 14)}${id.slice(14)}` : undefined
}

/** Less than every id of ours. */
export const NIL_ID = '00000000-0000-0000-0000-000000000000'

/** An id between those made before this time and those made at or after it. */
export function firstIdAt(moment: Date): string {
  const stamp = Math.max(0, moment.getTime()).toString(16).padStart(12, '0')
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7000-8000-000000000000`
}

/**
 * The id of what happened to something at this moment, the same on every read: a UUIDv7 with the random bits of the id
 * `of`. What happens in one moment is in the order of `place`, 0 to 15.
 */
export function idAt(moment: Date, place: number, of: string): string {
  const stamp = Math.max(0, moment.getTime()).toString(16).padStart(12, '0')
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-700${place.toString(16)}-${of.slice(19)}`
}

/** The moment in an id of ours. */
export function momentOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** True for the lower-case text form of a UUID; anything else cannot be an id of ours. */
export function isId(text: string): boolean {
  // an array of one id would be the text of it
  return typeof text === 'string' && UUID.test(text)
}
