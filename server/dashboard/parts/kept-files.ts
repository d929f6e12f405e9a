/** A file with which a person has begun to do something, kept in this browser until it is done. */
export interface KeptFile<Choices> {
  readonly file: File
  readonly choices: Choices
  /** When it was kept, in milliseconds since 1970. */
  readonly at: number
}

const DATABASE = 'mailwright'
const FILES = 'files'
/** A file of people is not kept longer. */
const LONGEST_MS = 86_400_000

/** Keeps a file under this name, instead of the one before. False where the browser keeps none. */
export async function keepFile<Choices>(name: string, file: File, choices: Choices): Promise<boolean> {
  return (await within('readwrite', (files) => files.put({ file, choices, at: Date.now() }, name))) !== undefined
}

/** The file that is kept under this name; one that is more than a day old is dropped. */
export async function keptFile<Choices>(name: string): Promise<KeptFile<Choices> | undefined> {
  const kept = await within<KeptFile<Choices> | undefined>('readonly', (files) => files.get(name))
  if (kept === undefined || Date.now() - kept.at < LONGEST_MS) return kept
  await dropFile(name)
  return undefined
}

/** Drops the file that is kept under this name. */
export async function dropFile(name: string): Promise<void> {
  await within('readwrite', (files) => files.delete(name))
}

/** Drops all that is kept, as a person expects who signs out. */
export async function dropFiles(): Promise<void> {
  await within('readwrite', (files) => files.clear())
}

/** One step in the database; undefined where the browser has none, such as in a private window of some. */
async function within<Result>(
  mode: 'readonly' | 'readwrite',
  step: (files: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result | undefined> {
  let database: IDBDatabase | undefined
  try {
    const opening = indexedDB.open(DATABASE, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(FILES)
    database = await answerOf(opening)
    return await answerOf(step(database.transaction(FILES, mode).objectStore(FILES)))
  } catch {
    return undefined
  } finally {
    database?.close()
  }
}

function answerOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
