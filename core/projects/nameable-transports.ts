import * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { invalidField } from '../errors.ts'
import { Kit } from '../kit.ts'
import type { MayName } from '../settings/route-settings.ts'
import type { ProjectId } from '../values/project-id.ts'

/** A name as requests give it, which `require` looks for. */
export const TransportName = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100))

/**
 * Which transports the requests of a project may name: mail servers of its own, and those of the installation that the
 * operator lets it name. The room of delivery tells which there are.
 */
@injectable()
export class NameableTransports {
  #shared: readonly string[] = []
  readonly #own = new Map<ProjectId, readonly string[]>()
  /** Those that the operator lets name one while the engine runs, besides the settings. */
  #lent: MayName = {}

  constructor(@inject(Kit) private readonly kit: Kit) {}

  /** The transports of the installation are these from now on. */
  useShared(names: readonly string[]): void {
    this.#shared = names
  }

  /** Besides those of the settings, these may name transports of the installation from now on. */
  lend(mayName: MayName): void {
    this.#lent = mayName
  }

  /** The mail servers of a project are these from now on. */
  useOwn(projectId: ProjectId, names: readonly string[]): void {
    if (names.length > 0) this.#own.set(projectId, names)
    else this.#own.delete(projectId)
  }

  /** Whether it may name any transport of the installation. */
  borrows(projectId: ProjectId): boolean {
    return this.#shared.some((name) => this.#isLent(projectId, name))
  }

  /** The names in the order of use, those of its own first. */
  of(projectId: ProjectId): readonly string[] {
    const own = this.#own.get(projectId) ?? []
    return [...own, ...this.#shared.filter((name) => !own.includes(name) && this.#isLent(projectId, name))]
  }

  /**
   * Whose transport a project means by this name; undefined when there is none that it may name. Without a project: one that
   * all may.
   */
  whose(projectId: ProjectId | undefined, name: string): 'own' | 'shared' | undefined {
    if (projectId !== undefined && this.#own.get(projectId)?.includes(name)) return 'own'
    return this.#shared.includes(name) && this.#isLent(projectId, name) ? 'shared' : undefined
  }

  /**
   * Throws EngineError `VALIDATION_ERROR` about this field when the project may not name it. It says the same of a
   * transport that is not there: which others there are is no project's concern.
   */
  require(projectId: ProjectId, name: string | null | undefined, field = 'transport'): void {
    if (name == null || this.whose(projectId, name) !== undefined) return
    throw invalidField(field, 'invalid_enum_value', problemOf(this.of(projectId)))
  }

  #isLent(projectId: ProjectId | undefined, name: string): boolean {
    return isLent(this.kit.settings.delivery.mayName, projectId, name) || isLent(this.#lent, projectId, name)
  }
}

/** Whether the settings let a project name this transport; without its id, whether they let all. */
export function isLent(mayName: MayName, projectId: string | undefined, name: string): boolean {
  const projects = Object.hasOwn(mayName, name) ? mayName[name] : undefined
  return projects === true || (projectId !== undefined && projects?.includes(projectId) === true)
}

function problemOf(names: readonly string[]): string {
  const start = 'is not a mail server that this project may name'
  if (names.length > 0) return `${start}: it may name ${names.join(', ')}. Without it, mail goes its usual way`
  return `${start}, since it may name none: leave it out, and mail goes its usual way. The operator decides who may`
}
