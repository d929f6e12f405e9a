import { expect, it } from 'vitest'
import { ROUTES } from '../../server/app.ts'
import { type Route, scopeOf } from '../../server/route.ts'

/** The answer to an unknown path names this list, so it must be whole: `npx vitest run test/http/endpoint-list.test.ts -u` writes it. */
it('the list of endpoints in the documentation is that of the server', async () => {
  const rows = ROUTES.map((route) => {
    const { method, path, access, summary } = route
    return `| \`${method} ${path}\` | ${KEYS[access]} | ${scopeShown(route)} | ${summary} |`
  })
  const list = [
    '# Endpoints',
    '',
    INTRODUCTION,
    '',
    '| Request | Key | Scope | What it does |',
    '|---|---|---|---|',
    ...rows,
    '',
  ]
  await expect(list.join('\n')).toMatchFileSnapshot('../../docs/endpoints.md')
})

const KEYS = { secret: 'secret', public: 'public or secret', user: 'none; logged in', open: 'none' }

function scopeShown(route: Route): string {
  return route.access === 'open' || route.access === 'user' ? '' : scopeOf(route)
}

const INTRODUCTION = `Every endpoint there is. A key is sent as \`Authorization: Bearer …\`; \`:id\` and the like stand for a part of the path.
The scope is what the key must have, or \`full\`; see [keys.md](keys.md).
Every GET answers HEAD, and every path answers OPTIONS with its methods. This list is written from the routes themselves.`
