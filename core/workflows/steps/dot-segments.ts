/**
 * True when the path of this http URL has a segment `.` or `..` (RFC 3986, section 5.2.4), which shortens it: a
 * filled-in value could lead to another place than intended. Read as browsers do: `%2e` is a dot, `\\` a slash (URL
 * standard).
 */
export function hasDotSegments(url: string): boolean {
  return DOT_SEGMENT.test(url.replace(/[?#].*$/s, ''))
}

const DOT_SEGMENT = /^https?:[/\\]+[^/\\]*.*?[/\\](?:\.|%2e){1,2}(?=[/\\]|$)/is
