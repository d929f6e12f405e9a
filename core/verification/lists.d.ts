/** The part of the lists that is used here; the packages have no types of it. */
declare module 'fakefilter/json/data.json' {
  const data: { readonly domains: Readonly<Record<string, unknown>> }
  export default data
}

declare module 'email-providers/all.json' {
  const domains: readonly string[]
  export default domains
}
