/** The reason why another server was not reached, which the API says in English. */
export const reasons = (reason: string): string => reason
