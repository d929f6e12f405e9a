import { expect, it } from 'vitest'
import { ROUTES } from '../../server/app.ts'
import { type Operation, openApiDocument } from '../../server/openapi/document.ts'

const DOCUMENT = openApiDocument(ROUTES)

/** The answer to an unknown path names this list, so it must be whole: `npx vitest run test/http/endpoint-list.test.ts -u` writes it. */
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

/** The ways to prove who asks, as the table has them. */
const WAYS: Readonly<Record<string, string>> = {
  secretKey: 'secret key',
  publicKey: 'public key',
  session: 'session',
  operatorKey: '`OPERATOR_KEY`',
  metricsKey: '`METRICS_KEY`',
}

const INTRODUCTION = `Every endpoint there is. A key is sent as \`Authorization: Bearer …\`, a session is the cookie of somebody who is logged in; \`{id}\` and
the like stand for a part of the path. Each way of access is followed by the scope that the key, or the role of the member, must give: a
key with \`full\` has them all ([keys.md](keys.md)), and \`own\` is for an OWNER alone ([accounts.md](accounts.md#roles)). Every GET answers HEAD,
and every path answers OPTIONS with its methods. This list is written from the [OpenAPI document](client.md).`
