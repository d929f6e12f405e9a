import * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { DnsResolver } from '../ports/dns-resolver.ts'
import type { Project } from '../ports/store/projects.ts'
import { requireEnabled } from '../projects/project.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import { ProjectLanes } from '../work/project-lanes.ts'
import { domainLists } from './domain-lists.ts'
import { type EmailVerification, judge } from './judge.ts'
import { type DomainRecords, LookUp } from './look-up.ts'
import { readAddress } from './read-address.ts'

export const VerifyBody = v.object({
  /** The address to verify. */
  email: v.pipe(v.string(), v.transform(readAddress)),
})
/** The input of `verify`. */
export type VerifyInput = InputOf<typeof VerifyBody>

/** How long a check waits for the DNS: callers often have five seconds. What is not known by then stays unknown. */
const PATIENCE_MS = 4_500
/** How many addresses of one project are looked up at the same time; more wait. */
const LOOK_UPS_PER_PROJECT = 20

const CANNOT_TELL: DomainRecords = { exists: undefined, mx: undefined, website: undefined }

/** Verifies addresses before mail is sent to them. */
@injectable()
export class Verification {
  readonly #lanes = new ProjectLanes(LOOK_UPS_PER_PROJECT)

  constructor(@inject(DnsResolver) private readonly dns: DnsResolver) {}

  /**
   * Verifies an address by its form, by lists of domains, and by the DNS. Waits for the DNS for `PATIENCE_MS`
   * at most; what is unknown then is named in `reasons`. Throws EngineError `BAD_REQUEST` for an invalid address,
   * `VALIDATION_ERROR`, `PROJECT_DISABLED`.
   */
  async verify(project: Project, input: VerifyInput | UntrustedInput): Promise<EmailVerification> {
    requireEnabled(project)
    const { email: address } = parse(VerifyBody, input)
    const [lists, records] = await Promise.all([domainLists(), this.#lookUp(project, address.asciiDomain)])
    return judge(address, lists, records)
  }

  /**
   * Holds the project's place until the last question has ended, so that slow name servers only slow down their own
   * project.
   */
  async #lookUp(project: Project, domain: string): Promise<DomainRecords> {
    let timer: NodeJS.Timeout | undefined
    let isOver = false
    const deadline = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        isOver = true
        resolve(undefined)
      }, PATIENCE_MS)
    })
    try {
      return await new Promise<DomainRecords>((resolve, reject) => {
        void deadline.then(() => setImmediate(resolve, CANNOT_TELL))
        const look = async () => {
          if (isOver) return
          const lookUp = new LookUp(this.dns, deadline)
          resolve(await lookUp.records(domain))
          await lookUp.settled()
        }
        this.#lanes.run(project.id, look).catch(reject)
      })
    } finally {
      clearTimeout(timer)
    }
  }
}
