import { expect, it } from 'vitest'
import { hasDotSegments } from '../../core/workflows/steps/webhook.ts'

it.each([
  ['https://a.example/x/../admin', true],
  ['https://a.example/u/../../admin?z=1#', true],
  ['https://a.example/..', true],
  ['https://a.example/x/./y', true],
  ['https://a.example/%2E%2e/y', true],
  ['https://a.example/.%2e', true],
  ['https:\\\\a.example\\..\\y', true],
  ['https://a.example/x/..?a=1', true],
  ['https://a.example', false],
  ['https://a.example/', false],
  ['https://a.example/x..y/..z/...', false],
  ['https://a.example/?next=/../x', false],
  ['https://a.example/x#/../y', false],
])('of %s is told: %s', (url, told) => {
  expect(hasDotSegments(url)).toBe(told)
})
