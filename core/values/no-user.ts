/** True for a URL, as text, without user name and password. */
export function hasNoUser(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && url.username === '' && url.password === ''
}
