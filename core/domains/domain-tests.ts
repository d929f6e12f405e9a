import { domainToASCII } from 'node:url'
import * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import { contentId, contentMarks, literalSender } from '../mail/content.ts'
import { newEmail } from '../mail/email.ts'
import { literalHtml } from '../mail/render/printed.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import { SenderIdentity } from '../ports/sender-identity.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { DomainTest } from '../ports/store/domain-tests.ts'
import type { SenderDomain } from '../ports/store/domains.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import { requireEnabled, requireVerifiedDomain } from '../projects/project.ts'
import { EmailAddress } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import { shownId } from '../values/shown-id.ts'
import { Doorbell, TOPICS } from '../work/doorbell.ts'
import { removeAll } from '../work/rest.ts'
import { domainDetail } from './domain-record.ts'
import { type NoHost, TestAddresses } from './test-addresses.ts'
import { type DomainTestResult, testResult } from './test-checks.ts'

const HOUR_MS = 3_600_000
/** How many tests of a domain may start within an hour. */
const MAX_PER_HOUR = 10
/** How long tests are kept. */
const KEPT_MS = 24 * HOUR_MS

export const TestDomain = v.object({
  /** The recipient; without it the mail is sent back to this server. */
  to: v.nullish(EmailAddress),
})

/** The recipient of a test. */
export interface TestDomainInput extends InputOf<typeof TestDomain> {}

/** Sends real mails to show how mail from a domain arrives. They are in the ledger, but no figure counts them. */
@injectable()
export class DomainTests {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Doorbell) private readonly doorbell: Doorbell,
    @inject(SenderIdentity) private readonly identity: SenderIdentity,
    @inject(CompiledMails) private readonly compiled: CompiledMails,
    @inject(TestAddresses) private readonly addresses: TestAddresses,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * Sends a mail from the domain, as a campaign would, to `to` or back to this server. Throws EngineError
   * `DOMAIN_NOT_FOUND`, `DOMAIN_NOT_VERIFIED`, `PROJECT_DISABLED`, `VALIDATION_ERROR`, `CONFLICT` when it is to come
   * back but this server receives no mail, `RATE_LIMIT_EXCEEDED` after ten tests of a domain within an hour.
   */
  async start(project: Project, id: string, input: TestDomainInput | UntrustedInput = {}): Promise<{ testId: string }> {
    requireEnabled(project)
    const { to } = parse(TestDomain, input)
    const row = await this.#domain(project, id)
    const from = `delivery-test@${row.domain}`
    requireVerifiedDomain(project, from)
    const now = this.kit.now()
    const testId = this.kit.newId()
    const address = to ?? (await this.#address(testId))
    const content = this.#content(project, from, now)
    const about = { id: testId, projectId: project.id, createdAt: now }
    const test = { ...about, domainId: id, to: address, isOurs: to == null, isMarketing: content.marketing }
    await this.store.transaction(async (tx) => {
      if (!(await tx.domains.lock(project.id, id))) missing(id)
      const since = new Date(now.getTime() - HOUR_MS)
      if ((await tx.domainTests.countSince(project.id, id, since)) >= MAX_PER_HOUR) throw tooMany(row.domain)
      await tx.domainTests.add(test)
      await tx.emails.add([emailOf(test, content, now)], [content])
    })
    this.kit.metrics.accepted('transactional', 1)
    this.doorbell.ring(TOPICS.mail, { lane: 'transactional' })
    return { testId }
  }

  /** The result of a test so far. Throws EngineError `DOMAIN_NOT_FOUND`, `RESOURCE_NOT_FOUND`. */
  async result(project: Project, id: string, testId: string): Promise<DomainTestResult> {
    const row = await this.#domain(project, id)
    const test = isId(testId) ? await this.store.domainTests.find(project.id, testId) : undefined
    const email = test?.domainId === id ? await this.store.emails.find(project.id, testId) : undefined
    if (!test || !email)
      throw new EngineError('RESOURCE_NOT_FOUND', `There is no test ${shownId(testId)} of this domain.`)
    const { records } = domainDetail(row, project, this.identity, this.kit.settings)
    return testResult({ test, email, records, domain: domainToASCII(row.domain), now: this.kit.now() })
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    return [
      {
        name: 'forget tests of domains',
        cron: '53 * * * *',
        run: (signal) => removeAll((most) => this.forget(most), signal),
      },
    ]
  }

  /** Deletes old tests; up to `limit`, answers how many. */
  forget(limit: number): Promise<number> {
    return this.store.domainTests.forget(new Date(this.kit.now().getTime() - KEPT_MS), limit)
  }

  /** The address at which a test comes back. While the host is unknown it is looked for: its owner may just have made it. */
  async #address(testId: string): Promise<string> {
    const known = this.addresses.of(testId, this.#host)
    if (known !== undefined) return known
    const missing = await this.addresses.look()
    return this.addresses.of(testId) ?? nowhere(missing)
  }

  /** The host that receives mail by the settings, until this process has found it out. */
  get #host(): string | undefined {
    return this.kit.settings.feedback.returnPathHost ?? this.kit.settings.domains.inboundHost
  }

  async #domain(project: Project, id: string): Promise<SenderDomain> {
    return (isId(id) ? await this.store.domains.find(project.id, id) : undefined) ?? missing(id)
  }

  #content(project: Project, from: string, now: Date): MailContent {
    const marketing = this.#maySendMarketing(project)
    const written = {
      projectId: project.id,
      from: literalSender({ email: from, name: project.name }),
      subject: 'How mail from this domain arrives',
      html: `<p>This mail was sent from ${literalHtml(from)} to see how it arrives. There is no need to reply.</p>`,
      cc: [],
      bcc: [],
      headers: [['Auto-Submitted', 'auto-generated'] as const],
      attachments: [],
      ...contentMarks(project, marketing, false),
    }
    return { id: contentId(written), ...written, createdAt: now }
  }

  /** Real marketing mail would be refused without an address for its links; the test reports that. */
  #maySendMarketing({ id: projectId }: Project): boolean {
    try {
      this.compiled.requireSendable({ marketing: true, projectId })
      return true
    } catch (error) {
      if (EngineError.is(error)) return false
      throw error
    }
  }
}

/** The row of a test: as for a campaign's test, without campaign and contact. */
function emailOf({ id, projectId, to }: DomainTest, content: MailContent, now: Date): Email {
  return newEmail(now, {
    id,
    projectId,
    contentId: content.id,
    to,
    sourceType: 'CAMPAIGN',
    lane: 'transactional',
    variables: {},
  })
}

function nowhere(missing: NoHost | undefined): never {
  if (missing === undefined) {
    throw new EngineError('CONFLICT', 'This server does not receive mail, so the test could not come back.', {
      suggestion: 'Name an address of yours in `to`, or let this server receive mail (docs/inbound.md).',
    })
  }
  const suggestion = `${missing.advice} Or name an address of yours in \`to\`.`
  throw new EngineError('CONFLICT', missing.message, { suggestion })
}

function tooMany(domain: string): EngineError {
  const message = `There were ${MAX_PER_HOUR} tests of ${domain} within an hour.`
  return new EngineError('RATE_LIMIT_EXCEEDED', message, { suggestion: 'Wait a while: each test is a real mail.' })
}

function missing(id: string): never {
  throw new EngineError('DOMAIN_NOT_FOUND', `There is no domain ${shownId(id)}.`)
}
