import { expect, it } from 'vitest'
import type { Project } from '../../core/ports/store/projects.ts'
import { firstStartText } from '../../server/process/first-start.ts'

it('names the keys that were given, which a log would keep, and prints those that were made', () => {
  const keys = { secretKey: 'sk_made', publicKey: 'pk_made' }
  const project = { name: 'Acme', trustedDomains: ['acme.example'] } as unknown as Project
  const text = (given: { readonly secretKey?: string }) => firstStartText({ project, keys }, given, 'http://here')
  expect(text({}).match(/[ps]k_made|\$PROJECT_\w+/g)).toEqual(['sk_made', 'pk_made', 'sk_made'])
  expect(text({ secretKey: 'sk_made' }).match(/[ps]k_made|\$PROJECT_\w+/g)).toEqual([
    '$PROJECT_SECRET_KEY',
    'pk_made',
    '$PROJECT_SECRET_KEY',
  ])
})
