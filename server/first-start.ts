import type { Project } from '../core/projects/project.ts'
import type { NewKeys } from '../core/projects/projects.ts'

/** What is printed once, when the first project was made: its keys, and a command that sends a mail with them. */
export function firstStartText({ project, keys }: { project: Project; keys: NewKeys }, url: string): string {
  const body = { from: 'hello@example.com', to: 'you@example.com', subject: 'Hello', body: '<p>It works.</p>' }
  return `
A first project was made: "${project.name}". Its keys are shown this once; keep them.

  project id  ${project.id}
  secret key  ${keys.secretKey}
  public key  ${keys.publicKey}

Send a mail:

  curl -X POST ${url}/v1/send -H 'Authorization: Bearer ${keys.secretKey}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'

`
}
