import { ApiError } from '../api/api-error.ts'
import { reachSignedIn } from '../api/client.ts'

/** Has the browser save a file. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Saves what an endpoint answers. Throws when it refuses. */
export async function downloadFrom(url: URL, project: string, name: string): Promise<void> {
  const asked = new Request(url, { headers: { 'X-Project-Id': project }, credentials: 'same-origin' })
  const response = await reachSignedIn(asked)
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => undefined))
  saveFile(name, await response.blob())
}
