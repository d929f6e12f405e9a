/** The path of the dashboard: one to four parts, none of which leads elsewhere. */
export const DASHBOARD_PATH = /^(\/[\w-]{1,40}){1,4}$/
