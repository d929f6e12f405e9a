/**
 * Browsers open a file that is dropped where nothing takes files, and leave the page for it. Here it is refused by the
 * sign at the pointer instead.
 */
export function refuseStrayFiles(): void {
  for (const kind of ['dragover', 'drop'] as const) {
    // in the last place: whatever takes files has prevented the browser's own way by then
    window.addEventListener(kind, (event) => {
      const { dataTransfer, target } = event
      if (event.defaultPrevented || dataTransfer === null || !dataTransfer.types.includes('Files')) return
      if (target instanceof HTMLInputElement && target.type === 'file') return
      event.preventDefault()
      dataTransfer.dropEffect = 'none'
    })
  }
}
