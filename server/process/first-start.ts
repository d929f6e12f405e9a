import type { Project } from '../../core/ports/store/projects.ts'
import type { FirstProject, NewKeys } from '../../core/projects/projects.ts'

/**
 * The text printed once, when the first project is made: its keys, a command that sends a mail, and what to do for real.
 * Keys that were `given` are named and not printed: logs are kept.
 */
export function firstStartText(
  { project, keys }: { project: Project; keys: NewKeys },
  given: Pick<FirstProject, 'secretKey' | 'publicKey'>,
  url: string,
  setUp?: string | undefined,
): string {
  const secretKey = given.secretKey === undefined ? keys.secretKey : '$PROJECT_SECRET_KEY'
  const publicKey = given.publicKey === undefined ? keys.publicKey : '$PROJECT_PUBLIC_KEY'
  const [domain = 'example.com'] = project.trustedDomains
  const body = { from: `hello@${domain}`, to: 'you@example.com', subject: 'Hello', body: '<p>It works.</p>' }
  return `
A first project was made: "${project.name}". Its keys are shown this once; keep them.

  project id  ${project.id}
  secret key  ${secretKey}
  public key  ${publicKey}

Send a mail:

  curl -X POST ${url}/v1/send -H "Authorization: Bearer ${secretKey}" -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'

It may send from ${project.trustedDomains.join(', ')}. To send for real from a domain of yours, start with

  TRUSTED_DOMAINS=your.domain PROJECT_NAME='Your name' PUBLIC_URL=https://mail.your.domain SMTP_URL=smtp://user:password@host:587

Lost a key? Only its hash is stored. Start once with PROJECT_SECRET_KEY=sk_… (sk_ and 16 or more characters of your
choice): that key replaces the lost one.
${setUp === undefined ? '' : setUpText(setUp)}
`
}

/** The text printed at each start while there is no user. */
export function setUpText(link: string): string {
  return `
No one can log in yet. To make the first user, who will own the projects here, open this link within 24 hours. It works once:

  ${link}
`
}
