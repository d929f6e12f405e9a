/** The API's advice about DNS records, test mails and refusals, by its codes: its own sentences are English. */
export const advice: Readonly<Record<string, string>> = {}
