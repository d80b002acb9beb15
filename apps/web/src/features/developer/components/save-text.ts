/** Hands a text to the person as a file. */
export function saveText(name: string, text: string | Blob, type = 'text/plain'): void {
  const url = URL.createObjectURL(text instanceof Blob ? text : new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
