/** The name of a first project that was given neither a name nor a domain, until a person names it. */
export const UNNAMED = 'My project'
