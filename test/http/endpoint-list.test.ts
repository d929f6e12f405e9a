import { expect, it } from 'vitest'
import { ROUTES } from '../../server/app.ts'

/** The answer to an unknown path names this list, so it must be whole: `npx vitest run test/http/endpoint-list.test.ts -u` writes it. */
it('the list of endpoints in the documentation is that of the server', async () => {
  const rows = ROUTES.map(
    ({ method, path, access, summary }) => `| \`${method} ${path}\` | ${KEYS[access]} | ${summary} |`,
  )
  const list = ['# Endpoints', '', INTRODUCTION, '', '| Request | Key | What it does |', '|---|---|---|', ...rows, '']
  await expect(list.join('\n')).toMatchFileSnapshot('../../docs/endpoints.md')
})

const KEYS = { secret: 'secret', public: 'public or secret', user: 'none; logged in', open: 'none' }

const INTRODUCTION = `Every endpoint there is. A key is sent as \`Authorization: Bearer …\`; \`:id\` and the like stand for a part of the path.
Every GET answers HEAD, and every path answers OPTIONS with its methods. This list is written from the routes themselves.`
