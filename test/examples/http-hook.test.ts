import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
// holds it to its contract, as the test that a new plugin begins with
import '../../examples/plugin-tests/hook.ts'

describe('the example of a hook', () => {
  it('is the one the page about plugins shows', async () => {
    const [page, example] = await Promise.all(
      ['docs/plugins.md', 'examples/http-hook.ts'].map((path) =>
        readFile(new URL(`../../${path}`, import.meta.url), 'utf8'),
      ),
    )
    const section = page?.split(/^## /m).find((each) => each.startsWith('A hook\n'))
    expect(/```ts\n(.*?)```/s.exec(section ?? '')?.[1]).toBe(example)
  })
})
