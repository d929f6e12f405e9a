/** The header fields of a CSV file that is saved under this name. */
export function csvHeaders(filename: string) {
  return {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${filename}"`,
    'cache-control': 'no-store',
  }
}
