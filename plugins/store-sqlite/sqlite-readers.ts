import { EngineError } from '../../core/errors.ts'
import { FairQueue } from '../kit/sql/engine/fair-queue.ts'
import type { Session } from '../kit/sql/engine/session.ts'
import { SqliteReader } from './sqlite-reader.ts'

/** The settings of readers. */
export interface ReadersSettings {
  readonly path: string
  /** Milliseconds a statement waits for a program that has locked the file. */
  readonly timeout: number
  /** How long one read of many rows may take, and how long it may wait for its turn. */
  readonly seconds: number
}

/**
 * The threads that read. Each read has its own thread; a project never has all of them, so that its long reads do not
 * delay other projects. A thread starts when all others are busy.
 */
export class SqliteReaders {
  readonly #settings: ReadersSettings
  readonly #line: FairQueue
  readonly #all: SqliteReader[] = []
  /** The one last used comes first: its pages are in memory, and others need not be started. */
  readonly #idle: SqliteReader[] = []
  #closed = false

  constructor(settings: ReadersSettings) {
    this.#settings = settings
    this.#line = new FairQueue({ places: READERS, placesOfOne: READERS_OF_ONE, patienceMs: settings.seconds * 1000 })
  }

  /** Runs `work` on one of the connections. Throws EngineError `SERVICE_UNAVAILABLE` when it takes too long. */
  scan<T>(projectId: string, work: (session: Session) => Promise<T>): Promise<T> {
    return this.#line.run(projectId, async () => {
      if (this.#closed)
        throw new EngineError('SERVICE_UNAVAILABLE', 'The database is closed, since the engine was stopped.')
      const reader = this.#idle.pop() ?? this.#another()
      try {
        return await work(reader.session(this.#settings.seconds))
      } finally {
        this.#idle.push(reader)
      }
    })
  }

  /** Ends running reads and every thread. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#all.map((reader) => reader.close()))
  }

  #another(): SqliteReader {
    const reader = new SqliteReader(this.#settings)
    this.#all.push(reader)
    return reader
  }
}

const READERS = 4
const READERS_OF_ONE = 2
