/** The fields without those that are undefined. */
export function optional<Value extends object>(
  fields: Value,
): { readonly [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
