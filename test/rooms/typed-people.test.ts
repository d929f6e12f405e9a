import { expect, it } from 'vitest'

// by its address: the dashboard has types of its own
const fromDashboard = (path: string) => import(new URL(`../../server/dashboard/${path}`, import.meta.url).href)
const { firstIn, lineOf, listed } = await fromDashboard('inboxes/people.ts')

// catches an answer that cannot be sent, or goes to others, since a name has a comma
it('people of a mail come back from a line as they were, also with names as Outlook has them', () => {
  const people = [
    { name: 'Müller, Anna', email: 'anna@example.com' },
    { name: 'Pat "PJ" \\ <z@z.example>, Jr.', email: 'pat@example.com' },
    { name: 'Bob', email: 'bob@example.com' },
  ]
  expect(listed(`${lineOf(people)}; eve@example.com,`)).toEqual([...people, 'eve@example.com'])
  expect(listed('Müller, Anna <anna@example.com>; Bob <bob@example.com>')).toEqual([people[0], people[2]])
  expect(listed('anna, bob@example.com, <eve@example.com>')).toEqual(['anna', 'bob@example.com', 'eve@example.com'])
  expect(firstIn(lineOf(people))).toBe('anna@example.com')
  expect([firstIn(''), firstIn('; ,')]).toEqual([undefined, undefined])
})
