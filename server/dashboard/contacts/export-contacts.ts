import { API_URL } from '../api/base.ts'
import { downloadFrom } from '../parts/save-file.ts'

/** Downloads the contacts that the list shows, as CSV. */
export function exportContacts(project: string, { search, subscribed, filter }: Readonly<Record<string, string>>) {
  const query = new URLSearchParams(
    Object.entries({ search, subscribed, filter }).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  )
  return downloadFrom(new URL(`contacts/export?${query}`, API_URL), project, 'contacts.csv')
}
