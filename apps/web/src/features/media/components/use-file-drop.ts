import { useEffect, useRef, useState } from 'react'

/** Files dropped anywhere on the page; true while some are held over it. Does nothing without a handler. */
export function useFileDrop(onFiles: ((files: File[]) => void) | null): boolean {
  const [over, setOver] = useState(false)
  const handler = useRef(onFiles)
  handler.current = onFiles
  const active = onFiles !== null
  useEffect(() => {
    if (!active) return
    let depth = 0
    const carries = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const enter = (event: DragEvent) => {
      if (!carries(event)) return
      event.preventDefault()
      depth++
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (!carries(event)) return
      depth--
      if (depth <= 0) setOver(false)
    }
    const move = (event: DragEvent) => {
      if (carries(event)) event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      if (!carries(event)) return
      event.preventDefault()
      depth = 0
      setOver(false)
      // A folder arrives as a file that cannot be read; it has neither type nor, mostly, an ending.
      const items = [...(event.dataTransfer?.items ?? [])]
      const files = items
        .filter(item => item.kind === 'file' && !item.webkitGetAsEntry?.()?.isDirectory)
        .map(item => item.getAsFile())
        .filter(file => file !== null)
      if (files.length > 0) handler.current?.(files)
    }
    window.addEventListener('dragenter', enter)
    window.addEventListener('dragleave', leave)
    window.addEventListener('dragover', move)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragenter', enter)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('dragover', move)
      window.removeEventListener('drop', drop)
    }
  }, [active])
  return over && active
}
