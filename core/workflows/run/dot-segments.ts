/**
 * True when the path of this http URL has a segment `.` or `..` (RFC 3986, section 5.2.4), which shortens it: a value filled
 * in could so lead to another place than the one the URL was written for. Spelled as browsers read it: `%2e` is a dot, `\\`
 * a slash (URL standard).
 */
export function hasDotSegments(url: string): boolean {
  return DOT_SEGMENT.test(url.replace(/[?#].*$/s, ''))
}

const DOT_SEGMENT = /^https?:[/\\]+[^/\\]*.*?[/\\](?:\.|%2e){1,2}(?=[/\\]|$)/is
