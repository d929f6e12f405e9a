import { expect, it } from 'vitest'
import { ROUTES } from '../../server/app.ts'
import { type Operation, openApiDocument } from '../../server/openapi/document.ts'

const DOCUMENT = openApiDocument(ROUTES)

/** The response to an unknown path names this list, so it must be complete: `npx vitest run test/http/endpoint-list.test.ts -u` writes it. */
it('the list of endpoints in the documentation is that of the server', async () => {
  const groups = DOCUMENT.tags.map(({ name, description }) => {
    const rows = Object.entries(DOCUMENT.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, { tags }]) => tags[0] === name)
        .map(([method, operation]) => rowOf(method.toUpperCase(), path, operation)),
    )
    return [`## ${name}`, '', description, '', '| Request | Access | What it does |', '|---|---|---|', ...rows, '']
  })
  const list = ['# Endpoints', '', INTRODUCTION, '', ...groups.flat()]
  await expect(list.join('\n')).toMatchFileSnapshot('../../docs/endpoints.md')
})

function rowOf(method: string, path: string, { summary, description, security }: Operation): string {
  const access = security.flatMap(Object.entries).map(([way, scopes]) => [WAYS[way] ?? way, ...scopes].join(' '))
  return `| \`${method} ${path}\` | ${access.join('; ') || 'open'} | **${summary}.** ${description} |`
}

/** The kinds of access, as the table names them. */
const WAYS: Readonly<Record<string, string>> = {
  secretKey: 'secret key',
  publicKey: 'public key',
  session: 'session',
  operatorKey: '`OPERATOR_KEY`',
  metricsKey: '`METRICS_KEY`',
}

const INTRODUCTION = `All endpoints. A key is sent as \`Authorization: Bearer …\`; a session is the cookie of a logged-in user. \`{id}\` and
the like are parts of the path. Behind a key is the scope that it must have: one with \`full\` has them all
([keys.md](keys.md)). Behind a session is the least role of the member ([accounts.md](accounts.md#roles)). Every GET can be called
with HEAD, and OPTIONS returns the methods of any path. This list is generated from the [OpenAPI document](client.md).`
