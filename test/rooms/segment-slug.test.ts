import { expect, it } from 'vitest'
import { slugOf } from '../../core/values/slug.ts'

it.each([
  ['Big Spenders', 'big-spenders'],
  ['  VIPs -- & friends! ', 'vips-friends'],
  ['Zürich Fans', 'zurich-fans'],
  ['ÉTÉ 2025', 'ete-2025'],
  ['İstanbul', 'istanbul'],
  ['ﬁne ½ price', 'fine-1-2-price'],
  ['Größe', 'große'],
  ['Ваш Йогурт', 'ваш-йогурт'],
  ['お客様 ガイド', 'お客様-ガイド'],
  ['हिन्दी', 'हिन्दी'],
  ['مرحبا', 'مرحبا'],
  ['🎉', '1f389'],
  ['🎉🚀', '1f389-1f680'],
  ['!!!', '21-21-21'],
  ['a.b/c_d', 'a-b-c-d'],
  ['__proto__', 'proto'],
])('the slug of %j is %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
})

it('has at most 200 characters, and ends in no hyphen', () => {
  expect(slugOf('🙂a'.repeat(300))).toBe(`${'a-'.repeat(99)}a`)
  expect([...slugOf('𝒳'.repeat(300))]).toHaveLength(200)
  expect(slugOf('ﷺ'.repeat(255)).length).toBeLessThanOrEqual(200)
})

it('is the same of a text and of its slug', () => {
  for (const name of ['Zürich Fans', 'Ваш Йогурт', 'हिन्दी', '🎉', 'İ', 'ǅ', 'ΐ']) {
    expect(slugOf(slugOf(name))).toBe(slugOf(name))
  }
})
