/** The key of an uploaded file in the blob store: by the hash of its bytes, apart for each project. */
export function uploadKey(projectId: string, hash: string): string {
  return `uploads/${projectId}/${hash}`
}
