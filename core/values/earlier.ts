/** The earlier of two dates. */
export function earlier(one: Date, other: Date): Date {
  return one < other ? one : other
}
