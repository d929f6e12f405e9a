/** The dashboard's own address: the server writes it into the page's base, relative, so that it holds below any path. */
export const APP_URL = new URL('.', document.baseURI)

/** The address of the HTTP API. */
export const API_URL = new URL('..', document.baseURI)

/** The path all pages of the dashboard begin with, without a slash at its end. */
export const APP_PATH = APP_URL.pathname.replace(/\/$/, '')

/** The address of a mail's file as the person reaches this server, which may be by another name than the public one. */
export function fileUrl(url: string): string {
  return apiUrl(url.slice(url.lastIndexOf('/attachments/')))
}

/** The address of one of the API's paths, as people see it. */
export function apiUrl(path: string): string {
  return new URL(path.replace(/^\//, ''), API_URL).href
}
